// Tables with schemes selected by name, for the two address widths that the product supports.
#include "fingerpost/net/address.hpp"
#include "fingerpost/table/table_by_name.inl.hpp"

namespace fingerpost {

template expected<ipv4_table> table<ipv4_address>::create(const table_options&) noexcept;
template expected<ipv6_table> table<ipv6_address>::create(const table_options&) noexcept;
template expected<ip_table> table<ipv4_address, ipv6_address>::create(const table_options&) noexcept;

} // namespace fingerpost
