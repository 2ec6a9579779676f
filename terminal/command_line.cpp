// Parses a command line: commands first, then options and arguments in any order.
#include "terminal/command_line.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "fingerpost/base/near_name.hpp"
#include "io/format/parts/input_error.hpp"
#include "terminal/config/config_file.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

std::vector<std::string> names_below(const command& above) {
    std::vector<std::string> names;
    for (const command& inner : above.commands)
        names.push_back(inner.own_name());
    return names;
}

// Returns the command that prints help.
std::string help_line(const command& target) {
    return target.name.empty() ? "fingerpost --help" : "fingerpost help " + target.name;
}

// Returns the beginning of a message about a command.
std::string about(const command& target) {
    return target.name.empty() ? "" : target.name + ": ";
}

const command& below(const command& above, const std::string& name) {
    for (const command& target : above.commands)
        if (target.own_name() == name)
            return target;
    const std::vector<std::string> names = names_below(above);
    const std::string near = did_you_mean(name, names);
    throw usage_error(fmt::format("{}unknown command {}{}", about(above), io::quoted(name),
                                  near.empty() ? "; see " + help_line(above) : near));
}

// `-5` and `-` are values. Other words that begin with a dash are options.
bool is_option(const std::string& word) {
    return word.size() > 1 && word[0] == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

// Takes the options in a file.
class config_taker {
  public:
    // `used_options`: the options of the command line, to which those of the file are added.
    config_taker(const command& target, std::set<std::string>& used_options)
        : command_(target), used_options_(used_options) {}

    void take(const std::string& path) {
        auto read = read_config(path);
        if (!read)
            throw usage_error(read.error());
        path_ = path;
        std::vector<std::pair<const option*, config_key>> entries;
        for (config_key& key : *read) {
            const option& entry = find(key);
            check(entry, key);
            if (!is_decided(entry))
                entries.emplace_back(&entry, std::move(key));
        }
        // In the order of the options, and by turns, because each --on follows its --join.
        std::sort(entries.begin(), entries.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        bool goes_on = true;
        for (std::size_t turn = 0; std::exchange(goes_on, false); ++turn)
            for (const auto& [entry, key] : entries)
                if (turn < key.values.size()) {
                    goes_on = true;
                    take_value(*entry, key, key.values[turn]);
                }
    }

  private:
    [[noreturn]] void refuse(std::size_t line, const std::string& text) const {
        throw usage_error(fmt::format("{}:{}: {}", path_, line, text));
    }

    const option& find(const config_key& key) const {
        const std::string name = "--" + key.name;
        const option* const match = command_.option_named(present_words(command_, name).value_or(name));
        if (match != nullptr && match->name != command_.config)
            return *match;
        std::vector<std::string> names;
        for (const option& entry : command_.options)
            if (entry.name != command_.config)
                names.push_back(entry.name.substr(2));
        const std::string near = did_you_mean(key.name, names);
        refuse(key.line,
               fmt::format("unknown key {}{}", io::quoted(key.name),
                           near.empty() ? "; keys are the options in " + help_line(command_) : near));
    }

    // An integer may be used for a text that is one of a few, as in `family = 4`.
    static bool is_right(const option& target, const config_value& value) {
        if (target.value.empty())
            return value.kind == config_kind::truth;
        if (target.is_number)
            return value.kind == config_kind::number;
        return value.kind == config_kind::text ||
               (value.kind == config_kind::number &&
                std::find(target.choices.begin(), target.choices.end(), value.text) != target.choices.end());
    }

    void check(const option& target, config_key& key) const {
        const bool may_be_list = target.may_repeat || target.is_list;
        const char* const expected = target.value.empty() ? "true or false"
                                     : target.is_number   ? "a number"
                                                          : "a string";
        const auto bad_value =
            std::find_if(key.values.begin(), key.values.end(),
                         [&](const config_value& value) { return !is_right(target, value); });
        if (bad_value != key.values.end() || (key.is_list && !may_be_list))
            refuse(bad_value != key.values.end() ? bad_value->line : key.line,
                   fmt::format("{} must be {}{}", key.name, expected,
                               may_be_list ? ", or an array of them" : ""));
        // A flag that is false is like a missing one.
        if (target.value.empty() && key.values.front().text == "false")
            key.values.clear();
        if (target.is_list && !target.may_repeat && key.values.size() > 1) {
            for (std::size_t i = 1; i < key.values.size(); ++i)
                key.values.front().text += ',' + key.values[i].text;
            key.values.resize(1);
        }
    }

    // Whether the command line has this option, one that excludes it, or the other one of its pair.
    bool is_decided(const option& target) const {
        return std::any_of(command_.options.begin(), command_.options.end(), [&](const option& other) {
            const bool is_pair = target.needs == other.name && other.needs == target.name;
            const bool excludes = target.excludes == other.name || other.excludes == target.name;
            return used_options_.contains(other.name) && (&other == &target || is_pair || excludes);
        });
    }

    void take_value(const option& target, const config_key& key, const config_value& value) {
        const std::string reason =
            value.text.empty() && !target.may_be_empty ? "the value is empty" : target.take(value.text);
        if (!reason.empty())
            refuse(value.line, fmt::format("{}: {}", key.name, reason));
        used_options_.insert(target.name);
    }

    const command& command_;
    std::set<std::string>& used_options_;
    std::string path_;
};

class parser {
  public:
    parser(const command& program, std::span<const std::string> words) : at_(&program), words_(words) {}

    request run() {
        for (; next_ < words_.size() && !help_; ++next_)
            take(words_[next_]);
        if (!help_) {
            if (!config_.empty())
                config_taker(*at_, used_options_).take(config_);
            check_whole();
        }
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
        if (const option* const target = at_->option_of_words()) {
            record(*target);
            take_value(*target, word);
            return;
        }
        const arguments& rest = at_->rest;
        if (++arguments_ > rest.most)
            throw usage_error(
                rest.most == 0
                    ? fmt::format("{}takes no arguments, but there is {}", about(*at_), io::quoted(word))
                    : fmt::format("{}{} is one argument too many", about(*at_), io::quoted(word)));
        if (const std::string reason = rest.take(word); !reason.empty())
            throw usage_error(fmt::format("{}{}", about(*at_), reason));
    }

    // Forms: `--name value`, `--name=value`, `-n value`, `-nvalue`, or `-ab` for the flags `-a` and `-b`.
    void take_option(const std::string& word) {
        const bool is_long = word[1] == '-';
        const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
        if (const auto present = present_words(*at_, name)) {
            const std::size_t blank = present->rfind(' ');
            if (blank != present->npos)
                take_option(std::string(present->substr(0, blank)));
            return take_option(std::string(present->substr(blank + 1)) + word.substr(name.size()));
        }
        const option& target = find_option(name);
        const bool attached = name.size() != word.size();
        if (target.value.empty()) {
            if (attached && is_long)
                throw usage_error(fmt::format("{} takes no value, but there is {}", target.name,
                                              io::quoted(word.substr(name.size()))));
            (void)target.take("");
            used_options_.insert(target.name);
            if (attached)
                take_option('-' + word.substr(name.size()));
            return;
        }
        record(target);
        if (attached)
            return take_value(target, word.substr(name.size() + (is_long ? 1 : 0)));
        if (next_ + 1 == words_.size() || is_option(words_[next_ + 1]))
            throw usage_error(fmt::format("{} needs a value: {}", target.name, target.value));
        take_value(target, words_[++next_]);
    }
    void record(const option& target) {
        if (!used_options_.insert(target.name).second && !target.may_repeat)
            throw usage_error(fmt::format("{} is given twice{}", target.name,
                                          target.is_list ? "; separate the values with commas" : ""));
    }
    void take_value(const option& target, const std::string& value) {
        const std::string reason =
            value.empty() && !target.may_be_empty ? "the value is empty" : target.take(value);
        if (!reason.empty())
            throw usage_error(fmt::format("{}: {}", target.name, reason));
        if (target.name == at_->config)
            config_ = value;
    }

    const option& find_option(const std::string& name) const {
        if (const option* const match = at_->option_named(name))
            return *match;
        std::vector<std::string> names = {"--help"};
        for (const option& other : at_->options)
            names.push_back(other.name);
        const std::string near = did_you_mean(name, names);
        throw usage_error(fmt::format("{}unknown option {}{}", about(*at_), io::quoted(name),
                                      near.empty() ? "; see " + help_line(*at_) : near));
    }

    // Checks that are only possible at the end.
    void check_whole() const {
        if (!at_->run) {
            throw usage_error(
                fmt::format("{}missing subcommand: {}", about(*at_), fmt::join(names_below(*at_), ", ")));
        }
        for (const option& target : at_->options) {
            const bool is_set = used_options_.contains(target.name);
            if (target.is_required && !is_set && !(target.otherwise && target.otherwise()))
                throw usage_error(fmt::format(
                    "{}{}", about(*at_), target.missing.empty() ? "missing " + target.name : target.missing));
            if (is_set && !target.needs.empty() && !used_options_.contains(target.needs))
                throw usage_error(fmt::format("{} needs {}", target.name, target.needs));
            if (is_set && !target.excludes.empty() && used_options_.contains(target.excludes))
                throw usage_error(fmt::format("{} cannot be used with {}", target.name, target.excludes));
        }
        if (arguments_ < at_->rest.least)
            throw usage_error(fmt::format("{}missing {}{}{}", about(*at_), at_->rest.name,
                                          at_->rest.choices.empty() ? "" : ": ",
                                          fmt::join(at_->rest.choices, ", ")));
    }

    const command* at_;
    std::span<const std::string> words_;
    std::size_t next_ = 0;
    std::size_t arguments_ = 0;
    std::set<std::string> used_options_;
    std::string config_; // file with further options; empty if there is none
    bool only_arguments_ = false;
    bool help_ = false;
};

} // namespace

std::string command::own_name() const {
    return name.substr(name.rfind(' ') + 1);
}

const option* command::option_of_words() const {
    const auto match = std::find_if(options.begin(), options.end(),
                                    [](const option& candidate) { return candidate.takes_words; });
    return rest.most == 0 && commands.empty() && match != options.end() ? &*match : nullptr;
}

const option* command::option_named(std::string_view form) const {
    const auto match = std::find_if(options.begin(), options.end(), [&](const option& candidate) {
        return candidate.name == form ||
               (candidate.letter != '\0' && form == std::string{'-', candidate.letter});
    });
    return match == options.end() ? nullptr : &*match;
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
