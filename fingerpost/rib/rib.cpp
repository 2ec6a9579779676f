// The RIB for the two address widths that the product supports.
#include "fingerpost/rib/rib.inl.hpp"

namespace fingerpost {

template expected<load_counts> put_in_order(std::vector<route<ipv4_address>>&);
template expected<load_counts> put_in_order(std::vector<route<ipv6_address>>&);
template class path_trie<ipv4_address>;
template class path_trie<ipv6_address>;
template class rib<ipv4_address>;
template class rib<ipv6_address>;

} // namespace fingerpost
