// Live tables of the two address widths that the product supports.
#include "fingerpost/table/table.inl.hpp"

namespace fingerpost {

template class detail::table_core<ipv4_address>;
template class detail::table_core<ipv6_address>;
FINGERPOST_TABLES()

} // namespace fingerpost
