// Checks the numbers of payloads (RFC 6811, RFC 9582).
#include "io/format/vrps/payload.hpp"

#include <array>
#include <charconv>
#include <cstdint>

namespace fingerpost::io {
namespace {

template <class N>
std::optional<N> number_of(std::string_view text) {
    N number{};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size())
        return std::nullopt;
    return number;
}

} // namespace

const std::vector<std::string>& payload_columns() {
    static const std::vector<std::string> names{"asn", "max_length", "ta"};
    return names;
}

std::optional<route_fault> add_payload(joined_table& table, const payload& roa) {
    const auto refuse = [](std::string_view text, std::string_view reason) {
        return route_fault{std::string(text), std::string(reason)};
    };
    std::string_view digits = roa.asn;
    if (digits.starts_with("AS") || digits.starts_with("as"))
        digits.remove_prefix(2);
    const auto asn = number_of<std::uint32_t>(digits);
    if (!asn)
        return refuse(roa.asn, "not an AS number");
    const std::size_t slash = roa.prefix.find('/');
    if (slash == std::string_view::npos)
        return refuse(roa.prefix, "not a prefix with a length");
    const auto length = number_of<unsigned>(roa.prefix.substr(slash + 1));
    const unsigned longest =
        detect_family(roa.prefix) == family::ipv4 ? ipv4_address::bits : ipv6_address::bits;
    const auto max_length = roa.max_length.empty() ? length : number_of<unsigned>(roa.max_length);
    // Faults of the prefix itself are reported by add().
    if (length && *length <= longest && (!max_length || *max_length < *length || *max_length > longest))
        return refuse(roa.max_length, "the maximum length of " + std::string(roa.prefix) + " is not from " +
                                          std::to_string(*length) + " to " + std::to_string(longest));
    const std::string number = std::to_string(*asn);
    const std::string last = std::to_string(max_length.value_or(0));
    return table.add(roa.prefix, std::array<std::string_view, 3>{number, last, roa.ta});
}

} // namespace fingerpost::io
