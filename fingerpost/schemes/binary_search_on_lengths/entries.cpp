// Binary search on lengths for 32 and for 128 bits.
#include "fingerpost/schemes/binary_search_on_lengths/entries.hpp"

namespace fingerpost::binary_search_on_lengths {

template std::span<const scheme_entry<ipv4_address>> entries<ipv4_address>() noexcept;
template std::span<const scheme_entry<ipv6_address>> entries<ipv6_address>() noexcept;

} // namespace fingerpost::binary_search_on_lengths
