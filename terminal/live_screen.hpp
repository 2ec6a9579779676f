// A terminal that is redrawn repeatedly, and restored at the end.
#pragma once

#include <chrono>
#include <string_view>
#include <termios.h>

namespace fingerpost::cli {

// Only one may exist at a time. It handles the keys, including Ctrl-C, and the signals that would otherwise
// leave the terminal unrestored.
class live_screen {
  public:
    live_screen();
    ~live_screen();
    live_screen(const live_screen&) = delete;
    live_screen& operator=(const live_screen&) = delete;

    // Lines and columns that do not fit are left out.
    void draw(std::string_view page);
    // Waits for the pause. Returns false if the user ends the program by q, Ctrl-C, or a signal.
    bool wait(std::chrono::milliseconds pause);

  private:
    termios before_{};
    bool has_keys_; // before_ must be restored
};

} // namespace fingerpost::cli
