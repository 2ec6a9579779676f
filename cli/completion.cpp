// `fingerpost completion`: a script that makes a shell complete commands, options and their values.
#include <CLI/Option.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "bench/workloads/length_shares.hpp"
#include "cli/choices.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"

namespace fingerpost::cli {
namespace {

// An option as shells know it. `values` is empty for flags and free values; those of files are completed as
// such.
struct option_words {
    std::vector<std::string> names; // with their dashes
    std::string description;
    std::vector<std::string> values;
    bool takes_value = false;
    bool takes_file = false;
};

struct command_words {
    std::string name;
    std::string description;
    std::vector<std::string> commands; // of the second level
    std::vector<option_words> options; // those of the second level too
};

std::vector<std::string> cut(const std::string& text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

// Choices stand in the name of an option's type, `a|b|c`; names of things are in their lists.
std::vector<std::string> values_of(const std::string& long_name, const std::string& type) {
    if (type.find('|') != std::string::npos)
        return cut(type, '|');
    std::vector<std::string> values;
    if (long_name == "scheme" || long_name == "schemes") {
        for (const std::string& name : split_names(scheme_names()))
            values.push_back(name.substr(name.find_first_not_of(' ')));
    } else if (long_name == "isa") {
        for (const simd::kernel_table* const kernels : simd::available_kernels())
            values.emplace_back(kernels->name);
    } else if (long_name == "shares") {
        for (const bench::share_table& table : bench::share_tables)
            values.emplace_back(table.name);
    }
    return values;
}

option_words words_of(const CLI::Option& option) {
    option_words words;
    for (const std::string& name : option.get_snames())
        words.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        words.names.push_back("--" + name);
    words.description = option.get_description();
    words.takes_value = option.get_type_size() != 0;
    const std::string type = option.get_type_name().substr(0, option.get_type_name().find(':'));
    words.takes_file = words.takes_value && type == "FILE";
    if (words.takes_value && !option.get_lnames().empty())
        words.values = values_of(option.get_lnames().front(), type);
    return words;
}

void add_options(const CLI::App& command, std::vector<option_words>& options) {
    for (const CLI::Option* const option : command.get_options())
        if (!option->get_positional() && option->get_name() != "--help,-h")
            options.push_back(words_of(*option));
}

std::vector<command_words> commands_of(const CLI::App& app) {
    std::vector<command_words> all;
    for (const CLI::App* const command : app.get_subcommands({})) {
        command_words words{command->get_name(), command->get_description(), {}, {}};
        add_options(*command, words.options);
        for (const CLI::App* const inner : command->get_subcommands({})) {
            words.commands.push_back(inner->get_name());
            add_options(*inner, words.options);
        }
        all.push_back(std::move(words));
    }
    return all;
}

std::string names_of(const std::vector<command_words>& commands) {
    std::string names;
    for (const command_words& command : commands)
        names += (names.empty() ? "" : " ") + command.name;
    return names;
}

// What can follow a command: commands of the second level and options.
std::string followers(const command_words& command) {
    std::vector<std::string> words = command.commands;
    for (const option_words& option : command.options)
        words.insert(words.end(), option.names.begin(), option.names.end());
    words.emplace_back("--help");
    return fmt::format("{}", fmt::join(words, " "));
}

// The branches of a shell's `case` over "command option", one an option that takes a value.
std::string value_branches(const std::vector<command_words>& commands, std::string_view list,
                           std::string_view files) {
    std::string out;
    for (const command_words& command : commands) {
        for (const option_words& option : command.options) {
            if (!option.takes_file && option.values.empty())
                continue;
            std::vector<std::string> patterns;
            for (const std::string& name : option.names)
                patterns.push_back(fmt::format("\"{} {}\"", command.name, name));
            const std::string action = option.takes_file
                                           ? std::string(files)
                                           : fmt::format(fmt::runtime(list), fmt::join(option.values, " "));
            out += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, "|"), action);
        }
    }
    return out;
}

std::string command_branches(const std::vector<command_words>& commands, std::string_view list) {
    std::string out;
    for (const command_words& command : commands)
        out +=
            fmt::format("    {}) {} ;;\n", command.name, fmt::format(fmt::runtime(list), followers(command)));
    return out;
}

std::string bash(const std::vector<command_words>& commands) {
    const std::string list = "COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))";
    std::string out = "# Completion of fingerpost for bash: source <(fingerpost completion bash)\n"
                      "_fingerpost() {\n"
                      "    local word=\"${COMP_WORDS[COMP_CWORD]}\"\n"
                      "    if ((COMP_CWORD == 1)); then\n        ";
    out += fmt::format(fmt::runtime(list), names_of(commands) + " --help --version") +
           "\n        return\n    fi\n";
    out += "    case \"${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD - 1]}\" in\n";
    out += value_branches(commands, list, "COMPREPLY=($(compgen -f -- \"$word\"))");
    out += "    esac\n    case \"${COMP_WORDS[1]}\" in\n" + command_branches(commands, list);
    return out + "    esac\n}\ncomplete -o default -F _fingerpost fingerpost\n";
}

std::string zsh(const std::vector<command_words>& commands) {
    std::string out = "#compdef fingerpost\n"
                      "# Completion of fingerpost for zsh: source <(fingerpost completion zsh)\n"
                      "_fingerpost() {\n"
                      "    if ((CURRENT == 2)); then\n";
    out +=
        fmt::format("        compadd -- {} --help --version\n        return\n    fi\n", names_of(commands));
    out += "    case \"${words[2]} ${words[CURRENT - 1]}\" in\n";
    out += value_branches(commands, "compadd -- {}", "_files");
    out += "    esac\n    case \"${words[2]}\" in\n" + command_branches(commands, "compadd -- {}");
    return out + "    esac\n}\ncompdef _fingerpost fingerpost\n";
}

std::string fish_quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + "'";
}

std::string fish_option(const std::string& condition, const option_words& option) {
    std::string out = "complete -c fingerpost -n " + fish_quoted(condition);
    for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (option.takes_file)
        out += " -r -F";
    else if (option.takes_value)
        out += " -x";
    if (!option.values.empty())
        out += " -a " + fish_quoted(fmt::format("{}", fmt::join(option.values, " ")));
    return out + " -d " + fish_quoted(option.description) + "\n";
}

std::string fish(const std::vector<command_words>& commands) {
    std::string out = "# Completion of fingerpost for fish: fingerpost completion fish | source\n"
                      "complete -c fingerpost -f\n";
    for (const command_words& command : commands) {
        out += fmt::format("complete -c fingerpost -n __fish_use_subcommand -a {} -d {}\n", command.name,
                           fish_quoted(command.description));
        // The second word decides: `bench lookup` is not `lookup`.
        const std::string condition =
            fmt::format("set -l words (commandline -opc); test \"$words[2]\" = {}", command.name);
        for (const std::string& inner : command.commands)
            out += fmt::format("complete -c fingerpost -n {} -a {}\n", fish_quoted(condition), inner);
        for (const option_words& option : command.options)
            out += fish_option(condition, option);
    }
    return out;
}

} // namespace

void add_completion(CLI::App& app, int&) {
    auto shell = std::make_shared<std::string>();
    CLI::App* const command = app.add_subcommand("completion", "print a completion script for a shell");
    command->add_option("shell", *shell, "bash, zsh or fish")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
        ->required()
        ->type_name("bash|zsh|fish");
    command->callback([shell, &app] {
        const std::vector<command_words> commands = commands_of(app);
        output out;
        out.write(*shell == "bash" ? bash(commands) : *shell == "zsh" ? zsh(commands) : fish(commands));
        out.finish();
    });
}

} // namespace fingerpost::cli
