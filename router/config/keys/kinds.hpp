// The kinds of values that a key can have, each with a description of the allowed values: numbers, flags,
// texts, choices, times, lists, sections.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "router/config/keys/config_key.hpp"

namespace fingerpost::router {

struct number_bounds {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    bool power_of_two = false;

    bool holds(std::int64_t number) const noexcept;
    std::string to_text() const;
};

// Converts text to milliseconds: a whole number followed by a unit (ms, s, m, h). Returns nothing if it is
// invalid.
std::optional<std::chrono::milliseconds> parse_time(std::string_view text) noexcept;
std::string to_text(std::chrono::milliseconds time);

// Returns the reason why a text is invalid, or an empty text.
using text_check = std::function<std::string(const std::string&)>;

template <class T, class N>
kind<T> number(N T::*target, number_bounds bounds) {
    return {bounds.to_text(),
            [=](const incoming& in, T& into) {
                const auto* number = in.value.as_integer();
                if (number == nullptr || !bounds.holds(number->get()))
                    return in.refuse(in.value);
                into.*target = static_cast<N>(number->get());
            },
            [=](const T& presets) { return fmt::format("{}", presets.*target); }};
}

template <class T>
kind<T> flag(bool T::*target) {
    return {"true or false",
            [=](const incoming& in, T& into) {
                if (const auto* flag = in.value.as_boolean())
                    into.*target = flag->get();
                else
                    in.refuse(in.value);
            },
            [=](const T& presets) { return presets.*target ? "true" : "false"; }};
}

template <class T>
kind<T> text(std::string T::*target, std::string type, text_check check) {
    return {std::move(type),
            [target, check = std::move(check)](const incoming& in, T& into) {
                const auto* text = in.value.as_string();
                if (text == nullptr)
                    return in.refuse(in.value);
                if (const std::string fault = check(text->get()); !fault.empty())
                    return in.refuse(in.value, fault);
                into.*target = text->get();
            },
            [target](const T& presets) { return "\"" + presets.*target + "\""; }};
}

template <class T, class E>
kind<T> choice(E T::*target, std::vector<std::pair<std::string, E>> choices) {
    std::vector<std::string> names;
    for (const auto& option : choices)
        names.push_back('"' + option.first + '"');
    return {fmt::format("{}", fmt::join(names, " or ")),
            [=](const incoming& in, T& into) {
                for (const auto& [name, value] : choices)
                    if (const auto* text = in.value.as_string(); text != nullptr && text->get() == name) {
                        into.*target = value;
                        return;
                    }
                in.refuse(in.value);
            },
            [=](const T& presets) {
                const auto match = std::find_if(choices.begin(), choices.end(), [&](const auto& option) {
                    return option.second == presets.*target;
                });
                return '"' + match->first + '"';
            }};
}

template <class T>
kind<T> time(std::chrono::milliseconds T::*target, std::chrono::milliseconds least,
             std::chrono::milliseconds most) {
    return {fmt::format("a time from \"{}\" to \"{}\", as a number with ms, s, m or h", to_text(least),
                        to_text(most)),
            [=](const incoming& in, T& into) {
                const auto* text = in.value.as_string();
                const auto parsed = text == nullptr ? std::nullopt : parse_time(text->get());
                if (!parsed || *parsed < least || *parsed > most)
                    return in.refuse(in.value);
                into.*target = *parsed;
            },
            [=](const T& presets) { return '"' + to_text(presets.*target) + '"'; }};
}

// Numbers in the order of the file. With `distinct`, repetitions are errors.
template <class T>
kind<T> numbers(std::vector<unsigned> T::*target, number_bounds each, bool distinct) {
    return {fmt::format("a list of whole numbers from {} to {}{}", each.least, each.most,
                        distinct ? ", each once" : ""),
            [=](const incoming& in, T& into) {
                const auto* list = in.value.as_array();
                if (list == nullptr)
                    return in.refuse(in.value);
                std::vector<unsigned> numbers;
                for (const toml::node& item : *list) {
                    const auto* number = item.as_integer();
                    if (number == nullptr || !each.holds(number->get())) {
                        in.refuse(item);
                        continue;
                    }
                    const auto plain = static_cast<unsigned>(number->get());
                    if (distinct && std::find(numbers.begin(), numbers.end(), plain) != numbers.end())
                        in.refuse(item, "it is listed twice");
                    numbers.push_back(plain);
                }
                into.*target = std::move(numbers);
            },
            [=](const T& from) { return fmt::format("[{}]", fmt::join(from.*target, ", ")); },
            {},
            {},
            true};
}

// Texts, each parsed to a V that to_text() formats. Messages name the wrong text, and the report remembers
// the place of each.
template <class T, class V>
kind<T> texts(std::vector<V> T::*target, std::string type,
              std::function<expected<V, std::string>(const std::string&)> parse) {
    return {std::move(type),
            [target, parse = std::move(parse)](const incoming& in, T& into) {
                const auto* list = in.value.as_array();
                if (list == nullptr)
                    return in.refuse(in.value);
                std::vector<V>& values = into.*target;
                values.clear();
                for (const toml::node& item : *list) {
                    const auto* text = item.as_string();
                    if (text == nullptr) {
                        in.refuse(item);
                        continue;
                    }
                    if (auto value = parse(text->get())) {
                        in.findings.remember(fmt::format("{}.{}", in.path, values.size()),
                                             place_of(item.source()));
                        values.push_back(std::move(*value));
                    } else {
                        in.refuse(item, value.error());
                    }
                }
            },
            [target](const T& from) {
                std::vector<std::string> texts;
                for (const V& value : from.*target)
                    if constexpr (std::is_same_v<V, std::string>)
                        texts.push_back('"' + value + '"');
                    else
                        texts.push_back('"' + to_text(value) + '"');
                return fmt::format("[{}]", fmt::join(texts, ", "));
            },
            {},
            {},
            true};
}

template <class T, class S>
kind<T> section(S T::*target, const key_set<S>& keys) {
    return {"a section",
            [=](const incoming& in, T& into) {
                if (const auto* table = in.value.as_table())
                    keys.read(*table, in, into.*target);
                else
                    in.refuse(in.value);
            },
            {},
            [=](const std::string& name, std::vector<key_facts>& into) { keys.list(name, into); },
            [=](const std::string& name, const T& from, std::vector<setting>& into) {
                keys.list_values(name, from.*target, into);
            }};
}

// `[[name]]`, any number of times. Each has a name, which is part of the full keys of its values.
template <class T, class S>
kind<T> sections(std::vector<S> T::*target, const key_set<S>& keys) {
    return {"one or more sections, each headed by its name in [[double brackets]]",
            [=](const incoming& in, T& into) {
                const auto* list = in.value.as_array();
                if (list == nullptr)
                    return in.refuse(in.value);
                for (const toml::node& item : *list) {
                    const auto* table = item.as_table();
                    if (table == nullptr) {
                        in.refuse(item);
                        continue;
                    }
                    S& added = (into.*target).emplace_back();
                    const std::string path = fmt::format("{}.{}", in.path, (into.*target).size() - 1);
                    in.findings.remember(path, place_of(item.source()));
                    keys.read(*table, {item, in.key, path, in.type, in.findings, in.elsewhere}, added);
                }
            },
            {},
            [=](const std::string& name, std::vector<key_facts>& into) { keys.list(name, into); },
            [=](const std::string& name, const T& from, std::vector<setting>& into) {
                for (const S& entry : from.*target)
                    keys.list_values(name + "." + entry.name, entry, into);
            }};
}

} // namespace fingerpost::router
