// The signals that end a program, and the cleaning up before.
#pragma once

namespace fingerpost::cli {

// From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU remove the temporary files of this process, then
// end it by the same signal. Signals that the program was started to ignore, as nohup does, stay ignored.
void clean_up_on_signals() noexcept;

// From now on the first SIGINT or SIGTERM makes is_end_asked() true, so that a command can finish what it
// has; the second one ends the program as above.
void end_early_on_signals() noexcept;
bool is_end_asked() noexcept;

} // namespace fingerpost::cli
