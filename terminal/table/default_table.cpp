// Reads the user's configuration, a TOML file.
#include "terminal/table/default_table.hpp"

#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

#include "io/format/parts/input_error.hpp"
#include "terminal/config/config_file.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

constexpr const char* variable = "FINGERPOST_TABLE";

// The XDG base directory specification requires that relative paths be ignored.
std::string config_path() {
    const char* const set = std::getenv("XDG_CONFIG_HOME");
    if (set != nullptr && *set == '/')
        return std::string(set) + "/fingerpost/config.toml";
    const char* const home = std::getenv("HOME");
    return home != nullptr && *home != '\0' ? std::string(home) + "/.config/fingerpost/config.toml"
                                            : std::string();
}

// Returns one text or an array of texts; none may be empty.
std::vector<std::string> texts_of(const config_key& key, const std::string& path) {
    std::vector<std::string> texts;
    for (const config_value& value : key.values) {
        if (value.kind != config_kind::text || value.text.empty())
            throw usage_error(
                fmt::format("{}:{}: {} must be a string or an array of strings, none of them empty", path,
                            value.line, key.name));
        texts.push_back(value.text);
    }
    return texts;
}

bool take_config(const std::string& path, table_choice& choice) {
    const auto read = read_config(path);
    if (!read)
        throw usage_error(read.error());
    std::vector<std::string> joins;
    std::vector<std::string> keys;
    bool has_table = false;
    for (const config_key& key : *read) {
        if (key.name == "table") {
            for (const std::string& text : texts_of(key, path))
                choice.add(text);
            has_table = !choice.files.empty();
        } else if (key.name == "join") {
            joins = texts_of(key, path);
        } else if (key.name == "on") {
            keys = texts_of(key, path);
        } else {
            throw usage_error(fmt::format("{}:{}: unknown key {}; keys: table, join, on", path, key.line,
                                          io::quoted(key.name)));
        }
    }
    if (joins.size() != keys.size())
        throw usage_error(fmt::format("{}: join has {} values and on has {}: each join needs one column",
                                      path, joins.size(), keys.size()));
    if (has_table && choice.joins.empty())
        for (std::size_t i = 0; i < joins.size(); ++i) {
            choice.joins.push_back({.path = joins[i]});
            if (const std::string reason = read_on(keys[i], choice.joins.back()); !reason.empty())
                throw usage_error(fmt::format("{}: on: {}", path, reason));
        }
    return has_table;
}

} // namespace

bool use_default_table(table_choice& choice) {
    if (const char* const set = std::getenv(variable); set != nullptr && *set != '\0') {
        choice.add(set);
        return true;
    }
    const std::string path = config_path();
    return !path.empty() && ::access(path.c_str(), F_OK) == 0 && take_config(path, choice);
}

std::string default_table_words() {
    return fmt::format("no table; use -t FILE, or set {} (see `fingerpost help tables`)", variable);
}

} // namespace fingerpost::cli
