// The hidden forms, compiled once for all tests and fuzzers.
#include "tests/forms/hidden_forms.hpp"

#include "tests/forms/bounded_leaves.hpp"

namespace fingerpost::testing {

template <>
std::vector<scheme_entry<ipv4_address>> hidden_forms() {
    return {make_entry<ipv4_address, forced_bitmap_form>(
        {.name = "packed_leaves:forced_bitmaps", .vectorised = true, .large_when_empty = true})};
}

} // namespace fingerpost::testing
