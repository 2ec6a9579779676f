// The program: parses the command line, runs one command, and turns every outcome into an exit code.
#include <cstdlib>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/simd/isa.hpp"
#include "fingerpost/simd/tuning.hpp"
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

// An address or a prefix alone is looked up.
std::vector<std::string> with_command(std::span<const std::string> words) {
    std::vector<std::string> all(words.begin(), words.end());
    if (!all.empty() && parse_prefix(all[0]))
        all.insert(all.begin(), "lookup");
    return all;
}

// Only the command that `first`, the first word, names, as describing all of them takes longer than all else
// of a start; without such a command, all.
void add_commands(command& program, std::string_view first) {
#define FINGERPOST_ADD_COMMAND(name)                                                                         \
    if (first == #name)                                                                                      \
        return void(program.commands.push_back(name##_command()));
    FINGERPOST_FOR_EACH_COMMAND(FINGERPOST_ADD_COMMAND)
#undef FINGERPOST_ADD_COMMAND
#define FINGERPOST_ADD_COMMAND(name) program.commands.push_back(name##_command());
    FINGERPOST_FOR_EACH_COMMAND(FINGERPOST_ADD_COMMAND)
#undef FINGERPOST_ADD_COMMAND
    program.commands.push_back(completion_command(program));
    program.commands.push_back(help_command(program));
}

int parse_and_run(std::span<const std::string> words) {
    // Programs ask for the version at each start of theirs, so it does not wait for the descriptions of all
    // commands.
    if (words.size() == 1 && (words[0] == "--version" || words[0] == "-V")) {
        refuse_unusable_isa();
        refuse_unusable_tuning();
        print(version());
        return exit_code::ok;
    }
    command program{.summary = "Longest-prefix-match lookup for IPv4 and IPv6."};
    bool version_asked = false;
    add_flag(program, "--version", version_asked,
             "print the version, and the instruction set and the tuning in use")
        .letter = 'V';
    const std::vector<std::string> all = with_command(words);
    add_commands(program, all.empty() ? std::string_view() : all.front());
    program.examples = {
        {"fingerpost lookup --table table.txt 10.1.2.3", "the matching prefix and next hop of one address"},
        {"fingerpost 10.1.2.3", "the same in the default table (FINGERPOST_TABLE)"},
        {"fingerpost help bench lookup", "the help of a command"}};
    // To print the version, no command is needed.
    program.run = [&version_asked] {
        if (!version_asked)
            throw usage_error("no command; see fingerpost --help");
        print(version());
        return exit_code::ok;
    };
    const request asked = parse(program, all);
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
