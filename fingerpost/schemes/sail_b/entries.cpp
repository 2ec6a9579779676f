// SAIL_B for 32 and for 128 bits.
#include "fingerpost/schemes/sail_b/entries.hpp"

namespace fingerpost::sail_b {

template std::span<const scheme_entry<ipv4_address>> entries<ipv4_address>() noexcept;
template std::span<const scheme_entry<ipv6_address>> entries<ipv6_address>() noexcept;

} // namespace fingerpost::sail_b
