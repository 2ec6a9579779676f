// Packed leaves of the two widths that the product serves.
#include "fingerpost/fib/packed_leaves.hpp"

namespace fingerpost {

template class packed_leaves<ipv4_address>;
template class packed_leaves<ipv6_address>;

} // namespace fingerpost
