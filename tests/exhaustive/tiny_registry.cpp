// Every scheme for the tiny widths that only the tests of this folder use.
#include "fingerpost/fib/registry_list.hpp"

namespace fingerpost {

template std::span<const scheme_entry<address<3>>> schemes<address<3>>() noexcept;
template std::span<const scheme_entry<address<4>>> schemes<address<4>>() noexcept;
template std::span<const scheme_entry<address<5>>> schemes<address<5>>() noexcept;

} // namespace fingerpost
