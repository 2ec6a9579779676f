// The formats of tables, and how to tell them apart by their first bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

enum class table_format : std::uint8_t { text, csv, tsv, json, bgpdump, ip_route, ip_route_json, mrt, image };

struct format_name {
    table_format format;
    std::string_view name;
};
// By the names that users give.
inline constexpr std::array<format_name, 9> table_formats{{{table_format::text, "text"},
                                                           {table_format::csv, "csv"},
                                                           {table_format::tsv, "tsv"},
                                                           {table_format::json, "json"},
                                                           {table_format::bgpdump, "bgpdump"},
                                                           {table_format::ip_route, "ip-route"},
                                                           {table_format::ip_route_json, "ip-route-json"},
                                                           {table_format::mrt, "mrt"},
                                                           {table_format::image, "image"}}};

constexpr std::string_view name_of(table_format format) noexcept {
    return table_formats[static_cast<std::size_t>(format)].name;
}

// The first bytes of the saved image of a table.
inline constexpr std::string_view image_start = "\x89"
                                                "FPI\r\n\x1a\n";

// This much of an input is enough to tell its format, if it can be told.
inline constexpr std::size_t max_detected_bytes = std::size_t{128} << 10;

struct detection {
    bool needs_more = false; // a longer start of the input may tell
    std::optional<table_format> format = {};
    std::string reason = {}; // why it is none of the formats, if so
};

// `start`: the first bytes of an input; `is_all`: they are the whole input. The options name columns, and say
// whether lines, including the first ones, may be wrong.
detection detect_format(std::string_view start, bool is_all, const table_options& options);

} // namespace fingerpost::io
