// The schemes of tables for the two widths that the product serves.
#include "fingerpost/table/live_schemes_list.hpp"

namespace fingerpost {

template std::span<const live_scheme<ipv4_address>> live_schemes<ipv4_address>() noexcept;
template std::span<const live_scheme<ipv6_address>> live_schemes<ipv6_address>() noexcept;

} // namespace fingerpost
