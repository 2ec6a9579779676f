// A terminal that is redrawn repeatedly, and is restored when the screen ends.
#pragma once

#include <chrono>
#include <string_view>
#include <termios.h>

namespace fingerpost::cli {

// At most one at a time. It takes over the keys, so that Ctrl-C is one of them, and the signals that would
// otherwise leave the terminal unrestored.
class live_screen {
  public:
    live_screen();
    ~live_screen();
    live_screen(const live_screen&) = delete;
    live_screen& operator=(const live_screen&) = delete;

    // Lines and columns that do not fit are left out.
    void draw(std::string_view page);
    // False if the user wants to end: q, Ctrl-C, or a signal.
    bool wait(std::chrono::milliseconds pause);

  private:
    termios before_{};
    bool has_keys_; // before_ must be restored
};

} // namespace fingerpost::cli
