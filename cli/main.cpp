// The program: parses the command line, runs one command, and turns every outcome into an exit code.
#include <cstdlib>
#include <fmt/format.h>
#include <string>

#include "cli/commands.hpp"
#include "fingerpost/simd/isa.hpp"
#include "fingerpost/simd/tuning.hpp"
#include "terminal/completion.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/help.hpp"
#include "terminal/options.hpp"
#include "terminal/run_program.hpp"

namespace fingerpost::cli {

#define FINGERPOST_DECLARE_COMMAND(name) command name##_command();
FINGERPOST_FOR_EACH_COMMAND(FINGERPOST_DECLARE_COMMAND)
#undef FINGERPOST_DECLARE_COMMAND

namespace {

std::string isa_names() {
    std::string names;
    for (const simd::isa isa : simd::available_isas())
        names += (names.empty() ? "" : ", ") + std::string(simd::name_of(isa));
    return names;
}

void refuse_unusable_isa() {
    if (!simd::isa_override_is_unusable())
        return;
    const char* const asked = std::getenv("FINGERPOST_ISA");
    throw usage_error(
        fmt::format("FINGERPOST_ISA={}: this machine has {}", asked != nullptr ? asked : "", isa_names()));
}

void refuse_unusable_tuning() {
    if (const std::string_view wrong = simd::unusable_tuning_override(); !wrong.empty())
        throw usage_error(
            fmt::format("FINGERPOST_TUNE: '{}' is not one of {}", wrong, simd::tuning_choices()));
}

std::string version() {
    return fmt::format("fingerpost {} (kernels: {}; available: {})\n"
                       "CPU: {} (tuning: {})\n",
                       FINGERPOST_VERSION, simd::name_of(simd::preferred_isa()), isa_names(),
                       simd::text_of(simd::this_cpu()), simd::text_of(simd::preferred_tuning()));
}

void print(const std::string& text) {
    output out;
    out.write(text);
    out.finish();
}

int parse_and_run(std::span<const std::string> words) {
    command program{.summary = "Longest-prefix-match lookup for IPv4 and IPv6."};
    bool version_asked = false;
    add_flag(program, "--version", version_asked,
             "print the version, and the instruction set and the tuning in use")
        .letter = 'V';
#define FINGERPOST_ADD_COMMAND(name) program.commands.push_back(name##_command());
    FINGERPOST_FOR_EACH_COMMAND(FINGERPOST_ADD_COMMAND)
#undef FINGERPOST_ADD_COMMAND
    program.commands.push_back(completion_command(program));
    program.commands.push_back(help_command(program));
    program.examples = {
        {"fingerpost lookup --table table.txt 10.1.2.3", "the matching prefix and next hop of one address"},
        {"fingerpost help bench lookup", "the help of a command"}};
    // To print the version, no command is needed.
    program.run = [&version_asked] {
        if (!version_asked)
            throw usage_error("no command; see fingerpost --help");
        print(version());
        return exit_code::ok;
    };
    const request asked = parse(program, words);
    if (asked.help) {
        print(help_text(*asked.what, help_width()));
        return exit_code::ok;
    }
    // Checked before any command runs, so that none uses kernels that were not asked for.
    refuse_unusable_isa();
    refuse_unusable_tuning();
    return asked.what->run();
}

} // namespace
} // namespace fingerpost::cli

int main(int argc, char** argv) {
    return fingerpost::cli::run_program(argc, argv, fingerpost::cli::parse_and_run);
}
