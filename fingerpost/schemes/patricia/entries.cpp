// The path-compressed trie of the two widths that the product serves.
#include "fingerpost/schemes/patricia/entries.hpp"

namespace fingerpost::patricia {

template std::span<const scheme_entry<ipv4_address>> entries<ipv4_address>() noexcept;
template std::span<const scheme_entry<ipv6_address>> entries<ipv6_address>() noexcept;

} // namespace fingerpost::patricia
