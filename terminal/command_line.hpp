// The commands of a program with their options. Each is described once, in cli/; parsing, help and completion
// all read the description.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::cli {

// Takes a value as it was given, which is not empty. Returns the reason, in words, if it is wrong, else an
// empty text.
using taker = std::function<std::string(const std::string& value)>;

// terminal/options.hpp makes options with checked values; no option is filled in by hand.
struct option {
    std::string name{};  // with its dashes
    char letter = '\0';  // of the short form
    std::string value{}; // what help calls the value, `FILE`; empty for a flag
    std::string help{};
    std::string preset{};               // the default value, as help shows it
    std::vector<std::string> choices{}; // the possible values, if they can be listed
    bool is_list = false;               // values are separated by commas
    bool may_repeat = false;            // may be given several times
    bool may_be_empty = false;          // `''` is a value
    bool is_file = false;
    bool is_number = false;
    // The page of help that describes it, as `tables` of `fingerpost help tables`; empty: that of its
    // command.
    std::string topic{};
    // Words without dashes are values of it too, if the command has no arguments of its own.
    bool takes_words = false;
    bool is_required = false;
    // Asked when a required option is not given: whether the value came from elsewhere, which this takes.
    // Throws what parse() throws.
    std::function<bool()> otherwise{};
    std::string missing{};  // the message about the missing option
    std::string needs{};    // an option without which this one has no meaning
    std::string excludes{}; // an option that must not be given together with this one
    taker take{};
};

// The words without dashes after a command.
struct arguments {
    std::string name{}; // as help calls them; empty if the command takes none
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
    std::string name{}; // with the names of those above it, `image save`; empty for the program itself
    std::string summary{};
    std::string group{}; // in the list of commands
    std::vector<option> options{};
    arguments rest{};
    std::vector<command> commands{};
    // The option, if any, that names a file of further options: TOML, whose keys are options without their
    // dashes. Options of the command line go before those of the file.
    std::string config{};
    std::string more{}; // what help adds: a title and lines of `  name  words`
    std::vector<example> examples{};
    // Returns the exit code. It is empty if one of `commands` must follow, and for a topic of help.
    std::function<int()> run{};

    // The last word of the name.
    std::string own_name() const;
    // The option whose values words without dashes are; nullptr if they are arguments, or there are none.
    const option* option_of_words() const;
    // The option with this name or letter, each with its dashes; nullptr if there is none.
    const option* option_named(std::string_view given) const;
};

// The parsed command line. Unless `help` is set, all values have been taken.
struct request {
    const command* what;
    bool help = false;
};

// `--help` and `-h` are options of every command. Throws usage_error with words in one style, `option:
// 'value' reason` or `command: reason`, and with a similar name that may have been meant.
request parse(const command& program, std::span<const std::string> words);

// The command with this name; throws usage_error if there is none.
const command& find_command(const command& program, std::span<const std::string> name);

} // namespace fingerpost::cli
