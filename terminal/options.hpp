// Makes options with checked values and uniform messages.
//
// Each function adds one option to a command and returns it, so that the caller can set more: a letter,
// `is_required`, another `preset`. Targets must outlive parsing; their initial value is the default that help
// shows.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "terminal/command_line.hpp"

namespace fingerpost::cli {

// Both ends are included.
struct number_range {
    std::uint64_t least = 0;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

// Reads a whole number. Returns the reason, in words, if it is invalid or out of range, else an empty text.
std::string read_number(const std::string& text, number_range range, std::uint64_t& into);
// Reads a finite number with or without a fraction.
std::string read_real(const std::string& text, double least, double most, double& into);
// Why a name is none of these; empty if it is one of them.
std::string refuse_name(const std::string& name, std::span<const std::string> names);
// Cuts `a,b,c` at the commas. Returns the reason, in words, if there is nothing between two commas.
std::string read_list(const std::string& text, std::vector<std::string>& into);

// Options that were renamed are known by their former names for one version, which help does not show.
// Returns the words that a former name stands for; nothing for a name that the command has, and for an
// unknown one.
std::optional<std::string_view> present_words(const command& of, std::string_view given);

option& add_flag(command& to, std::string name, bool& target, std::string help);
option& add_file(command& to, std::string name, std::string& target, std::string help);
// --output, -o.
option& add_output(command& to, std::string& target, std::string help = "Write to FILE instead of stdout");
option& add_text(command& to, std::string name, std::string value, std::string& target, std::string help);
option& add_real(command& to, std::string name, double& target, double least, double most, std::string help);
// Reads one of these names, or one that is known but not shown, which becomes the shown one. Returns the
// reason, in words, if it is none of them.
using name_reader = std::function<std::string(std::string& name, std::span<const std::string> names)>;
// The value is one of these names.
option& add_name(command& to, std::string name, std::string& target, std::vector<std::string> names,
                 std::string help, name_reader read = refuse_name);
// The value is some of these names, separated by commas.
option& add_names(command& to, std::string name, std::vector<std::string>& target,
                  std::vector<std::string> names, std::string help, name_reader read = refuse_name);
// Words without dashes, which are added to `target`.
void add_arguments(command& to, std::string name, std::vector<std::string>& target, std::string help,
                   number_range count);
// --format: text or JSON.
option& add_json(command& to, bool& is_json, std::string help = "Output format");
// `4` or `6`.
option& add_family(command& to, unsigned& target, std::string help);

// For options with special values: `facts` has everything except what its value does.
option& add_option(command& to, option facts);

template <class T>
option& add_number(command& to, std::string name, T& target, number_range range, std::string help) {
    return add_option(to, {.name = std::move(name),
                           .value = "N",
                           .help = std::move(help),
                           .preset = fmt::format("{}", target),
                           .is_number = true,
                           .take = [&target, range](const std::string& text) {
                               std::uint64_t number = 0;
                               std::string reason = read_number(text, range, number);
                               if (reason.empty())
                                   target = static_cast<T>(number);
                               return reason;
                           }});
}

template <class T>
option& add_numbers(command& to, std::string name, std::vector<T>& target, number_range range,
                    std::string help) {
    return add_option(to, {.name = std::move(name),
                           .value = "N,...",
                           .help = std::move(help),
                           .preset = fmt::format("{}", fmt::join(target, ",")),
                           .is_list = true,
                           .is_number = true,
                           .take = [&target, range](const std::string& text) {
                               std::vector<std::string> parts;
                               std::string reason = read_list(text, parts);
                               std::vector<T> numbers;
                               for (std::size_t i = 0; i < parts.size() && reason.empty(); ++i) {
                                   std::uint64_t number = 0;
                                   reason = read_number(parts[i], range, number);
                                   numbers.push_back(static_cast<T>(number));
                               }
                               if (reason.empty())
                                   target = std::move(numbers);
                               return reason;
                           }});
}

// Returns the value that belongs to one of these names.
template <class T>
option& add_choice(command& to, std::string name, T& target, std::vector<std::pair<std::string, T>> choices,
                   std::string help) {
    std::vector<std::string> names;
    std::string preset;
    for (const auto& [word, value] : choices) {
        names.push_back(word);
        if (value == target)
            preset = word;
    }
    return add_option(to, {.name = std::move(name),
                           .value = fmt::format("{}", fmt::join(names, "|")),
                           .help = std::move(help),
                           .preset = std::move(preset),
                           .choices = names,
                           .take = [&target, names, choices = std::move(choices)](const std::string& given) {
                               for (const auto& [word, value] : choices)
                                   if (word == given)
                                       target = value;
                               return refuse_name(given, names);
                           }});
}

} // namespace fingerpost::cli
