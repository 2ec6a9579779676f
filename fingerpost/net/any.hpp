// An address or a prefix of either family, for code that learns the family at run time.
#pragma once

#include <variant>

#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

using any_address = std::variant<ipv4_address, ipv6_address>;
using any_prefix = std::variant<ipv4_prefix, ipv6_prefix>;

} // namespace fingerpost
