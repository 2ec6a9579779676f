// The live table of the two widths that the product serves.
#include "fingerpost/table/table.inl.hpp"

namespace fingerpost {

template class detail::table_core<ipv4_address>;
template class detail::table_core<ipv6_address>;
template class transaction<ipv4_address>;
template class transaction<ipv6_address>;
template class table<ipv4_address>;
template class table<ipv6_address>;

} // namespace fingerpost
