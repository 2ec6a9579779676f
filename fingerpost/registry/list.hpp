// The one list of schemes: the folders of fingerpost/schemes, in the order in which they are shown. The first
// one is the default.
//
// A scheme's folder defines entries<A>() in its own namespace; see docs/hacking.md.
#pragma once

#define FINGERPOST_FOR_EACH_SCHEME(DO)                                                                       \
    DO(packed_leaves)                                                                                        \
    DO(planb)                                                                                                \
    DO(binary_trie)                                                                                          \
    DO(patricia)                                                                                             \
    DO(hash_by_length)                                                                                       \
    DO(dir_24_8)                                                                                             \
    DO(fib6_radix)                                                                                           \
    DO(lpc_trie)                                                                                             \
    DO(multibit_fixed)                                                                                       \
    DO(multibit_variable)                                                                                    \
    DO(tree_bitmap)                                                                                          \
    DO(bart)                                                                                                 \
    DO(art)                                                                                                  \
    DO(lulea)                                                                                                \
    DO(sail_b)                                                                                               \
    DO(sail_u)                                                                                               \
    DO(lc_trie)                                                                                              \
    DO(cp_trie)                                                                                              \
    DO(sail_l)                                                                                               \
    DO(poptrie)
