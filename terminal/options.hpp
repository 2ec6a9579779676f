// Creates options with checked values and uniform messages.
//
// Each function adds one option to a command and returns it, so that the caller can set more members: a
// letter, `is_required`, another `preset`. Targets must outlive parsing. Their initial values are the
// defaults in help.
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

// Reads a whole number. Returns an explanation if it is invalid or out of range; otherwise an empty text.
std::string read_number(const std::string& text, number_range range, std::uint64_t& target);
// Reads a finite number with or without a fraction.
std::string read_real(const std::string& text, double least, double most, double& target);
// Returns why a name is none of these; empty if it is one of them.
std::string refuse_name(const std::string& name, std::span<const std::string> names);
// Cuts `a,b,c` at the commas. Returns an explanation if there is nothing between two commas.
std::string read_list(const std::string& text, std::vector<std::string>& target);

// Renamed options accept their former names for one version; help does not show these. Returns the words that
// a former name stands for. Returns nothing if the command has an option of this name, and for unknown names.
std::optional<std::string_view> present_words(const command& target, std::string_view name);

option& add_flag(command& parent, std::string name, bool& target, std::string help);
option& add_file(command& parent, std::string name, std::string& target, std::string help);
// --output, -o.
option& add_output(command& parent, std::string& target,
                   std::string help = "Write to FILE instead of stdout");
option& add_text(command& parent, std::string name, std::string value, std::string& target, std::string help);
option& add_real(command& parent, std::string name, double& target, double least, double most,
                 std::string help);
// Reads a listed or a hidden name, which becomes the listed one. Returns an explanation for others.
using name_reader = std::function<std::string(std::string& name, std::span<const std::string> names)>;
// The value is one of these names.
option& add_name(command& parent, std::string name, std::string& target, std::vector<std::string> names,
                 std::string help, name_reader read = refuse_name);
// The value is one or more of these names, separated by commas.
option& add_names(command& parent, std::string name, std::vector<std::string>& target,
                  std::vector<std::string> names, std::string help, name_reader read = refuse_name);
// Words without dashes, which are appended to `target`.
void add_arguments(command& parent, std::string name, std::vector<std::string>& target, std::string help,
                   number_range count);
// --format: text or JSON.
option& add_json(command& parent, bool& is_json, std::string help = "Output format");
// The value is `4` or `6`.
option& add_family(command& parent, unsigned& target, std::string help);

// Adds an option with a special value. `facts` describes the option.
option& add_option(command& parent, option facts);

template <class T>
option& add_number(command& parent, std::string name, T& target, number_range range, std::string help) {
    return add_option(parent, {.name = std::move(name),
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
option& add_numbers(command& parent, std::string name, std::vector<T>& target, number_range range,
                    std::string help) {
    return add_option(parent, {.name = std::move(name),
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

// The value is one of these names; `target` is set to the value that belongs to it.
template <class T>
option& add_choice(command& parent, std::string name, T& target,
                   std::vector<std::pair<std::string, T>> choices, std::string help) {
    std::vector<std::string> names;
    std::string preset;
    for (const auto& [word, value] : choices) {
        names.push_back(word);
        if (value == target)
            preset = word;
    }
    return add_option(parent,
                      {.name = std::move(name),
                       .value = fmt::format("{}", fmt::join(names, "|")),
                       .help = std::move(help),
                       .preset = std::move(preset),
                       .choices = names,
                       .take = [&target, names, choices = std::move(choices)](const std::string& text) {
                           for (const auto& [word, value] : choices)
                               if (word == text)
                                   target = value;
                           return refuse_name(text, names);
                       }});
}

} // namespace fingerpost::cli
