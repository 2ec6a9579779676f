// Maps exceptions to exit codes.
#include "terminal/run_program.hpp"

#include <csignal>
#include <exception>
#include <new>
#include <vector>

#include "system/standard_descriptors.hpp"
#include "terminal/console.hpp"
#include "terminal/ending_signals.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/help.hpp"

namespace fingerpost::cli {

int run_program(int argc, char** argv, int (*run)(std::span<const std::string> words)) {
    system::open_standard_descriptors();
    // A reader that goes away, and a file that must not grow further, cause a failed write instead.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    clean_up_on_signals();
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    try {
        return run(words);
    } catch (const closed_pipe&) {
        return exit_code::ok;
    } catch (const usage_error& error) {
        report(error.what());
        return exit_code::usage;
    } catch (const std::bad_alloc&) {
        report("out of memory");
        return exit_code::failed;
    } catch (const std::exception& error) {
        report(error.what());
        return exit_code::failed;
    }
}

int run_command(const command& program, std::span<const std::string> words) {
    const request chosen = parse(program, words);
    if (!chosen.help)
        return chosen.what->run();
    output out;
    out.write(help_text(*chosen.what, help_width()));
    out.finish();
    return exit_code::ok;
}

} // namespace fingerpost::cli
