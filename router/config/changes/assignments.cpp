// Turns each assignment into the part of a configuration file that it stands for, and reads that.
#include "router/config/changes/assignments.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "fingerpost/base/near_name.hpp"
#include "router/config/changes/settings.hpp"
#include "router/config/config_keys.hpp"
#include "router/config/cross_checks.hpp"

namespace fingerpost::router {
namespace {

enum class assigned : std::uint8_t { whole, more, less };

struct assignment {
    std::string key;
    assigned how = assigned::whole;
    std::string value;
};

std::optional<assignment> split(const std::string& text) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0)
        return std::nullopt;
    const char sign = text[at - 1];
    const assigned how = sign == '+' ? assigned::more : sign == '-' ? assigned::less : assigned::whole;
    return assignment{text.substr(0, how == assigned::whole ? at : at - 1), how, text.substr(at + 1)};
}

// A key of a port contains the port's name, which may contain dots.
struct port_key {
    std::string port;
    std::string key;
};
std::optional<port_key> as_port_key(const std::string& key) {
    constexpr std::string_view section = "port.";
    const std::size_t last = key.rfind('.');
    if (!key.starts_with(section) || last < section.size())
        return std::nullopt;
    return port_key{key.substr(section.size(), last - section.size()), key.substr(last + 1)};
}

// Parses a value as it would stand in the file. Text that is not valid TOML, such as `poptrie`, is taken as a
// string.
toml::table parsed(const std::string& text) {
    try {
        toml::table read = toml::parse("value = " + text);
        if (read.size() == 1 && !read.begin()->second.is_date() && !read.begin()->second.is_time())
            return read;
    } catch (const toml::parse_error&) {
        // Fall back to a string.
    }
    return toml::table{{"value", text}};
}

toml::array parsed_list(const std::string& text) {
    toml::table whole = parsed(text);
    if (toml::array* const list = whole["value"].as_array())
        return std::move(*list);
    toml::array items;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        toml::table item = parsed(text.substr(from, comma - from));
        item["value"].visit([&](auto& item) { items.push_back(std::move(item)); });
        from = comma + 1;
    }
    return items;
}

std::string text_of(const toml::node& value) {
    if (const auto* const text = value.as_string())
        return text->get();
    return shown(value);
}

class assigner {
  public:
    assigner(const config& base, const report& read, std::span<const std::string> schemes)
        : keys_(keys_of_config(schemes)), ports_(keys_of_port()), facts_(known_keys()), file_(read.file()) {
        result_.settings = base;
        result_.findings = read.for_changes("router set");
        for (const key_facts& facts : facts_)
            names_.push_back(facts.name);
    }

    void take(const std::string& text) {
        const auto entry = split(text);
        if (!entry)
            return refuse(fmt::format("'{}' is not a setting; write KEY=VALUE", text));
        if (const auto of = as_port_key(entry->key))
            return take_of_port(*of, *entry);
        const key_facts* const known = facts_of(entry->key);
        if (entry->key.starts_with("port"))
            return refuse(fmt::format("{} is not known; a port's key is port.NAME.KEY", entry->key));
        if (known == nullptr)
            return refuse(fmt::format("{} is not known{}", entry->key, did_you_mean(entry->key, names_)));
        toml::table root;
        put(root, *entry, entry->key, known->is_list);
        if (entry->key == "routes")
            has_routes_ = true;
        keys_.update(root, at(root, "", ""), result_.settings);
    }

    parsed_config finish() {
        std::string& path = result_.settings.routes.path;
        if (has_routes_ && !path.empty())
            path = (std::filesystem::path(file_).parent_path() / path).string();
        if (!result_.findings.has_errors())
            cross_check(result_.settings, result_.findings);
        return std::move(result_);
    }

  private:
    void take_of_port(const port_key& of, const assignment& entry) {
        std::vector<port_config>& ports = result_.settings.ports;
        const auto port = std::find_if(ports.begin(), ports.end(),
                                       [&](const port_config& each) { return each.name == of.port; });
        if (port == ports.end()) {
            std::vector<std::string> names;
            for (const port_config& each : ports)
                names.push_back(each.name);
            return refuse(fmt::format("there is no port {}{}", of.port, did_you_mean(of.port, names)));
        }
        const key_facts* const known = facts_of("port." + of.key);
        toml::table root;
        put(root, entry, of.key, known != nullptr && known->is_list);
        ports_.update(root, at(root, "port", fmt::format("port.{}", port - ports.begin())), *port);
    }

    // Creates the sections around the key.
    void put(toml::table& root, const assignment& entry, const std::string& path, bool is_list) {
        toml::table* in = &root;
        std::size_t from = 0;
        for (std::size_t dot; (dot = path.find('.', from)) != std::string::npos; from = dot + 1)
            in = in->insert(path.substr(from, dot - from), toml::table()).first->second.as_table();
        const std::string name = path.substr(from);
        if (is_list) {
            in->insert(name, list_of(entry));
        } else if (entry.how != assigned::whole) {
            refuse(fmt::format("{} is not a list; write {}={}", entry.key, entry.key, entry.value));
        } else {
            toml::table value = parsed(entry.value);
            value["value"].visit([&](auto& node) { in->insert(name, std::move(node)); });
        }
    }

    toml::array list_of(const assignment& entry) {
        toml::array items = parsed_list(entry.value);
        if (entry.how == assigned::whole)
            return items;
        toml::array list = parsed_list(value_of(entry.key));
        for (toml::node& item : items) {
            const auto known = std::find_if(list.begin(), list.end(), [&](const toml::node& each) {
                return text_of(each) == text_of(item);
            });
            if (entry.how == assigned::less && known == list.end())
                refuse(fmt::format("{} does not contain {}", entry.key, text_of(item)));
            else if (entry.how == assigned::less)
                list.erase(known);
            else if (known == list.end())
                item.visit([&](auto& node) { list.push_back(std::move(node)); });
        }
        return list;
    }

    std::string value_of(const std::string& key) const {
        for (const setting& current : settings_of(result_.settings))
            if (current.key == key)
                return current.value;
        return "[]";
    }
    const key_facts* facts_of(const std::string& name) const {
        const auto at = std::find_if(facts_.begin(), facts_.end(),
                                     [&](const key_facts& facts) { return facts.name == name; });
        return at == facts_.end() ? nullptr : &*at;
    }
    incoming at(const toml::table& root, std::string key, std::string path) {
        return {root, std::move(key), std::move(path), no_type_, result_.findings, names_};
    }
    void refuse(std::string text) { result_.findings.error({}, std::move(text)); }

    key_set<config> keys_;
    key_set<port_config> ports_;
    std::vector<key_facts> facts_;
    std::vector<std::string> names_;
    std::string no_type_;
    std::string file_;
    parsed_config result_;
    bool has_routes_ = false;
};

} // namespace

parsed_config assign_settings(const config& base, const report& read,
                              std::span<const std::string> assignments,
                              std::span<const std::string> schemes) {
    assigner changes(base, read, schemes);
    for (const std::string& text : assignments)
        changes.take(text);
    return changes.finish();
}

} // namespace fingerpost::router
