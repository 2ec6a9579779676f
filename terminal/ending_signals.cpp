// Implements the signal handlers.
#include "terminal/ending_signals.hpp"

#include <csignal>

#include "fingerpost/base/temporary_file.hpp"

namespace fingerpost::cli {
namespace {

// The signal has its default action again (SA_RESETHAND, SA_NODEFER), so raise() does not return.
void clean_up_and_end(int number) {
    remove_temporary_files();
    (void)::raise(number);
}

volatile std::sig_atomic_t end_requested = 0;

} // namespace

void clean_up_on_signals() noexcept {
    struct sigaction action {};
    action.sa_handler = clean_up_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU}) {
        struct sigaction before {};
        if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)::sigaction(number, &action, nullptr);
    }
}

void end_early_on_signals() noexcept {
    struct sigaction action {};
    action.sa_handler = [](int) {
        end_requested = 1;
        clean_up_on_signals();
    };
    action.sa_flags = static_cast<int>(SA_RESTART);
    for (const int number : {SIGINT, SIGTERM})
        (void)::sigaction(number, &action, nullptr);
}

bool is_end_asked() noexcept {
    return end_requested != 0;
}

} // namespace fingerpost::cli
