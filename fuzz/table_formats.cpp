// Feeds bytes to the reader of every format of tables, whole and in chunks: the table or the error is the
// same, routes are in order, and no prefix is longer than its family allows. The format detected from a start
// of the input stays the same with more of it. A text has the same routes for each family alone.
//
// The first byte chooses the format, the second options and the size of chunks.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.hpp"
#include "io/format/any_reader.hpp"

namespace {

using namespace fingerpost;

expected<io::both_tables, io::input_error> read(io::table_format format, std::string_view text,
                                                std::size_t chunk, const io::table_options& options) {
    io::any_reader reader(format, "fuzz", options);
    for (std::size_t at = 0; at < text.size() && reader.feed(text.substr(at, chunk)); at += chunk) {
    }
    return std::move(reader).finish_both();
}

template <class A>
void check_table(const io::loaded_table<A>& table, std::uint64_t bad) {
    for (std::size_t i = 0; i < table.routes.size(); ++i) {
        const route<A>& r = table.routes[i];
        require(r.hop.id < table.values.size());
        require(prefix<A>::is_canonical(r.where.base, r.where.length) && r.where.length <= A::bits);
        require(i == 0 || table.routes[i - 1].where < r.where);
    }
    require(table.counts.bad == bad);
}

// Reading both families of a text gives the same as reading each by itself. Only lines without a family, a
// default route or a range of numbers, may count for another one when a family is wanted.
void check_families(std::string_view text, host_bits policy) {
    if (text.find("default") != std::string_view::npos || text.find('-') != std::string_view::npos)
        return;
    const auto both = read(io::table_format::text, text, text.size(), {.both = true, .policy = policy});
    if (!both)
        return;
    // A range of addresses in one line is at most two prefixes of each length.
    require(both->ipv4.routes.size() + both->ipv4.counts.duplicates <= both->ipv4.counts.lines * 64);
    require(both->ipv6.routes.size() + both->ipv6.counts.duplicates <= both->ipv6.counts.lines * 256);
    const auto alone = [&](family only) {
        io::any_reader reader(io::table_format::text, "fuzz", {.only = only, .policy = policy});
        (void)reader.feed(text);
        return std::move(reader).finish();
    };
    const auto four = alone(family::ipv4), six = alone(family::ipv6);
    require(four && std::get<io::loaded_table<ipv4_address>>(*four).routes == both->ipv4.routes);
    require(six && std::get<io::loaded_table<ipv6_address>>(*six).routes == both->ipv6.routes);
}

template <class A>
bool same(const io::loaded_table<A>& a, const io::loaded_table<A>& b) {
    if (a.routes != b.routes || a.values.size() != b.values.size() ||
        a.values.columns() != b.values.columns())
        return false;
    for (std::uint32_t row = 0; row < a.values.size(); ++row)
        for (std::size_t i = 0; i < a.values.columns(); ++i)
            if (a.values.cell(next_hop{row}, i) != b.values.cell(next_hop{row}, i))
                return false;
    return true;
}

// Tries starts of a few sizes: none is detected as another format than the whole.
void check_detection(std::string_view text, const io::table_options& options) {
    const io::detection whole = io::detect_format(text, true, options);
    require(!whole.needs_more && whole.format.has_value() == whole.reason.empty());
    for (std::size_t size = 0; size < text.size(); size = size * 2 + 1) {
        const io::detection part = io::detect_format(text.substr(0, size), false, options);
        require(part.needs_more || part.format == whole.format);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using io::table_format;
    std::vector<table_format> formats;
    for (const table_format one : io::table_formats())
        if (io::entry_of(one).open != nullptr)
            formats.push_back(one);
    if (size < 2)
        return 0;
    const table_format format = formats[data[0] % formats.size()];
    std::uint64_t told = 0;
    io::table_options options{.both = true, .on_skip = [&](const io::input_error& error) {
                                  require(error.file == "fuzz" && !error.reason.empty());
                                  ++told;
                              }};
    if ((data[1] & 1) != 0)
        options.policy = host_bits::refuse;
    if ((data[1] & 2) != 0)
        options.only = (data[1] & 4) != 0 ? family::ipv4 : family::ipv6;
    options.skip_bad = (data[1] & 8) != 0 ? 1000 : 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
    check_detection(text, options);
    if (format == table_format::text)
        check_families(text, options.policy);
    const auto whole = read(format, text, size, options);
    const std::uint64_t bad = told;
    const auto pieces = read(format, text, std::size_t{1} + (data[1] >> 4), options);
    require(told == 2 * bad);
    require(whole.has_value() == pieces.has_value());
    if (!whole) {
        require(message(whole.error()) == message(pieces.error()));
        return 0;
    }
    check_table(whole->ipv4, bad);
    check_table(whole->ipv6, bad);
    require(same(whole->ipv4, pieces->ipv4) && same(whole->ipv6, pieces->ipv6));
    return 0;
}
