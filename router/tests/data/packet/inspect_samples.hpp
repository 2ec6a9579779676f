// A frame for each rule of inspect(), with the result.
#pragma once

#include <string>
#include <vector>

#include "router/tests/data/packets.hpp"

namespace fingerpost::router::testing {

struct sample {
    std::string what;
    frame in;
    inspected out;
};

inline constexpr inspected ipv4{verdict::forward_ipv4, {}}, ipv6{verdict::forward_ipv6, {}},
    host{verdict::host, {}};
constexpr inspected drop(drop_reason why) {
    return {verdict::drop, why};
}

std::vector<sample> inspect_samples();

} // namespace fingerpost::router::testing
