// Every scheme for the width that tests of tiny tables use, once for all folders; the library has those of 32
// and 128 bits.
#include "fingerpost/table/live_schemes_list.hpp"

namespace fingerpost {

template std::span<const scheme_entry<address<12>>> schemes<address<12>>() noexcept;
template std::span<const live_scheme<address<12>>> live_schemes<address<12>>() noexcept;

} // namespace fingerpost
