// Helpers for tests of table readers: they feed text in chunks and print a table as one line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "io/format/any_reader.hpp"

namespace fingerpost::io {

inline expected<both_tables, input_error> read_both(table_format format, std::string_view text,
                                                    const table_options& options = {},
                                                    std::size_t chunk = std::string_view::npos) {
    table_options both = options;
    both.both = true;
    any_reader reader(format, "t", both);
    for (std::size_t at = 0; at < text.size(); at += std::min(chunk, text.size()))
        if (!reader.feed(text.substr(at, chunk)))
            break;
    return std::move(reader).finish_both();
}

// `10.0.0.0/8=a,b;`, with the cells of all columns.
template <class A>
std::string listed_rows(const loaded_table<A>& table) {
    std::string out;
    for (const route<A>& r : table.routes) {
        out += to_string(r.where);
        for (std::size_t i = 0; i < table.values.columns(); ++i)
            out.append(i == 0 ? "=" : ",").append(table.values.cell(r.hop, i));
        out += ';';
    }
    return out;
}

// The column names, then the IPv4 routes, then the IPv6 routes; or the error message when the table is
// refused.
inline std::string listed_rows(const expected<both_tables, input_error>& tables) {
    if (!tables)
        return message(tables.error());
    std::string out;
    for (std::size_t i = 0; i < tables->ipv4.values.columns(); ++i)
        out.append(i == 0 ? "" : ",").append(tables->ipv4.values.name(i));
    return out + "|" + listed_rows(tables->ipv4) + listed_rows(tables->ipv6);
}

inline std::string rows(table_format format, std::string_view text, const table_options& options = {}) {
    return listed_rows(read_both(format, text, options));
}

// Like rows(), and checks that chunks of 1 and 7 bytes give the same result.
inline std::string rows_in_chunks(table_format format, std::string_view text,
                                  const table_options& options = {}) {
    const std::string whole = listed_rows(read_both(format, text, options));
    for (const std::size_t chunk : {1, 7})
        EXPECT_EQ(listed_rows(read_both(format, text, options, chunk)), whole);
    return whole;
}

// The name of the detected format, or the reason why none is detected. Checks that no beginning of the text
// is detected as another format.
inline std::string found_format(std::string_view start) {
    const detection whole = detect_format(start, true, {});
    for (std::size_t size = 0; size < start.size(); ++size) {
        const detection part = detect_format(start.substr(0, size), false, {});
        EXPECT_TRUE(part.needs_more || part.format == whole.format) << size;
    }
    return whole.format ? std::string(name_of(*whole.format)) : whole.reason;
}

} // namespace fingerpost::io
