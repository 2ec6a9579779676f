// The signals that end a program, and the cleaning up before.
#pragma once

namespace fingerpost::cli {

// From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU remove the temporary files of this process, then
// end it by the same signal. Signals that the program was started to ignore, as nohup does, stay ignored.
void clean_up_on_signals() noexcept;

} // namespace fingerpost::cli
