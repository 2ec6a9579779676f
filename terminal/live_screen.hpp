// A terminal that is drawn again and again, and is as it was before when the screen ends.
#pragma once

#include <chrono>
#include <string_view>
#include <termios.h>

namespace fingerpost::cli {

// One at a time. It takes the keys, so that Ctrl-C is one of them, and the signals that would leave the
// terminal as it is.
class live_screen {
  public:
    live_screen();
    ~live_screen();
    live_screen(const live_screen&) = delete;
    live_screen& operator=(const live_screen&) = delete;

    // Lines and columns that there is no room for are left out.
    void draw(std::string_view page);
    // False when somebody wants the end: q, Ctrl-C, or a signal.
    bool wait(std::chrono::milliseconds pause);

  private:
    termios before_{};
    bool has_keys_; // before_ is what has to be set again
};

} // namespace fingerpost::cli
