// Every scheme for the tiny widths that the tests of this folder use; the library has those of 32 and 128
// bits.
#include "fingerpost/fib/registry_list.hpp"

namespace fingerpost {

template std::span<const scheme_entry<address<12>>> schemes<address<12>>() noexcept;

} // namespace fingerpost
