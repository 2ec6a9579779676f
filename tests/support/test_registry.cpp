// The registry for the widths that only tests use. The library has those of 32 and 128 bits;
// tests/support/test_entries.cpp.in has the schemes themselves.
#include "fingerpost/net/address.hpp"
#include "fingerpost/registry/collect.hpp"
#include "tests/support/test_widths.hpp"

namespace fingerpost {

#define FINGERPOST_COLLECT(bits)                                                                             \
    template std::span<const scheme_entry<address<bits>>> schemes<address<bits>>() noexcept;
FINGERPOST_FOR_EACH_TEST_WIDTH(FINGERPOST_COLLECT)

} // namespace fingerpost
