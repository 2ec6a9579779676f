// The signals that end a program, and what is done before they do.
#pragma once

namespace fingerpost::cli {

// From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU remove the temporary files of this process before
// they end it, by the same signal. Those that the caller has the program ignore, as nohup does, stay ignored.
void clean_up_on_signals() noexcept;

} // namespace fingerpost::cli
