// Reads the user's configuration, a TOML file.
#include "terminal/table/default_table.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "io/source/file.hpp"
#include "terminal/failure.hpp"
#if FINGERPOST_HAVE_TOML
#include <toml++/toml.h>
#endif

namespace fingerpost::cli {
namespace {

constexpr const char* variable = "FINGERPOST_TABLE";

// The XDG base directory specification: a relative path does not count.
std::string config_path() {
    const char* const set = std::getenv("XDG_CONFIG_HOME");
    if (set != nullptr && *set == '/')
        return std::string(set) + "/fingerpost/config.toml";
    const char* const home = std::getenv("HOME");
    return home != nullptr && *home != '\0' ? std::string(home) + "/.config/fingerpost/config.toml"
                                            : std::string();
}

// Nothing if there is no such file.
std::optional<std::string> content_of(const std::string& path) {
    if (path.empty() || ::access(path.c_str(), F_OK) != 0)
        return std::nullopt;
    auto source = io::file_source::open(path);
    if (!source)
        throw usage_error(io::message(source.error()));
    std::string text;
    for (;;) {
        const auto bytes = source->read();
        if (!bytes)
            throw usage_error(io::message(bytes.error()));
        if (bytes->empty())
            return text;
        text += *bytes;
    }
}

#if FINGERPOST_HAVE_TOML

[[noreturn]] void refuse(const std::string& path, const toml::source_region& where, std::string_view reason) {
    throw usage_error(fmt::format("{}:{}: {}", path, where.begin.line, reason));
}

// A text, or an array of texts; none may be empty.
std::vector<std::string> texts_of(const toml::node& value, const std::string& path, std::string_view key) {
    std::vector<std::string> texts;
    const auto take = [&](const toml::node& one) {
        const auto* const text = one.as_string();
        if (text == nullptr || text->get().empty())
            refuse(path, one.source(), fmt::format("{}: a text, or an array of texts, and none empty", key));
        texts.push_back(text->get());
    };
    if (const auto* const array = value.as_array())
        for (const toml::node& one : *array)
            take(one);
    else
        take(value);
    return texts;
}

bool take_config(const std::string& path, const std::string& text, table_choice& choice) {
    toml::table root;
    try {
        root = toml::parse(text, path);
    } catch (const toml::parse_error& fault) {
        refuse(path, fault.source(), fault.description());
    }
    std::vector<std::string> joins;
    std::vector<std::string> keys;
    bool met = false;
    for (const auto& [name, value] : root) {
        const std::string_view key = name.str();
        if (key == "table") {
            for (const std::string& one : texts_of(value, path, key))
                choice.add(one);
            met = !choice.files.empty();
        } else if (key == "join") {
            joins = texts_of(value, path, key);
        } else if (key == "on") {
            keys = texts_of(value, path, key);
        } else {
            refuse(path, name.source(),
                   fmt::format("there is no key {}, but table, join and on", io::quoted(key)));
        }
    }
    if (joins.size() != keys.size())
        throw usage_error(fmt::format("{}: {} of join and {} of on; each join has one column in on", path,
                                      joins.size(), keys.size()));
    if (met && choice.joins.empty())
        for (std::size_t i = 0; i < joins.size(); ++i) {
            choice.joins.push_back({.path = joins[i]});
            if (const std::string reason = read_on(keys[i], choice.joins.back()); !reason.empty())
                throw usage_error(fmt::format("{}: on: {}", path, reason));
        }
    return met;
}

#else

bool take_config(const std::string& path, const std::string&, table_choice&) {
    throw usage_error(
        fmt::format("{}: this program was built without toml++ and cannot read it; use {}", path, variable));
}

#endif

} // namespace

bool use_default_table(table_choice& choice) {
    if (const char* const set = std::getenv(variable); set != nullptr && *set != '\0') {
        choice.add(set);
        return true;
    }
    const std::string path = config_path();
    const auto text = content_of(path);
    return text && take_config(path, *text, choice);
}

std::string default_table_words() {
    return fmt::format("; a default is set by {}=FILE, or by table = \"FILE\" in {}", variable,
                       "~/.config/fingerpost/config.toml");
}

} // namespace fingerpost::cli
