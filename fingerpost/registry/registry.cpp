// The registry for the two address widths that the product supports.
#include "fingerpost/net/address.hpp"
#include "fingerpost/registry/collect.hpp"

namespace fingerpost {

template std::span<const scheme_entry<ipv4_address>> schemes<ipv4_address>() noexcept;
template const scheme_entry<ipv4_address>* find_scheme<ipv4_address>(std::string_view) noexcept;
template std::vector<const scheme_entry<ipv4_address>*>
    schemes_and_named<ipv4_address>(std::span<const std::string>);
template std::string fault_of_strides(std::span<const scheme_entry<ipv4_address>>, std::string_view);
template const scheme_entry<ipv4_address>* scheme_with_strides(std::span<const scheme_entry<ipv4_address>>,
                                                               std::string_view) noexcept;
template std::span<const scheme_entry<ipv6_address>> schemes<ipv6_address>() noexcept;
template const scheme_entry<ipv6_address>* find_scheme<ipv6_address>(std::string_view) noexcept;
template std::vector<const scheme_entry<ipv6_address>*>
    schemes_and_named<ipv6_address>(std::span<const std::string>);
template std::string fault_of_strides(std::span<const scheme_entry<ipv6_address>>, std::string_view);
template const scheme_entry<ipv6_address>* scheme_with_strides(std::span<const scheme_entry<ipv6_address>>,
                                                               std::string_view) noexcept;

} // namespace fingerpost
