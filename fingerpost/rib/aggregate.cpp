// Aggregation for the two address widths that the product supports.
#include "fingerpost/rib/aggregate.inl.hpp"

namespace fingerpost {

template std::vector<route<ipv4_address>> aggregate(std::span<const route<ipv4_address>>, std::size_t);
template std::vector<route<ipv6_address>> aggregate(std::span<const route<ipv6_address>>, std::size_t);

} // namespace fingerpost
