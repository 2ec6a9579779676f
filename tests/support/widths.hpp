// Definitions of the library's templates, for tests of other widths than the compiled ones, 32 and 128 bits.
#pragma once

#include "fingerpost/image/image.inl.hpp"
#include "fingerpost/registry/registry.inl.hpp"
#include "fingerpost/rib/aggregate.inl.hpp"
#include "fingerpost/rib/rib.inl.hpp"
#include "fingerpost/table/table_by_name.inl.hpp"

// Instantiations that many tests share are compiled once, in test_registry.cpp.
namespace fingerpost {

#define FINGERPOST_TEST_TABLES(EXTERN)                                                                       \
    EXTERN template class path_trie<address<12>>;                                                            \
    EXTERN template class rib<address<12>>;                                                                  \
    EXTERN template class image_routes<address<12>>;                                                         \
    EXTERN template class image_view<address<12>>;                                                           \
    EXTERN template class image<address<12>>;                                                                \
    EXTERN template class detail::table_core<address<12>>;                                                   \
    FINGERPOST_FAMILY_TABLE(EXTERN, address<12>)
FINGERPOST_TEST_TABLES(extern)

} // namespace fingerpost
