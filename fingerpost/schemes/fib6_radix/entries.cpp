// The radix tree for 32 and for 128 bits.
#include "fingerpost/schemes/fib6_radix/entries.hpp"

namespace fingerpost::fib6_radix {

template std::span<const scheme_entry<ipv4_address>> entries<ipv4_address>() noexcept;
template std::span<const scheme_entry<ipv6_address>> entries<ipv6_address>() noexcept;

} // namespace fingerpost::fib6_radix
