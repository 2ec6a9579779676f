// Writes CSV rows without format strings, because tables have millions of rows.
#include "cli/convert/mrt_rows.hpp"

#include <charconv>
#include <cstdint>
#include <variant>

#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {
namespace {

// Largest size of a row without its origin: three addresses, a length and three numbers, with commas.
constexpr std::size_t row_room = 3 * 40 + 4 + 3 * 20;

char* put(std::uint32_t number, char* at) {
    return std::to_chars(at, at + 10, number).ptr;
}

char* put_fraction(std::uint32_t microseconds, char* at) {
    *at++ = '.';
    for (std::uint32_t unit = 100'000; unit != 0; unit /= 10)
        *at++ = static_cast<char>('0' + microseconds / unit % 10);
    return at;
}

template <class... Kinds>
char* put(const std::variant<Kinds...>& any, char* at) {
    return std::visit(
        [at](const auto& alternative) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(alternative)>, std::monostate>)
                return at;
            else
                return format(alternative, at);
        },
        any);
}

char kind_of(io::mrt::entry_kind kind) {
    switch (kind) {
    case io::mrt::entry_kind::announce:
        return 'A';
    case io::mrt::entry_kind::withdraw:
        return 'W';
    case io::mrt::entry_kind::rib:
        break;
    }
    return 'B';
}

void append_set(const io::mrt::origin_as& origin, std::string& out) {
    const char* before = "\"{";
    for (std::size_t i = 0; i < origin.size(); ++i) {
        out += before;
        out += std::to_string(origin[i]);
        before = ",";
    }
    out += "}\"";
}

} // namespace

void append_csv(const io::mrt::entry& e, std::string& out) {
    char row[row_room];
    char* at = row;
    *at++ = kind_of(e.kind);
    *at++ = ',';
    at = put(e.seconds, at);
    if (e.microseconds)
        at = put_fraction(*e.microseconds, at);
    *at++ = ',';
    at = put(e.peer, at);
    *at++ = ',';
    at = put(e.peer_as, at);
    *at++ = ',';
    at = put(e.where, at);
    *at++ = ',';
    at = put(e.next_hop, at);
    *at++ = ',';
    if (!e.origin.is_set() && e.origin.size() == 1)
        at = put(e.origin[0], at);
    out.append(row, at);
    if (e.origin.is_set())
        append_set(e.origin, out);
    out += '\n';
}

} // namespace fingerpost::cli
