// The formats in which tables come, and telling them apart by how they begin.
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

// What the saved image of a table begins with.
inline constexpr std::string_view image_start = "\x89"
                                                "FPI\r\n\x1a\n";

// So much of an input tells its format, if anything does.
inline constexpr std::size_t max_detected_bytes = std::size_t{128} << 10;

struct detection {
    bool needs_more = false; // a longer start of the input may tell
    std::optional<table_format> format = {};
    std::string reason = {}; // why it is none of the formats, when it is none
};

// `start`: how an input begins; `is_all`: it is all of it. The options name columns, and say that lines may
// be wrong, also the first ones.
detection detect_format(std::string_view start, bool is_all, const table_options& options);

} // namespace fingerpost::io
