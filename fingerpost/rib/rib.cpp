// The RIB for the two widths that the product supports.
#include "fingerpost/rib/rib.hpp"

namespace fingerpost {

template class path_trie<ipv4_address>;
template class path_trie<ipv6_address>;
template class rib<ipv4_address>;
template class rib<ipv6_address>;

} // namespace fingerpost
