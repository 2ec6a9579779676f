// Every scheme for the tiny widths that only the tests of this folder use.
#include "fingerpost/table/live_schemes_list.hpp"
#include "tests/support/effort.hpp"

namespace fingerpost {

template std::span<const scheme_entry<address<7>>> schemes<address<7>>() noexcept;
template std::span<const live_scheme<address<7>>> live_schemes<address<7>>() noexcept;
#if FINGERPOST_EVERY_WIDTH
template std::span<const scheme_entry<address<6>>> schemes<address<6>>() noexcept;
template std::span<const scheme_entry<address<9>>> schemes<address<9>>() noexcept;
#endif

} // namespace fingerpost
