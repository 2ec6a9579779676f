// Tables of schemes that are given by name, of the two widths that the product serves.
#include "fingerpost/net/address.hpp"
#include "fingerpost/table/table_by_name.inl.hpp"

namespace fingerpost {

template expected<table<ipv4_address>> table<ipv4_address>::create(const table_options&) noexcept;
template expected<table<ipv6_address>> table<ipv6_address>::create(const table_options&) noexcept;

} // namespace fingerpost
