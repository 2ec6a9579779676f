// Tables of schemes that are given by name, of the two widths that the product serves.
#include "fingerpost/net/address.hpp"
#include "fingerpost/table/table_by_name.inl.hpp"

namespace fingerpost {

template expected<ipv4_table> ipv4_table::create(const table_options&) noexcept;
template expected<ipv6_table> ipv6_table::create(const table_options&) noexcept;
template expected<ip_table> ip_table::create(const table_options&) noexcept;

} // namespace fingerpost
