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
                const auto* given = in.value.as_integer();
                if (given == nullptr || !bounds.holds(given->get()))
                    return in.refuse(in.value);
                into.*target = static_cast<N>(given->get());
            },
            [=](const T& presets) { return fmt::format("{}", presets.*target); }};
}

template <class T>
kind<T> flag(bool T::*target) {
    return {"true or false",
            [=](const incoming& in, T& into) {
                if (const auto* given = in.value.as_boolean())
                    into.*target = given->get();
                else
                    in.refuse(in.value);
            },
            [=](const T& presets) { return presets.*target ? "true" : "false"; }};
}

template <class T>
kind<T> text(std::string T::*target, std::string type, text_check check) {
    return {std::move(type),
            [target, check = std::move(check)](const incoming& in, T& into) {
                const auto* given = in.value.as_string();
                if (given == nullptr)
                    return in.refuse(in.value);
                if (const std::string fault = check(given->get()); !fault.empty())
                    return in.refuse(in.value, fault);
                into.*target = given->get();
            },
            [target](const T& presets) { return "\"" + presets.*target + "\""; }};
}

template <class T, class E>
kind<T> choice(E T::*target, std::vector<std::pair<std::string, E>> choices) {
    std::vector<std::string> names;
    for (const auto& one : choices)
        names.push_back('"' + one.first + '"');
    return {fmt::format("{}", fmt::join(names, " or ")),
            [=](const incoming& in, T& into) {
                for (const auto& [name, meant] : choices)
                    if (const auto* given = in.value.as_string(); given != nullptr && given->get() == name) {
                        into.*target = meant;
                        return;
                    }
                in.refuse(in.value);
            },
            [=](const T& presets) {
                const auto found = std::find_if(choices.begin(), choices.end(), [&](const auto& one) {
                    return one.second == presets.*target;
                });
                return '"' + found->first + '"';
            }};
}

template <class T>
kind<T> time(std::chrono::milliseconds T::*target, std::chrono::milliseconds least,
             std::chrono::milliseconds most) {
    return {fmt::format("a time from \"{}\" to \"{}\", as a number with ms, s, m or h", to_text(least),
                        to_text(most)),
            [=](const incoming& in, T& into) {
                const auto* given = in.value.as_string();
                const auto parsed = given == nullptr ? std::nullopt : parse_time(given->get());
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
                std::vector<unsigned> taken;
                for (const toml::node& one : *list) {
                    const auto* given = one.as_integer();
                    if (given == nullptr || !each.holds(given->get())) {
                        in.refuse(one);
                        continue;
                    }
                    const auto plain = static_cast<unsigned>(given->get());
                    if (distinct && std::find(taken.begin(), taken.end(), plain) != taken.end())
                        in.refuse(one, "it has that twice");
                    taken.push_back(plain);
                }
                into.*target = std::move(taken);
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
                std::vector<V>& taken = into.*target;
                taken.clear();
                for (const toml::node& one : *list) {
                    const auto* given = one.as_string();
                    if (given == nullptr) {
                        in.refuse(one);
                        continue;
                    }
                    if (auto meant = parse(given->get())) {
                        in.found.remember(fmt::format("{}.{}", in.path, taken.size()),
                                          place_of(one.source()));
                        taken.push_back(std::move(*meant));
                    } else {
                        in.refuse(one, meant.error());
                    }
                }
            },
            [target](const T& from) {
                std::vector<std::string> all;
                for (const V& one : from.*target)
                    if constexpr (std::is_same_v<V, std::string>)
                        all.push_back('"' + one + '"');
                    else
                        all.push_back('"' + to_text(one) + '"');
                return fmt::format("[{}]", fmt::join(all, ", "));
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
                keys.tell(name, from.*target, into);
            }};
}

// `[[name]]`, any number of times. Each has a name, which is part of the full keys of its values.
template <class T, class S>
kind<T> sections(std::vector<S> T::*target, const key_set<S>& keys) {
    return {"one section or more, each begun by its name in [[double brackets]]",
            [=](const incoming& in, T& into) {
                const auto* list = in.value.as_array();
                if (list == nullptr)
                    return in.refuse(in.value);
                for (const toml::node& one : *list) {
                    const auto* table = one.as_table();
                    if (table == nullptr) {
                        in.refuse(one);
                        continue;
                    }
                    S& added = (into.*target).emplace_back();
                    const std::string path = fmt::format("{}.{}", in.path, (into.*target).size() - 1);
                    in.found.remember(path, place_of(one.source()));
                    keys.read(*table, {one, in.key, path, in.type, in.found, in.elsewhere}, added);
                }
            },
            {},
            [=](const std::string& name, std::vector<key_facts>& into) { keys.list(name, into); },
            [=](const std::string& name, const T& from, std::vector<setting>& into) {
                for (const S& one : from.*target)
                    keys.tell(name + "." + one.name, one, into);
            }};
}

} // namespace fingerpost::router
