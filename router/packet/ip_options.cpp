// Walks lists of options, each with a type, a length and data.
#include "router/packet/ip_options.hpp"

#include <algorithm>

namespace fingerpost::router {

namespace {

// RFC 791 3.1, including the copied flag.
constexpr std::uint8_t end_of_list = 0, no_operation = 1, loose_source_route = 131, strict_source_route = 137;
// RFC 8200 4.2 and RFC 2711. The first two bits define how to treat a packet with an unknown option.
constexpr std::uint8_t pad1 = 0, padn = 1, router_alert = 5, action_bits = 0xc0;
constexpr std::size_t most_padding = 7, most_options = 8;

} // namespace

options_verdict inspect_ipv4_options(std::span<const std::uint8_t> options) noexcept {
    options_verdict verdict = options_verdict::forward;
    while (!options.empty() && options[0] != end_of_list) {
        std::size_t length = 1;
        if (options[0] != no_operation) {
            if (options.size() < 2 || options[1] < 2 || options[1] > options.size())
                return options_verdict::host;
            length = options[1];
        }
        if (options[0] == loose_source_route || options[0] == strict_source_route)
            verdict = options_verdict::source_route;
        options = options.subspan(length);
    }
    return verdict;
}

options_verdict inspect_hop_by_hop(std::span<const std::uint8_t> options) noexcept {
    std::size_t padding = 0, others = 0;
    while (!options.empty()) {
        const std::uint8_t type = options[0];
        std::size_t length = 1;
        if (type != pad1) {
            if (options.size() < 2 || options[1] + 2u > options.size())
                return options_verdict::host;
            length = options[1] + 2u;
        }
        const auto data =
            options.subspan(std::min<std::size_t>(length, 2), length - std::min<std::size_t>(length, 2));
        if (type == pad1 || type == padn) {
            padding += length;
            if (padding > most_padding || std::ranges::any_of(data, [](std::uint8_t b) { return b != 0; }))
                return options_verdict::host;
        } else {
            padding = 0;
            if (type == router_alert || (type & action_bits) != 0 || ++others > most_options)
                return options_verdict::host;
        }
        options = options.subspan(length);
    }
    return options_verdict::forward;
}

} // namespace fingerpost::router
