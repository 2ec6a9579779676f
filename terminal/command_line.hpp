// What can stand on the command line: commands with their options, told once, in cli/<command>.cpp. Parsing,
// help and completion all read it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fingerpost::cli {

// Takes a value as it was given, not empty; returns why not, in words, or nothing when it is fine.
using taker = std::function<std::string(const std::string& value)>;

// terminal/options.hpp makes options whose values are checked; none is filled in by hand.
struct option {
    std::string name{};   // with its dashes
    std::string former{}; // a name that it had before, which is taken and not shown
    char letter = '\0';   // of the short form
    std::string value{};  // what help calls the value, `FILE`; empty for a flag
    std::string help{};
    std::string preset{};               // what holds when it is not given, as help tells it
    std::vector<std::string> choices{}; // the values that there are, where they can be listed
    bool is_list = false;               // values are separated by commas
    bool may_repeat = false;            // may be given several times
    bool is_file = false;
    bool is_required = false;
    std::string needs{};    // the option without which this one means nothing
    std::string excludes{}; // the option that it cannot stand beside
    taker take{};
};

// What stands without dashes behind a command.
struct arguments {
    std::string name{}; // as help calls them; empty when a command takes none
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
    std::string name{}; // with the names of those above it, `bench lookup`; empty for the program itself
    std::string summary{};
    std::vector<option> options{};
    arguments rest{};
    std::vector<command> commands{};
    std::string more{}; // what help adds: a title and lines of `  name  words`
    std::vector<example> examples{};
    std::function<int()> run{}; // returns the exit code; empty where one of `commands` must follow

    // The last word of the name.
    std::string own_name() const;
};

// What was asked for. Without `help`, all values have been taken.
struct request {
    const command* what;
    bool help = false;
};

// `--help` and `-h` are options of every command. Throws usage_error in the words of one style:
// `option: 'value' reason` or `command: reason`, with the near name that may have been meant.
request parse(const command& program, std::span<const std::string> words);

// The command of this name; throws usage_error when there is none.
const command& find_command(const command& program, std::span<const std::string> name);

} // namespace fingerpost::cli
