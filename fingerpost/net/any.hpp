// An address or a prefix of either family, for what does not know the family before it runs.
#pragma once

#include <variant>

#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

using any_address = std::variant<ipv4_address, ipv6_address>;
using any_prefix = std::variant<ipv4_prefix, ipv6_prefix>;

} // namespace fingerpost
