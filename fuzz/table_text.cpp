// Feeds bytes to the table reader, whole and in chunks. The table or the error must be equal, and routes must
// be sorted.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/format/text/table_text.hpp"

namespace {

using namespace fingerpost;

void require(bool holds) {
    if (!holds)
        std::abort();
}

expected<io::one_table, io::input_error> read(std::string_view text, std::size_t chunk,
                                              const io::table_options& options) {
    io::table_reader reader("fuzz", options);
    for (std::size_t at = 0; at < text.size() && reader.feed(text.substr(at, chunk)); at += chunk) {
    }
    return std::move(reader).finish();
}

template <class A>
void check_table(const io::loaded_table<A>& table) {
    for (std::size_t i = 0; i < table.routes.size(); ++i) {
        const route<A>& r = table.routes[i];
        require(r.hop.id < table.values.size());
        require(prefix<A>::is_canonical(r.where.base, r.where.length) && r.where.length <= A::bits);
        require(i == 0 || table.routes[i - 1].where < r.where);
    }
    // A range of addresses on one line is at most two prefixes of each length.
    require(table.routes.size() + table.counts.duplicates <= table.counts.lines * 2 * A::bits);
}

// Reading both families of an input must give the same result as reading each separately. Only lines without
// a family, such as a default route or a range of numbers, may count for another family if one is requested.
void check_both(std::string_view text, const io::table_options& options) {
    if (text.find("default") != std::string_view::npos || text.find('-') != std::string_view::npos)
        return;
    io::table_reader reader("fuzz", {.both = true, .policy = options.policy});
    (void)reader.feed(text);
    const auto both = std::move(reader).finish_both();
    if (!both)
        return;
    check_table(both->ipv4);
    check_table(both->ipv6);
    const auto four = read(text, text.size() + 1, {.only = family::ipv4, .policy = options.policy});
    const auto six = read(text, text.size() + 1, {.only = family::ipv6, .policy = options.policy});
    require(four && std::get<io::loaded_table<ipv4_address>>(*four).routes == both->ipv4.routes);
    require(six && std::get<io::loaded_table<ipv6_address>>(*six).routes == both->ipv6.routes);
}

template <class A>
bool same(const io::loaded_table<A>& a, const io::one_table& any) {
    const auto* const b = std::get_if<io::loaded_table<A>>(&any);
    return b != nullptr && a.routes == b->routes && a.values.size() == b->values.size();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1)
        return 0;
    io::table_options options;
    if ((data[0] & 1) != 0)
        options.policy = host_bits::refuse;
    if ((data[0] & 2) != 0)
        options.only = (data[0] & 4) != 0 ? family::ipv4 : family::ipv6;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    check_both(text, options);
    const auto whole = read(text, size, options);
    const auto pieces = read(text, std::size_t{1} + (data[0] >> 3), options);
    require(whole.has_value() == pieces.has_value());
    if (!whole) {
        require(message(whole.error()) == message(pieces.error()));
        return 0;
    }
    std::visit(
        [&](const auto& table) {
            check_table(table);
            require(same(table, *pieces));
        },
        *whole);
    return 0;
}
