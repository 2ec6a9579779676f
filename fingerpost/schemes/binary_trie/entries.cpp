// The unibit trie for 32 and for 128 bits.
#include "fingerpost/schemes/binary_trie/entries.hpp"

namespace fingerpost::binary_trie {

template std::span<const scheme_entry<ipv4_address>> entries<ipv4_address>() noexcept;
template std::span<const scheme_entry<ipv6_address>> entries<ipv6_address>() noexcept;

} // namespace fingerpost::binary_trie
