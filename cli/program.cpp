// Parses the command line and runs one command.
#include "cli/program.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/topics.hpp"
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

// The module of the Python package would have more than twice its size with all commands.
#ifdef FINGERPOST_FEW_COMMANDS
#define FINGERPOST_FOR_EACH_BUILT_COMMAND FINGERPOST_FOR_EACH_PACKAGE_COMMAND
constexpr bool has_all_commands = false;
#else
#define FINGERPOST_FOR_EACH_BUILT_COMMAND FINGERPOST_FOR_EACH_COMMAND
constexpr bool has_all_commands = true;
#endif

#define FINGERPOST_DECLARE_COMMAND(name, group) command name##_command();
FINGERPOST_FOR_EACH_BUILT_COMMAND(FINGERPOST_DECLARE_COMMAND)
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
    const char* const requested = std::getenv("FINGERPOST_ISA");
    throw usage_error(fmt::format("FINGERPOST_ISA={}: this machine has {}",
                                  requested != nullptr ? requested : "", isa_names()));
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

// A lone address or prefix is looked up. The lab's commands also work without the word `lab`, for one
// version.
std::vector<std::string> with_command(std::span<const std::string> words) {
    std::vector<std::string> result(words.begin(), words.end());
    if (!result.empty() && parse_prefix(result[0]))
        result.insert(result.begin(), "lookup");
    const auto first = result.begin() + (!result.empty() && result[0] == "help" ? 1 : 0);
#define FINGERPOST_IS_COMMAND(name) || *first == #name
    if (first != result.end() && (false FINGERPOST_FOR_EACH_LAB_COMMAND(FINGERPOST_IS_COMMAND)))
        result.insert(first, "lab");
#undef FINGERPOST_IS_COMMAND
    return result;
}

#define FINGERPOST_IS_NAME(name_, group) || name == #name_
void refuse_command_left_out(const command& program, std::string_view name) {
    const auto is_built = [&](const command& built) { return built.name == name; };
    const bool is_command = false FINGERPOST_FOR_EACH_COMMAND(FINGERPOST_IS_NAME);
    if (is_command && std::none_of(program.commands.begin(), program.commands.end(), is_built))
        throw usage_error(fmt::format("{}: only the program `fingerpost` has this command", name));
}
#undef FINGERPOST_IS_NAME

// Adds only the command that `first`, the first word, names: describing all of them would take most of the
// start-up time. Adds all commands if it names none.
void add_commands(command& program, std::string_view first) {
#define FINGERPOST_ADD_COMMAND(name, group)                                                                  \
    if (first == #name)                                                                                      \
        return void(program.commands.push_back(name##_command()));
    FINGERPOST_FOR_EACH_BUILT_COMMAND(FINGERPOST_ADD_COMMAND)
#undef FINGERPOST_ADD_COMMAND
    const auto add = [&](command added, const char* group) {
        added.group = group;
        program.commands.push_back(std::move(added));
    };
#define FINGERPOST_ADD_COMMAND(name, group) add(name##_command(), group);
    FINGERPOST_FOR_EACH_BUILT_COMMAND(FINGERPOST_ADD_COMMAND)
#undef FINGERPOST_ADD_COMMAND
    add(completion_command(program), "Help");
    add(help_command(program, {tables_topic(), formats_topic()}), "Help");
}

int parse_and_run(std::span<const std::string> words) {
    // Programs query the version whenever they start, so it is printed before any command is described.
    if (words.size() == 1 && (words[0] == "--version" || words[0] == "-V")) {
        refuse_unusable_isa();
        refuse_unusable_tuning();
        print(version());
        return exit_code::ok;
    }
    command program{.summary =
                        "Look up addresses in tables of networks: routes, ASNs, countries, block lists."};
    bool version_asked = false;
    add_flag(program, "--version", version_asked,
             "Print the version, the CPU, and the instruction set and tuning in use")
        .letter = 'V';
    const std::vector<std::string> arguments = with_command(words);
    const std::string_view first = arguments.empty() ? std::string_view() : arguments.front();
    add_commands(program, first);
    if (!has_all_commands)
        refuse_command_left_out(program, first);
    program.more = "Example: fingerpost lookup -t table.txt 10.1.2.3\n"
                   "More: fingerpost help COMMAND, fingerpost help tables, fingerpost help formats\n";
    // Printing the version needs no command.
    program.run = [&program, &version_asked] {
        print(version_asked ? version() : help_text(program, help_width()));
        return version_asked ? exit_code::ok : exit_code::usage;
    };
    const request command_line = parse(program, arguments);
    if (command_line.help) {
        print(help_text(*command_line.what, help_width()));
        return exit_code::ok;
    }
    // Checked before any command runs, so that no command uses the wrong kernels.
    refuse_unusable_isa();
    refuse_unusable_tuning();
    return command_line.what->run();
}

} // namespace

int run_command_line(int argc, char** argv) {
    return run_program(argc, argv, parse_and_run);
}

} // namespace fingerpost::cli
