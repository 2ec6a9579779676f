// The registry for the two widths that the product supports.
#include "fingerpost/net/address.hpp"
#include "fingerpost/registry/collect.hpp"

namespace fingerpost {

template std::span<const scheme_entry<ipv4_address>> schemes<ipv4_address>() noexcept;
template std::span<const scheme_entry<ipv6_address>> schemes<ipv6_address>() noexcept;

} // namespace fingerpost
