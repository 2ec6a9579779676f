// The commands of a program with their options. Each is described once, in cli/. Parsing, help and completion
// use this description.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::cli {

// Takes the text of a value, which is not empty. Returns an explanation if it is invalid, or nothing.
using taker = std::function<std::string(const std::string& value)>;

// terminal/options.hpp has functions that create options with checked values; do not fill in options by hand.
struct option {
    std::string name{};  // including its dashes
    char letter = '\0';  // letter of the short form
    std::string value{}; // name of the value in help, such as `FILE`; empty for a flag
    std::string help{};
    std::string preset{};               // default value as shown in help
    std::vector<std::string> choices{}; // possible values, if there are few
    bool is_list = false;               // values are separated by commas
    bool may_repeat = false;            // may occur several times
    bool may_be_empty = false;          // `''` is a value
    bool is_file = false;
    bool is_number = false;
    // Help topic that describes the option, such as `tables` for `fingerpost help tables`. If empty, the help
    // of its command describes it.
    std::string topic{};
    // Words without dashes are also values of this option, if the command has no arguments.
    bool takes_words = false;
    bool is_required = false;
    // Called if a required option is missing. Returns whether it has taken a value from elsewhere. Throws the
    // exceptions of parse().
    std::function<bool()> otherwise{};
    std::string missing{};  // message if the option is missing
    std::string needs{};    // option that this one requires
    std::string excludes{}; // option that must not be used together with this one
    taker take{};
};

// The words without dashes after a command.
struct arguments {
    std::string name{}; // name in help; empty if the command takes none
    std::string help{};
    std::size_t least = 0;
    std::size_t most = 0;
    std::vector<std::string> choices{};
    taker take{};
};

struct example {
    std::string line{};
    std::string words{};
};

struct command {
    std::string name{}; // including the commands above it, `image save`; empty for the program
    std::string summary{};
    std::string group{}; // group in the list of commands
    std::vector<option> options{};
    arguments rest{};
    std::vector<command> commands{};
    // The option that names a file of further options, if there is one. The file is TOML; its keys are
    // options without dashes. Options of the command line override it.
    std::string config{};
    std::string more{}; // additional help: a title and lines of `  name  words`
    std::vector<example> examples{};
    // Returns the exit code. Empty if one of `commands` must follow, and for help topics.
    std::function<int()> run{};

    // Last word of the name.
    std::string own_name() const;
    // Returns the option whose values are words without dashes; nullptr if there is none.
    const option* option_of_words() const;
    // Returns the option with this name or letter, including dashes; nullptr if there is none.
    const option* option_named(std::string_view form) const;
};

// The parsed command line. All values have been taken, unless `help` is set.
struct request {
    const command* what;
    bool help = false;
};

// `--help` and `-h` are options of every command. Throws usage_error with a message of the form `option:
// 'value' reason` or `command: reason`; it may suggest a similar name.
request parse(const command& program, std::span<const std::string> words);

// Returns the command with this name. Throws usage_error if there is none.
const command& find_command(const command& program, std::span<const std::string> name);

} // namespace fingerpost::cli
