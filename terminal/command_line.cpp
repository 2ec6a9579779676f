// Parses a command line: commands first, then options and arguments in any order.
#include "terminal/command_line.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>

#include "fingerpost/base/near_name.hpp"
#include "io/format/parts/input_error.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

std::vector<std::string> names_below(const command& above) {
    std::vector<std::string> names;
    for (const command& one : above.commands)
        names.push_back(one.own_name());
    return names;
}

// How users ask for help.
std::string help_line(const command& of) {
    return of.name.empty() ? "fingerpost --help" : "fingerpost help " + of.name;
}

// The beginning of a message about a whole command.
std::string about(const command& one) {
    return one.name.empty() ? "" : one.name + ": ";
}

const command& below(const command& above, const std::string& name) {
    for (const command& one : above.commands)
        if (one.own_name() == name)
            return one;
    const std::vector<std::string> names = names_below(above);
    const std::string near = did_you_mean(name, names);
    throw usage_error(fmt::format("{}there is no command {}{}", about(above), io::quoted(name),
                                  near.empty() ? "; see " + help_line(above) : near));
}

// `-5` and `-` are values; other words that begin with a dash are options.
bool is_option(const std::string& word) {
    return word.size() > 1 && word[0] == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

class parser {
  public:
    parser(const command& program, std::span<const std::string> words) : at_(&program), words_(words) {}

    request run() {
        for (; next_ < words_.size() && !help_; ++next_)
            take(words_[next_]);
        if (!help_)
            check_whole();
        return {at_, help_};
    }

  private:
    void take(const std::string& word) {
        if (only_arguments_ || !is_option(word))
            take_word(word);
        else if (word == "--")
            only_arguments_ = true;
        else if (word == "--help" || word == "-h")
            help_ = true;
        else
            take_option(word);
    }

    void take_word(const std::string& word) {
        if (!at_->commands.empty()) {
            at_ = &below(*at_, word);
            return;
        }
        if (const option* const one = at_->option_of_words()) {
            note(*one);
            take_value(*one, word);
            return;
        }
        const arguments& rest = at_->rest;
        if (++arguments_ > rest.most)
            throw usage_error(fmt::format("{}{} is one argument too many{}", about(*at_), io::quoted(word),
                                          rest.most == 0 ? "; it takes none" : ""));
        if (const std::string reason = rest.take(word); !reason.empty())
            throw usage_error(fmt::format("{}{}", about(*at_), reason));
    }

    // `--name value`, `--name=value`, `-n value` or `-nvalue`.
    void take_option(const std::string& word) {
        const bool is_long = word[1] == '-';
        const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
        const option& one = find_option(name);
        const bool attached = name.size() != word.size();
        if (one.value.empty()) {
            if (attached)
                throw usage_error(fmt::format("{}: takes no value, but there is {}", one.name,
                                              io::quoted(word.substr(name.size()))));
            (void)one.take("");
            given_.insert(one.name);
            return;
        }
        note(one);
        if (attached)
            return take_value(one, word.substr(name.size() + (is_long ? 1 : 0)));
        if (next_ + 1 == words_.size() || is_option(words_[next_ + 1]))
            throw usage_error(fmt::format("{}: its value is missing ({})", one.name, one.value));
        take_value(one, words_[++next_]);
    }
    void note(const option& one) {
        if (!given_.insert(one.name).second && !one.may_repeat)
            throw usage_error(fmt::format("{}: given twice{}", one.name,
                                          one.is_list ? "; separate the values with commas" : ""));
    }
    void take_value(const option& one, const std::string& value) {
        const std::string reason =
            value.empty() && !one.may_be_empty ? "the value is empty" : one.take(value);
        if (!reason.empty())
            throw usage_error(fmt::format("{}: {}", one.name, reason));
    }

    const option& find_option(const std::string& name) const {
        std::vector<std::string> names = {"--help"};
        for (const option& one : at_->options) {
            if (one.name == name || (!one.former.empty() && one.former == name) ||
                (one.letter != '\0' && name == std::string{'-', one.letter}))
                return one;
            names.push_back(one.name);
        }
        const std::string near = did_you_mean(name, names);
        throw usage_error(fmt::format("{}there is no option {}{}", about(*at_), io::quoted(name),
                                      near.empty() ? "; see " + help_line(*at_) : near));
    }

    // Checks what can be judged only at the end.
    void check_whole() const {
        if (!at_->run) {
            throw usage_error(
                fmt::format("{}a command must follow: {}", about(*at_), fmt::join(names_below(*at_), ", ")));
        }
        for (const option& one : at_->options) {
            const bool given = given_.contains(one.name);
            if (one.is_required && !given && !(one.otherwise && one.otherwise()))
                throw usage_error(
                    fmt::format("{}{} {} is missing{}", about(*at_), one.name, one.value, one.missing));
            if (given && !one.needs.empty() && !given_.contains(one.needs))
                throw usage_error(fmt::format("{}: means something with {} only", one.name, one.needs));
            if (given && !one.excludes.empty() && given_.contains(one.excludes))
                throw usage_error(fmt::format("{}: cannot stand beside {}", one.name, one.excludes));
        }
        if (arguments_ < at_->rest.least)
            throw usage_error(fmt::format("{}{} is missing{}{}", about(*at_), at_->rest.name,
                                          at_->rest.choices.empty() ? "" : ": one of ",
                                          fmt::join(at_->rest.choices, ", ")));
    }

    const command* at_;
    std::span<const std::string> words_;
    std::size_t next_ = 0;
    std::size_t arguments_ = 0;
    std::set<std::string> given_;
    bool only_arguments_ = false;
    bool help_ = false;
};

} // namespace

std::string command::own_name() const {
    return name.substr(name.rfind(' ') + 1);
}

const option* command::option_of_words() const {
    const auto found =
        std::find_if(options.begin(), options.end(), [](const option& one) { return one.takes_words; });
    return rest.most == 0 && commands.empty() && found != options.end() ? &*found : nullptr;
}

request parse(const command& program, std::span<const std::string> words) {
    return parser(program, words).run();
}

const command& find_command(const command& program, std::span<const std::string> name) {
    const command* at = &program;
    for (const std::string& word : name)
        at = &below(*at, word);
    return *at;
}

} // namespace fingerpost::cli
