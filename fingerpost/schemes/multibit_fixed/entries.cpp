// The fixed-stride multibit trie for 32 and for 128 bits.
#include "fingerpost/schemes/multibit_fixed/entries.hpp"

namespace fingerpost::multibit_fixed {

template std::span<const scheme_entry<ipv4_address>> entries<ipv4_address>() noexcept;
template std::span<const scheme_entry<ipv6_address>> entries<ipv6_address>() noexcept;

} // namespace fingerpost::multibit_fixed
