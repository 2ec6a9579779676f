// `fingerpost completion`: writes a script with which a shell completes commands, options and their values.
//
// Each script determines three things: the command, whether the previous word takes a value, and the possible
// values. In a list, values follow the last comma.
#include "terminal/help.hpp"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

// Collects a command, then its subcommands, each directly followed by those below it.
void collect(const command& parent, std::vector<const command*>& commands) {
    commands.push_back(&parent);
    for (const command& below : parent.commands)
        collect(below, commands);
}
std::vector<const command*> all_commands(const command& program) {
    std::vector<const command*> commands;
    collect(program, commands);
    return commands;
}

std::vector<std::string> forms(const option& target) {
    std::vector<std::string> words = {target.name};
    if (target.letter != '\0')
        words.push_back(std::string{'-', target.letter});
    return words;
}

// Returns the words that can follow a command: commands, arguments if there are few, options.
std::string followers(const command& target) {
    std::vector<std::string> words = target.rest.choices;
    for (const command& below : target.commands)
        words.push_back(below.own_name());
    for (const option& o : target.options)
        for (const std::string& form : forms(o))
            words.push_back(form);
    words.emplace_back("--help");
    return fmt::format("{}", fmt::join(words, " "));
}

// Returns the names of all commands, with those above them, as a shell pattern.
std::string command_names(const std::vector<const command*>& commands) {
    std::vector<std::string> names;
    for (const command* const entry : commands)
        if (!entry->name.empty())
            names.push_back('"' + entry->name + '"');
    return fmt::format("{}", fmt::join(names, "|"));
}

// Returns the branches of a shell's `case` over "command option", one for each option that takes a value. A
// branch ends the function, so that options are not offered as values.
std::string value_branches(const std::vector<const command*>& commands) {
    std::string out;
    for (const command* const entry : commands) {
        for (const option& o : entry->options) {
            if (o.value.empty())
                continue;
            std::vector<std::string> patterns;
            for (const std::string& form : forms(o))
                patterns.push_back(fmt::format("\"{} {}\"", entry->name, form));
            const std::string action = o.is_file           ? "_fingerpost_files"
                                       : o.choices.empty() ? ":"
                                       : o.is_list         ? "_fingerpost_list"
                                                           : "_fingerpost_words";
            out += fmt::format("    {}) {}{}{}; return ;;\n", fmt::join(patterns, "|"), action,
                               o.choices.empty() ? "" : " ", fmt::join(o.choices, " "));
        }
    }
    return out;
}

std::string follower_branches(const std::vector<const command*>& commands) {
    std::string out;
    for (const command* const entry : commands)
        out += fmt::format("    \"{}\") _fingerpost_words {} ;;\n", entry->name, followers(*entry));
    return out;
}

// Returns the loop with which bash and zsh find the command. `line` has the words before the one to complete.
std::string find_command_loop(const std::vector<const command*>& commands) {
    return fmt::format(
        "    for w in \"${{line[@]}}\"; do\n"
        "        case \"${{command:+$command }}$w\" in {}) command=\"${{command:+$command }}$w\" ;; "
        "*) break ;; esac\n"
        "    done\n",
        command_names(commands));
}

std::string bash(const command& program) {
    const std::vector<const command*> commands = all_commands(program);
    return "# Completion of fingerpost for bash: source <(fingerpost completion bash)\n"
           "_fingerpost_words() { mapfile -t COMPREPLY < <(compgen -W \"$*\" -- \"$word\"); }\n"
           "_fingerpost_list() {\n"
           "    local before=\n"
           "    [[ $word == *,* ]] && before=${word%,*},\n"
           "    mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$*\" -- \"${word##*,}\")\n"
           "    compopt -o nospace 2>/dev/null\n"
           "}\n"
           "_fingerpost_files() {\n"
           "    compopt -o filenames 2>/dev/null\n"
           "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "}\n"
           "_fingerpost() {\n"
           "    local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD - 1]}\" command= "
           "w\n"
           "    local -a line=(\"${COMP_WORDS[@]:1:COMP_CWORD - 1}\")\n"
           "    # Bash cuts `--option=value` into three words.\n"
           "    [[ $word == = ]] && word=\n"
           "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}\n" +
           find_command_loop(commands) + "    case \"$command $before\" in\n" + value_branches(commands) +
           "    esac\n    case \"$command\" in\n" + follower_branches(commands) +
           "    esac\n}\ncomplete -o default -F _fingerpost fingerpost\n";
}

std::string zsh(const command& program) {
    const std::vector<const command*> commands = all_commands(program);
    return "#compdef fingerpost\n"
           "# Completion of fingerpost for zsh: source <(fingerpost completion zsh)\n"
           "_fingerpost_words() { compadd -- \"$@\"; }\n"
           "_fingerpost_list() {\n"
           "    compset -P '*,'\n"
           "    compadd -S '' -- \"$@\"\n"
           "}\n"
           "_fingerpost_files() { _files; }\n"
           "_fingerpost() {\n"
           "    local command= before=\"${words[CURRENT - 1]}\" w\n"
           "    local -a line=(\"${(@)words[2,CURRENT - 1]}\")\n"
           "    # The value of `--option=value` is completed by itself.\n"
           "    if compset -P '--*='; then before=\"${IPREFIX%=}\"; fi\n" +
           find_command_loop(commands) + "    case \"$command $before\" in\n" + value_branches(commands) +
           "    esac\n    case \"$command\" in\n" + follower_branches(commands) +
           "    esac\n}\n"
           "# Read as a file of functions it is the function itself.\n"
           "if [[ ${funcstack[1]} == _fingerpost ]]; then _fingerpost \"$@\"; else compdef _fingerpost "
           "fingerpost; fi\n";
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

std::string fish_option(const std::string& condition, const option& target) {
    std::string out = "complete -c fingerpost -n " + condition + " -l " + target.name.substr(2);
    if (target.letter != '\0')
        out += std::string(" -s ") + target.letter;
    const std::string choices = fmt::format("{}", fmt::join(target.choices, " "));
    if (target.is_file)
        out += " -r -F";
    else if (!target.value.empty())
        out += " -x";
    if (!target.choices.empty())
        out += " -a " + fish_quoted(target.is_list ? "(__fingerpost_list " + choices + ")" : choices);
    return out + " -d " + fish_quoted(target.help) + "\n";
}

std::string fish(const command& program) {
    const std::vector<const command*> commands = all_commands(program);
    std::string out = "# Completion of fingerpost for fish: fingerpost completion fish | source\n"
                      "function __fingerpost_command\n"
                      "    set -l name\n"
                      "    for word in (commandline -opc)[2..]\n"
                      "        contains -- (string join -- ' ' $name $word)";
    for (const command* const entry : commands)
        if (!entry->name.empty())
            out += ' ' + fish_quoted(entry->name);
    out += "; or break\n"
           "        set -a name $word\n"
           "    end\n"
           "    string join -- ' ' $name\n"
           "end\n"
           "function __fingerpost_in\n"
           "    set -l now (__fingerpost_command)\n"
           "    test \"$now\" = \"$argv\"\n"
           "end\n"
           "function __fingerpost_list\n"
           "    set -l before (string match -r '^(?:--[^=]*=)?(.*,)' -- (commandline -ct))[2]\n"
           "    printf '%s\\n' \"$before\"$argv\n"
           "end\n"
           "complete -c fingerpost -f\n";
    for (const command* const entry : commands) {
        const std::string condition = fish_quoted("__fingerpost_in " + entry->name);
        for (const command& below : entry->commands)
            out += fmt::format("complete -c fingerpost -n {} -a {} -d {}\n", condition, below.own_name(),
                               fish_quoted(below.summary));
        if (!entry->rest.choices.empty())
            out += fmt::format("complete -c fingerpost -n {} -a {}\n", condition,
                               fish_quoted(fmt::format("{}", fmt::join(entry->rest.choices, " "))));
        for (const option& o : entry->options)
            out += fish_option(condition, o);
    }
    return out;
}

} // namespace

command completion_command(const command& program) {
    auto shell = std::make_shared<std::string>();
    const std::vector<std::string> shells = {"bash", "zsh", "fish"};
    command result{.name = "completion", .summary = "print a completion script for a shell"};
    result.rest = {.name = "SHELL",
                   .help = "One of bash, zsh, fish",
                   .least = 1,
                   .most = 1,
                   .choices = shells,
                   .take = [shell, shells](const std::string& name) {
                       *shell = name;
                       return refuse_name(name, shells);
                   }};
    result.examples = {{"source <(fingerpost completion bash)", "Add this to ~/.bashrc"},
                       {"source <(fingerpost completion zsh)", "Add this to ~/.zshrc, after compinit"},
                       {"fingerpost completion fish | source", "Add this to ~/.config/fish/config.fish"}};
    result.run = [shell, &program] {
        output out;
        out.write(*shell == "bash" ? bash(program) : *shell == "zsh" ? zsh(program) : fish(program));
        out.finish();
        return exit_code::ok;
    };
    return result;
}

} // namespace fingerpost::cli
