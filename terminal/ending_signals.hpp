// Handles the signals that end a program, and the cleanup before its end.
#pragma once

namespace fingerpost::cli {

// Makes SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU remove the temporary files of this process before they
// end it. Signals that were ignored at the start of the program, as with nohup, stay ignored.
void clean_up_on_signals() noexcept;

// Makes the first SIGINT or SIGTERM set is_end_asked(), so that a command can finish its current work. The
// second one ends the program as above.
void end_early_on_signals() noexcept;
bool is_end_asked() noexcept;

} // namespace fingerpost::cli
