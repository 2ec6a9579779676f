// The small schemes, compiled once for all tests and fuzzers.
#include "tests/small_schemes/small_schemes.hpp"

#include "tests/small_schemes/bounded_leaves.hpp"

namespace fingerpost::testing {

template <>
std::vector<scheme_entry<ipv4_address>> small_schemes() {
    return {make_entry<ipv4_address, forced_bitmap_form>(
        {.name = "packed_leaves:forced_bitmaps", .vectorised = true, .large_when_empty = true})};
}

} // namespace fingerpost::testing
