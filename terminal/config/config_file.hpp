// Reads a TOML file of settings as keys with their values and lines. The caller interprets the keys.
//
//     threads = 4
//     table = ["geo=/var/lib/v4.csv", "geo=/var/lib/v6.csv"]
//     no-watch = true
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"

namespace fingerpost::cli {

enum class config_kind : std::uint8_t { text, number, truth };

struct config_value {
    config_kind kind = config_kind::text;
    std::string text{};   // a number in decimal, `true` or `false`
    std::size_t line = 0; // in the file, from 1
};

struct config_key {
    std::string name{};
    std::size_t line = 0;
    bool is_list = false; // the value is an array with the elements `values`
    std::vector<config_value> values{};
};

// Returns the keys in line order. The error has the file, the line and the reason. Values are strings,
// numbers, Booleans, and arrays of them; sections and dates are errors.
expected<std::vector<config_key>, std::string> parse_config(std::string_view text, const std::string& path);

// Reads a file, which may be compressed. Errors contain the path as given.
expected<std::vector<config_key>, std::string> read_config(const std::string& path);

} // namespace fingerpost::cli
