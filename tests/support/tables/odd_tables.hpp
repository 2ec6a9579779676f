// Random tables with values and column names that may confuse writers and readers, with all column types and
// missing cells; and an exact listing of a table, which differs between any two tables.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/table_data.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {

// Tame texts are short UTF-8 without control characters, but contain blanks, separators and quotes.
class odd_texts {
  public:
    odd_texts(random_numbers& random, bool tame) : random_(random), tame_(tame) {}

    std::string value() {
        switch (random_.below(tame_ ? 8 : 9)) {
        case 0:
            return {};
        case 1:
            return std::to_string(random_.below(70'000));
        case 2:
            return std::string(pick(words));
        case 3:
            return std::string(pick(words)) + std::string(pick(between)) + std::string(pick(words));
        case 8:
            if (random_.below(400) == 0)
                return long_text();
            [[fallthrough]];
        default:
            return pieces(1 + random_.below(6));
        }
    }

    // A value for a column of this type. Some numbers need all 64 bits.
    std::string value(column_type type) {
        switch (type) {
        case column_type::text:
            break;
        case column_type::boolean:
            return random_.below(2) == 0 ? "false" : "true";
        case column_type::integer:
            return integer();
        case column_type::number:
            return random_.below(3) == 0 ? integer() : std::string(pick(floats));
        }
        return value();
    }

    // `count` column names, mostly distinct, as readers produce them.
    std::vector<std::string> names(std::size_t count) {
        std::vector<std::string> made;
        while (made.size() < count) {
            std::string name = name_of_column();
            const bool is_there = std::find(made.begin(), made.end(), name) != made.end();
            if (!is_there || (!tame_ && random_.below(50) == 0))
                made.push_back(std::move(name));
        }
        return made;
    }

  private:
    static constexpr std::string_view words[] = {"network",
                                                 "prefix",
                                                 "next_hop",
                                                 "dst",
                                                 "flags",
                                                 "via",
                                                 "dev",
                                                 "nexthop",
                                                 "blackhole",
                                                 "default",
                                                 "change",
                                                 "A",
                                                 "W",
                                                 "null",
                                                 "true",
                                                 "-",
                                                 "10.0.0.0/8",
                                                 "2001:db8::/32",
                                                 "255.0.0.0",
                                                 "192.0.2.1",
                                                 "in/out",
                                                 "TABLE_DUMP2|1|B",
                                                 "peer 7",
                                                 "a #b",
                                                 "#1",
                                                 "A, Inc.",
                                                 "{\"dst\":1}",
                                                 "[",
                                                 "start_ip",
                                                 "masklen",
                                                 "24",
                                                 "end_ip",
                                                 "column2",
                                                 "a,network,b",
                                                 "in/out via x",
                                                 "a/b dev x",
                                                 "Z\xc3\xbcrich"};
    static constexpr std::string_view floats[] = {"0.5",  "-0.5",    "1.50", "1e3",  "1E+3",
                                                  "-0.0", "-1.5e-3", "47.0", "1e300"};
    static constexpr std::string_view between[] = {" ", ",", ";", "|", "\"", "\",\"", ", ", " #", "/", "\\"};
    static constexpr std::string_view mild[] = {"a",
                                                "B",
                                                "7",
                                                " ",
                                                "  ",
                                                ",",
                                                ";",
                                                "|",
                                                "\"",
                                                "\"\"",
                                                "'",
                                                "#",
                                                ".",
                                                ":",
                                                "/",
                                                "-",
                                                "=",
                                                "{",
                                                "}",
                                                "[",
                                                "]",
                                                "(",
                                                "\\",
                                                "\\n",
                                                "%",
                                                "\xc3\xbc",
                                                "\xe2\x82\xac",
                                                "\xf0\x9f\x9b\xa3",
                                                "\xc2\xa0",
                                                "\xe2\x80\xa8"};
    static constexpr std::string_view wild[] = {"\n",   "\r",       "\r\n",         "\t",
                                                "\x01", "\x1b[31m", "\x7f",         "\xff",
                                                "\xc3", "\x80",     "\xed\xa0\x80", "\n0.0.0.0/0 x\n",
                                                "\n#",  "\"\n",     "\xef\xbb\xbf", "\v"};

    template <std::size_t N>
    std::string_view pick(const std::string_view (&from)[N]) {
        return from[random_.below(N)];
    }
    std::string integer() {
        const std::uint64_t number = random_.next() >> random_.below(64);
        return std::to_string(number & 1 ? number >> 1 : number >> 2);
    }
    std::string pieces(std::size_t count) {
        std::string text;
        for (; count > 0; --count) {
            if (tame_ || random_.below(3) != 0)
                text += pick(mild);
            else if (random_.below(20) == 0)
                text += '\0';
            else
                text += pick(wild);
        }
        return text;
    }
    // A text about as long as the longest line, or rarely the longest row, that readers accept.
    std::string long_text() {
        const std::size_t bound = random_.below(20) == 0 ? std::size_t{1} << 20 : std::size_t{1} << 16;
        std::string text(bound - 100 + random_.below(120), 'x');
        if (random_.below(2) == 0)
            text[random_.below(text.size())] = random_.below(2) == 0 ? '\n' : '"';
        return text;
    }
    std::string name_of_column() {
        switch (random_.below(6)) {
        case 0:
            return "next_hop";
        case 1:
            return std::string(1, static_cast<char>('a' + random_.below(26)));
        case 2: {
            // A file has its prefixes in a column with a name such as "network", so tame tables have no other
            // column of that name. Readers refuse a "masklen" column that does not match the prefixes.
            const std::string_view word = pick(words);
            return tame_ && (word == "network" || word == "masklen") ? "asn" : std::string(word);
        }
        default:
            break;
        }
        std::string name =
            tame_ ? pick(words).substr(0, 3) == "net" ? "n" : std::string(pick(words)) : value();
        name += tame_ ? std::string(pick(between)) + "x" : pieces(random_.below(3));
        return tame_ ? "n" + name : name;
    }

    random_numbers& random_;
    bool tame_;
};

// The cells of a row, for columns of these types; 1/6 of the cells are missing.
inline std::vector<std::optional<std::string>> odd_row(random_numbers& random, odd_texts& texts,
                                                       std::span<const column_type> types) {
    std::vector<std::optional<std::string>> row;
    for (const column_type type : types)
        row.push_back(random.below(6) == 0 ? std::nullopt : std::optional(texts.value(type)));
    return row;
}

// A table with up to `most` routes of each family. Values repeat, as in real tables. The values determine the
// types of the columns.
inline io::both_tables odd_table(random_numbers& random, odd_texts& texts, std::span<const std::string> names,
                                 std::size_t most) {
    const std::vector<std::string_view> columns(names.begin(), names.end());
    io::table_builder made({.both = true}, columns);
    made.keep_empty_texts();
    std::vector<column_type> types;
    for (std::size_t i = 0; i < names.size(); ++i)
        types.push_back(random.below(2) == 0 ? column_type::text : static_cast<column_type>(random.below(4)));
    std::vector<std::vector<std::optional<std::string>>> rows(1 + random.below(4));
    for (auto& row : rows)
        row = odd_row(random, texts, types);
    const auto add = [&]<class A>(A) {
        clustered_prefixes<A> prefixes(random);
        for (std::uint64_t left = random.below(most + 1); left > 0; --left) {
            const auto& row = rows[random.below(rows.size())];
            std::vector<std::string_view> cells;
            for (const std::optional<std::string>& cell : row)
                cells.push_back(cell ? std::string_view(*cell) : missing_cell);
            made.add(prefixes.next(), cells);
        }
    };
    add(ipv4_address{});
    add(ipv6_address{});
    return std::move(made).finish_both(0);
}

inline void append_exactly(std::string& out, std::string_view text) {
    out.append(std::to_string(text.size())).append(":").append(text).append(",");
}

// The names and types of the columns, then all routes with their values. A missing cell differs from every
// text.
inline std::string exact_columns(const value_rows& values) {
    std::string out;
    for (std::size_t i = 0; i < values.columns(); ++i)
        append_exactly(out, std::string(values.name(i)).append(" ").append(name_of(values.type(i))));
    return out;
}
template <class A>
void append_exact_routes(const io::loaded_table<A>& table, std::string& out) {
    for (const route<A>& r : table.routes) {
        out.append("\n").append(to_string(r.where)).append(" ");
        for (std::size_t i = 0; i < table.values.columns(); ++i)
            if (const std::string_view cell = table.values.cell(r.hop, i); is_missing(cell))
                out += "missing,";
            else
                append_exactly(out, cell);
    }
}
inline std::string exact_routes(const io::both_tables& tables) {
    std::string out;
    append_exact_routes(tables.ipv4, out);
    append_exact_routes(tables.ipv6, out);
    return out;
}
inline bool has_routes(const io::both_tables& tables) {
    return !tables.ipv4.routes.empty() || !tables.ipv6.routes.empty();
}

} // namespace fingerpost::testing
