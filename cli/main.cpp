// The program: parses the command line, runs one command, and turns whatever happens into an exit code.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <string>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/failure.hpp"
#include "fingerpost/simd/dispatch.hpp"

namespace fingerpost::cli {
namespace {

std::string kernel_names() {
    std::string names;
    for (const simd::kernel_table* const kernels : simd::available_kernels())
        names += (names.empty() ? "" : ", ") + std::string(kernels->name);
    return names;
}

void refuse_unusable_isa() {
    if (!simd::isa_override_is_unusable())
        return;
    const char* const asked = std::getenv("FINGERPOST_ISA");
    throw usage_error(
        fmt::format("FINGERPOST_ISA={}: this machine has {}", asked != nullptr ? asked : "", kernel_names()));
}

std::string version() {
    return fmt::format("fingerpost {} (kernels: {}; available: {})\n", FINGERPOST_VERSION,
                       simd::preferred_kernels().name, kernel_names());
}

int parse_and_run(int argc, char** argv) {
    CLI::App app("Longest-prefix-match lookup for IPv4 and IPv6.", "fingerpost");
    int status = exit_code::ok;
    bool version_asked = false;
    app.add_flag("-V,--version", version_asked, "print the version and the instruction set in use");
    app.get_formatter()->column_width(34);
    add_lookup(app, status);
    add_info(app, status);
    add_check(app, status);
    add_bench(app, status);
    add_generate(app, status);
    add_schemes(app, status);
    add_completion(app, status);
    app.require_subcommand(0, 1);
    app.parse_complete_callback([&] {
        // Before any command runs, so that none answers with kernels that were not asked for.
        refuse_unusable_isa();
        if (!version_asked && app.get_subcommands().empty())
            throw usage_error("no command; see fingerpost --help");
    });
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
        output out;
        out.write(app.help());
        out.finish();
        return help.get_exit_code();
    } catch (const CLI::ParseError& error) {
        throw usage_error(error.what());
    }
    if (version_asked && app.get_subcommands().empty()) {
        output out;
        out.write(version());
        out.finish();
    }
    return status;
}

int run(int argc, char** argv) {
    try {
        return parse_and_run(argc, argv);
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

} // namespace
} // namespace fingerpost::cli

int main(int argc, char** argv) {
    // A reader that goes away shall be a failed write, which ends the program quietly.
    std::signal(SIGPIPE, SIG_IGN);
    return fingerpost::cli::run(argc, argv);
}
