// The list of schemes: folders of fingerpost/schemes in display order. The first one is the default.
//
// A scheme's folder defines entries<A>() in its own namespace; see docs/inside/hacking.md.
#pragma once

#include "fingerpost/base/cxx20.hpp"

#define FINGERPOST_FOR_EACH_SCHEME(DO)                                                                       \
    DO(packed_leaves)                                                                                        \
    DO(ranked_cells)                                                                                         \
    DO(planb)                                                                                                \
    DO(binary_trie)                                                                                          \
    DO(patricia)                                                                                             \
    DO(bsd_radix)                                                                                            \
    DO(fib6_radix)                                                                                           \
    DO(lc_trie)                                                                                              \
    DO(lpc_trie)                                                                                             \
    DO(multibit_fixed)                                                                                       \
    DO(multibit_variable)                                                                                    \
    DO(lulea)                                                                                                \
    DO(tree_bitmap)                                                                                          \
    DO(sail_b)                                                                                               \
    DO(sail_u)                                                                                               \
    DO(sail_l)                                                                                               \
    DO(sail_m)                                                                                               \
    DO(poptrie)                                                                                              \
    DO(neurotrie)                                                                                            \
    DO(cp_trie)                                                                                              \
    DO(art)                                                                                                  \
    DO(bart)                                                                                                 \
    DO(binary_search_on_prefixes)                                                                            \
    DO(multiway_range_tree)                                                                                  \
    DO(hi_bst)                                                                                               \
    DO(expanded_lengths)                                                                                     \
    DO(hash_by_length)                                                                                       \
    DO(binary_search_on_lengths)                                                                             \
    DO(hbs)                                                                                                  \
    DO(bihash_by_length)                                                                                     \
    DO(dir_24_8)                                                                                             \
    DO(dxr)                                                                                                  \
    DO(trie_24_8)
