// The live tables of the two widths that the product serves.
#include "fingerpost/table/table.inl.hpp"

namespace fingerpost {

template class detail::table_core<ipv4_address>;
template class detail::table_core<ipv6_address>;
FINGERPOST_TABLES()

} // namespace fingerpost
