// Describes the keys of the configuration file: name, allowed values, and the struct member that a key sets.
// Reading, messages and the documentation's table all use this description, so they cannot differ.
//
// A key_set<T> contains the keys of one section, which fill a T. A key can itself be a section.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <toml++/toml.h>
#include <utility>
#include <vector>

#include "router/config/keys/key_facts.hpp"
#include "router/config/keys/report.hpp"

namespace fingerpost::router {

place place_of(const toml::source_region& region) noexcept;

// A value as messages show it: short, on one line, with its type if the type is wrong.
std::string shown(const toml::node& value);

// A value that is being read: its key, the allowed values, and the report for its errors.
struct incoming {
    const toml::node& value;
    std::string key;         // shown in messages: `port.mtu`
    std::string path;        // for report::remember(): `port.0.mtu`
    const std::string& type; // the allowed values
    report& findings;
    const std::vector<std::string>&
        elsewhere; // full names of all keys, to recognise a key in the wrong section

    // `culprit` is the value or a part of it. `reason` adds what the list of allowed values does not explain.
    void refuse(const toml::node& culprit, std::string_view reason = {}) const;
};

// A key's full name and its value, both written as in the file: `port.lan.mtu`, `1500`.
struct setting {
    std::string key;
    std::string value;

    friend bool operator==(const setting&, const setting&) = default;
};

// Reads a value into a T.
template <class T>
struct kind {
    std::string type;
    std::function<void(const incoming&, T&)> take;
    std::function<std::string(const T&)>
        show; // the value; for default-constructed values the documented default
    std::function<void(const std::string&, std::vector<key_facts>&)> list{}; // for sections: lists their keys
    // For sections: lists their values.
    std::function<void(const std::string&, const T&, std::vector<setting>&)> list_values{};
    bool is_list = false;
};

template <class T>
struct key {
    std::string name;
    kind<T> what;
    std::string meaning;
    bool required = false;
};

// Report unknown keys, and sections without a required key.
void refuse_unknown(const toml::key& unknown, const std::string& section,
                    const std::vector<std::string>& known, const incoming& at);
void refuse_missing(const toml::node& section, const std::string& key, const std::string& type,
                    report& findings);

template <class T>
class key_set {
  public:
    key_set(std::initializer_list<key<T>> keys) : keys_(keys) {}
    explicit key_set(std::vector<key<T>> keys) : keys_(std::move(keys)) {}

    void read(const toml::table& from, const incoming& at, T& into) const {
        update(from, at, into);
        for (const key<T>& required : keys_)
            if (required.required && !from.contains(required.name))
                refuse_missing(from, joined(at.key, required.name), required.what.type, at.findings);
    }

    // Reads only the keys that are present and leaves the rest of `into` unchanged.
    void update(const toml::table& from, const incoming& at, T& into) const {
        for (const auto& [name, value] : from) {
            const key<T>* const known = find(name.str());
            if (known == nullptr) {
                refuse_unknown(name, at.key, names(), at);
                continue;
            }
            incoming inner{value,
                           joined(at.key, known->name),
                           joined(at.path, known->name),
                           known->what.type,
                           at.findings,
                           at.elsewhere};
            at.findings.remember(inner.path, place_of(value.source()));
            known->what.take(inner, into);
        }
    }

    void list(const std::string& section, std::vector<key_facts>& into) const {
        const T presets{};
        for (const key<T>& entry : keys_) {
            const std::string name = joined(section, entry.name);
            if (entry.what.list)
                entry.what.list(name, into);
            else
                into.push_back({name, entry.what.type, entry.required ? "" : entry.what.show(presets),
                                entry.meaning, entry.what.is_list});
        }
    }

    // All values, in the order of the keys.
    void list_values(const std::string& section, const T& from, std::vector<setting>& into) const {
        for (const key<T>& entry : keys_) {
            const std::string name = joined(section, entry.name);
            if (entry.what.list_values)
                entry.what.list_values(name, from, into);
            else
                into.push_back({name, entry.what.show(from)});
        }
    }

    static std::string joined(const std::string& section, const std::string& name) {
        return section.empty() ? name : section + "." + name;
    }

  private:
    const key<T>* find(std::string_view name) const {
        for (const key<T>& entry : keys_)
            if (entry.name == name)
                return &entry;
        return nullptr;
    }
    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const key<T>& entry : keys_)
            result.push_back(entry.name);
        return result;
    }

    std::vector<key<T>> keys_;
};

} // namespace fingerpost::router
