// Writes random tables as text, CSV, TSV, JSON, and as sets of ipset and nft, with lengths, masks, wildcards
// or ends of ranges, in one column or two, under all common column names or without a header. Reading them
// with the detected format must give the same prefixes and values.
//
// Each round has its own seed, which is printed when the round fails. FINGERPOST_SEED=<seed> runs that round
// alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/any_reader.hpp"
#include "io/format/table_format.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/odd_tables.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {
namespace {

enum class form {
    slash,
    slash_mask,
    slash_wildcard,
    number,
    slash_number,
    mask,
    wildcard,
    dashed,
    ends,
    numbers
};

bool is_of_ipv4_alone(form how) {
    return how == form::slash_mask || how == form::slash_wildcard || how == form::mask ||
           how == form::wildcard || how == form::numbers;
}
bool has_two_columns(form how) {
    return how != form::slash && how != form::slash_mask && how != form::slash_wildcard &&
           how != form::dashed;
}

template <class A>
std::string decimal(A address) {
    std::string digits;
    for (auto left = address.value; left != 0 || digits.empty(); left /= 10)
        digits += static_cast<char>('0' + static_cast<int>(left % 10));
    return {digits.rbegin(), digits.rend()};
}

// The contents of the one or two columns of a network.
template <class A>
std::vector<std::string> cells_of(const prefix<A>& where, form how) {
    const std::string base = to_string(where.base);
    const std::string length = std::to_string(where.length);
    const std::string mask = to_string(A{network_mask<A>(where.length)});
    const std::string wildcard =
        to_string(A{static_cast<typename A::value_type>(~network_mask<A>(where.length))});
    const std::string last = to_string(where.last());
    switch (how) {
    case form::slash:
        return {to_string(where)};
    case form::slash_mask:
        return {base + "/" + mask};
    case form::slash_wildcard:
        return {base + "/" + wildcard};
    case form::dashed:
        return {base + "-" + last};
    case form::number:
        return {base, length};
    case form::slash_number:
        return {base, "/" + length};
    case form::mask:
        return {base, mask};
    case form::wildcard:
        return {base, wildcard};
    case form::ends:
        return {base, last};
    case form::numbers:
        return {decimal(where.base), decimal(where.last())};
    }
    return {};
}

struct one_route {
    family kind;
    ipv4_prefix ipv4;
    ipv6_prefix ipv6;
    std::vector<std::string> values;
};

// A table and the form in which it is written.
class written_table {
  public:
    explicit written_table(random_numbers& random) : random_(random) {
        how_ = static_cast<form>(random.below(10));
        const std::uint64_t families = is_of_ipv4_alone(how_) ? 0 : random.below(3);
        std::size_t columns = random.below(4);
        kind_ = pick(kinds);
        if (kind_ == "text")
            columns = std::min<std::size_t>(columns, 1);
        else if (kind_ == "ipset" || kind_ == "nft")
            columns = 0;
        clustered_prefixes<ipv4_address> ipv4(random);
        clustered_prefixes<ipv6_address> ipv6(random);
        for (std::uint64_t left = 1 + random.below(6); left > 0; --left) {
            one_route& one = routes_.emplace_back();
            one.kind = families == 0 || (families == 2 && random.below(2) == 0) ? family::ipv4 : family::ipv6;
            one.ipv4 = ipv4.next();
            one.ipv6 = ipv6.next();
            for (std::size_t i = 0; i < columns; ++i)
                one.values.emplace_back(pick(words));
        }
        columns_ = columns;
        if (how_ == form::slash_wildcard && has_wildcards_like_masks())
            how_ = form::slash_mask;
    }

    const std::string& kind() const { return kind_; }
    form how() const { return how_; }
    std::string text() {
        if (kind_ == "text")
            return plain_text();
        if (kind_ == "json")
            return objects();
        return kind_ == "ipset" ? set_of_ipset() : kind_ == "nft" ? set_of_nft() : rows();
    }
    io::both_tables table() const {
        std::vector<std::string_view> names(std::max<std::size_t>(columns_, 1), "x");
        io::table_builder made({.both = true}, names);
        for (const one_route& one : routes_) {
            std::vector<std::string_view> cells(one.values.begin(), one.values.end());
            if (kind_ == "ipset" || kind_ == "nft")
                cells.emplace_back(one.kind == family::ipv4 ? "s4" : "s6");
            cells.resize(names.size());
            if (one.kind == family::ipv4)
                made.add(one.ipv4, cells);
            else
                made.add(one.ipv6, cells);
        }
        return std::move(made).finish_both(0);
    }

  private:
    static constexpr std::string_view kinds[] = {"text", "csv",  "csv",   "csv", "csv",
                                                 "json", "json", "ipset", "nft"};
    static constexpr std::string_view words[] = {"a",   "peer7",     "64500",  "24",
                                                 "x-y", "255.0.0.0", "Zurich", "0"};
    static constexpr std::string_view network_names[] = {"network", "prefix",    "CIDR",
                                                         "net",     "ip_prefix", "Subnet"};
    static constexpr std::string_view length_names[] = {"masklen", "mask_len", "prefixlen", "Prefix Length",
                                                        "length",  "bits",     "mask",      "netmask"};
    static constexpr std::string_view mask_names[] = {"mask", "netmask", "Subnet Mask", "genmask", "length"};
    static constexpr std::string_view separators = ",;|\t ";

    template <std::size_t N>
    std::string pick(const std::string_view (&from)[N]) {
        return std::string(from[random_.below(N)]);
    }
    std::vector<std::string> cells(const one_route& one) const {
        return one.kind == family::ipv4 ? cells_of(one.ipv4, how_) : cells_of(one.ipv6, how_);
    }
    template <class F>
    bool any_ipv4(F holds) const {
        return std::any_of(routes_.begin(), routes_.end(),
                           [&](const one_route& one) { return one.kind == family::ipv4 && holds(one.ipv4); });
    }
    // 0.0.0.0 and 255.255.255.255 are also valid masks, so such wildcards need a column named "wildcard".
    bool has_wildcards_like_masks() const {
        return any_ipv4([](const ipv4_prefix& p) { return p.length == 0 || p.length == 32; });
    }
    // Without a header, 192.0.0.0 could be a mask or the end of a range.
    bool needs_header() const {
        const auto is_ones_in_front = [](const auto& p) {
            using address = std::remove_cvref_t<decltype(p.base)>;
            for (unsigned length = 0; length <= address::bits; ++length)
                if (p.last().value == network_mask<address>(length))
                    return true;
            return false;
        };
        if (how_ == form::ends)
            return std::any_of(routes_.begin(), routes_.end(), [&](const one_route& one) {
                return one.kind == family::ipv4 ? is_ones_in_front(one.ipv4) : is_ones_in_front(one.ipv6);
            });
        const ipv4_prefix& first = routes_[0].ipv4;
        if (how_ == form::mask)
            return first.length == 32 && (first.base.value == 0 || first.base.value >> 29 == 7);
        return how_ == form::wildcard && (first.base.value == 0 || has_wildcards_like_masks());
    }

    std::vector<std::string> names() {
        switch (how_) {
        case form::ends:
            return random_.below(2) == 0 ? std::vector<std::string>{"start_ip", "end_ip"}
                                         : std::vector<std::string>{"First", "Last"};
        case form::numbers:
            return {"ip_from", "ip_to"};
        case form::number:
        case form::slash_number:
            return {pick(network_names), pick(length_names)};
        case form::mask:
            return {random_.below(4) == 0 ? "ip_address" : pick(network_names),
                    std::string(mask_names[random_.below(4)])};
        case form::wildcard:
            return {pick(network_names),
                    has_wildcards_like_masks() || random_.below(2) == 0 ? "wildcard" : pick(mask_names)};
        default:
            return {pick(network_names)};
        }
    }

    std::string joined(const std::vector<std::string>& fields, char separator, bool quotes) {
        std::string line;
        for (const std::string& field : fields) {
            line += line.empty() ? "" : std::string(separator == ' ' ? 1 + random_.below(3) : 1, separator);
            const bool in_quotes = quotes || field.find(separator) != std::string::npos;
            line += in_quotes ? "\"" + field + "\"" : field;
        }
        return line + (random_.below(4) == 0 ? "\r\n" : "\n");
    }

    std::string rows() {
        const std::size_t width = columns_ + (has_two_columns(how_) ? 2 : 1);
        const bool has_header = width < 3 || needs_header() || random_.below(2) == 0;
        // Without a header, rows of words between blanks are read as text. Rows of two words always are.
        const char separator = separators[random_.below(has_header && width > 2 ? 5 : 4)];
        const bool quotes = random_.below(4) == 0;
        // The order of the columns. Without a header the network comes first.
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < width; ++i)
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(has_header ? random_.below(i + 1) : i),
                         i);
        const auto in_order = [&](const std::vector<std::string>& network,
                                  const std::vector<std::string>& values) {
            std::vector<std::string> all = network;
            // Values keep their order, so that the columns of the table match those of the file.
            std::vector<std::string> fields;
            std::size_t next = 0;
            for (const std::size_t place : order)
                fields.push_back(place < network.size() ? network[place] : values[next++]);
            return fields;
        };
        std::string text;
        if (has_header) {
            std::vector<std::string> values;
            for (std::size_t i = 0; i < columns_; ++i)
                values.push_back("v" + std::to_string(i));
            text = joined(in_order(names(), values), separator, quotes);
        }
        for (const one_route& one : routes_)
            text += joined(in_order(cells(one), one.values), separator, quotes);
        return text;
    }

    std::string objects() {
        const std::vector<std::string> keys = names();
        const bool in_array = random_.below(2) == 0;
        std::string text = in_array ? "[" : "";
        for (const one_route& one : routes_) {
            const auto network = cells(one);
            text += in_array && &one != routes_.data() ? ",\n" : "";
            text += "{";
            for (std::size_t i = 0; i < network.size(); ++i) {
                const bool is_number = how_ == form::number && i == 1 && random_.below(2) == 0;
                const std::string quote = is_number ? "" : "\"";
                text += (i == 0 ? "\"" : ",\"") + keys[i] + "\":" + quote + network[i] + quote;
            }
            for (std::size_t i = 0; i < columns_; ++i)
                text += ",\"v" + std::to_string(i) + "\":\"" + one.values[i] + "\"";
            text += in_array ? "}" : "}\n";
        }
        return text + (in_array ? "]\n" : "");
    }

    // Forms that text cannot have become a prefix with a slash.
    std::string plain_text() {
        if (how_ == form::number && columns_ == 0 && random_.below(2) == 0)
            return with_header("network " + std::string(length_names[random_.below(3)]) + "\n");
        if (how_ == form::number || how_ == form::ends || how_ == form::numbers)
            how_ = form::slash;
        // Any other wildcard could be read as a next hop.
        if (how_ == form::wildcard &&
            any_ipv4([](const ipv4_prefix& p) { return p.length < 8 || p.length == 32; }))
            how_ = form::mask;
        // Lines of three words may be read as CSV.
        if (columns_ > 0 && needs_header())
            how_ = form::slash;
        return with_header({});
    }
    std::string with_header(const std::string& header) {
        std::string text = header;
        const char separator = separators[random_.below(5)];
        for (const one_route& one : routes_) {
            std::vector<std::string> fields = cells(one);
            const bool has_blanks = how_ == form::dashed && random_.below(2) == 0;
            if (has_blanks)
                fields[0].replace(fields[0].find('-'), 1, " - ");
            fields.insert(fields.end(), one.values.begin(), one.values.end());
            const bool has_words = has_blanks || !header.empty();
            text += joined(fields, has_words ? ' ' : separator, false);
            if (has_blanks)
                text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
        }
        return text;
    }

    std::string set_of_ipset() {
        how_ = form::slash;
        std::string text = "create s4 hash:net family inet\ncreate s6 hash:net family inet6\n";
        for (const one_route& one : routes_)
            text += one.kind == family::ipv4 ? "add s4 " + to_string(one.ipv4) + "\n"
                                             : "add s6 " + to_string(one.ipv6) + "\n";
        return text;
    }
    std::string set_of_nft() {
        how_ = random_.below(2) == 0 ? form::slash : form::dashed;
        std::string text = "table inet t {\n";
        for (const family kind : {family::ipv4, family::ipv6}) {
            std::string elements;
            for (const one_route& one : routes_)
                if (one.kind == kind)
                    elements += (elements.empty() ? "" : ", ") + cells(one)[0];
            if (elements.empty())
                continue;
            const std::string name = kind == family::ipv4 ? "4" : "6";
            text += "\tset s" + name + " {\n\t\ttype ipv" + name +
                    "_addr\n\t\tflags interval\n\t\telements = { " + elements + " }\n\t}\n";
        }
        return text + "}\n";
    }

    random_numbers& random_;
    std::string kind_;
    form how_{};
    std::size_t columns_ = 0;
    std::vector<one_route> routes_;
};

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 0) : otherwise;
}

TEST(table_columns, tables_are_read_back_from_every_layout) {
    const std::uint64_t only = number_in("FINGERPOST_SEED", 0);
    // 100,000 rounds with FINGERPOST_TESTS=all, otherwise 10,000.
    const std::uint64_t rounds = only != 0 ? 1 : number_in("FINGERPOST_ROUNDS", scaled(100'000));
    std::map<std::pair<std::string, form>, std::size_t> counts;
    for (std::uint64_t i = 0; i < rounds; ++i) {
        const std::uint64_t seed = only != 0 ? only : 1 + i;
        random_numbers random(seed);
        written_table made(random);
        const std::string text = made.text();
        SCOPED_TRACE("FINGERPOST_SEED=" + std::to_string(seed) + "\n" + text);
        const io::detection found = io::detect_format(text, true, {});
        ASSERT_TRUE(found.format) << found.reason;
        io::any_reader reader(*found.format, "t", {.both = true});
        const std::size_t chunk = random.below(4) == 0 ? 1 + random.below(20) : text.size();
        for (std::size_t at = 0; at < text.size() && reader.feed(std::string_view(text).substr(at, chunk));
             at += chunk) {
        }
        const auto back = std::move(reader).finish_both();
        ASSERT_TRUE(back) << io::message(back.error());
        ASSERT_EQ(exact_routes(*back), exact_routes(made.table())) << io::name_of(*found.format);
        ASSERT_EQ(back->ipv4.counts.masked + back->ipv6.counts.masked, 0U);
        ++counts[{made.kind(), made.how()}];
    }
    std::size_t layouts = 0;
    for (const auto& [layout, count] : counts)
        layouts += count > 0 ? 1 : 0;
    if (only == 0 && rounds >= 1000) {
        EXPECT_GE(layouts, 27U);
    }
    RecordProperty("tables", static_cast<int>(rounds));
}

} // namespace
} // namespace fingerpost::testing
