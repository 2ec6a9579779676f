// HBS, heuristic binary search: binary search on prefix lengths in which each marker has the lengths of its
// routes, so that lengths that cannot match are skipped. Reconstructed: see the source.
//
// Plain binary search on lengths (schemes/binary_search_on_lengths) follows a whole path of its tree,
// although few lengths on the path have a route near the address. Here an entry also stores its origins,
// which are the lengths of the routes that have it as a marker. After a hit, only these lengths can match.
// Any other length is skipped without a probe if all remaining lengths are on one side of it in the tree. The
// search ends when no length remains.
//
//      entry, 16 bytes    [ first bits of a prefix 64 ]
//                         [ length 8 | passed 1 | ... | route 1 | users 8 | length of best match 8 |
//                           number of origins 12 | code of best match 20 ]
//      steps              next length to probe for each set of origins, length and hit or miss; one byte
//
// A full IPv6 table has only 570 different sets of origins. So entries store the numbers of sets, and the
// rule above is a table lookup. A step branches only if other entries have overflowed its bucket.
//
// The tree needs the fewest probes for a sample of addresses (probe_tree.hpp). A variant uses the tree in
// which routes have the smallest average depth. Variants put an array indexed by the first 16 or 24 bits
// before the search. It stores the best match among shorter lengths, and the origins of longer routes.
//
// Lookup: 2.1 probes on average on routed addresses of a full IPv6 table, and at most as many as the tree has
// levels. A probe reads one cache line, rarely two; between probes one byte of the steps is read. Memory: 16
// bytes for each route and each marker, with 3/4 of the slots in use; 32 bytes for keys of more than 64 bits;
// and 16 bytes in a list for each marker that is not a route. Update: takes a few probes, and rewrites the
// markers of which the route is the best match. A new length becomes a leaf of the tree. If routes become
// deeper, the tree is rotated, which adds or removes markers at one length (editor.hpp). Not safe with
// concurrent readers. Limits: 1,048,575 different next hops; all widths.
//
// Source: reconstructed from Jiang, Li, Chen, Hu, Huang, Xie, Heuristic binary search: adaptive and fast IPv6
// route lookup with incremental updates, APNet 2023. The paper's ideas are public, but not its layout, its
// records of origins, its tree, and its rule for rotations.
//
// Tested by: the registry's suites and tests/schemes/hbs. Reading order: hbs.hpp, probe_tree.hpp,
// marker_list.hpp, editor.hpp, entries.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/lengths/length_fib.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/hbs/editor.hpp"
#include "fingerpost/schemes/hbs/probe_tree.hpp"

namespace fingerpost::hbs {

enum class tree_kind : std::uint8_t { fewest_probes, weighted };

template <class A, tree_kind Tree = tree_kind::fewest_probes, unsigned FrontBits = 0>
class fib : public length_fib<fib<A, Tree, FrontBits>, A> {
    using base = length_fib<fib, A>;
    friend base;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        base::for_each_array(of, visit);
        visit("markers", of.editor_);
    }

    // Changes do not use their affected ranges.
    static constexpr unsigned min_length_with_ranges = A::bits + 1;

    static expected<fib> build(const routes<A>& table, const build_options& options = {}) {
        length_counts<A> counts = count_lengths<A>(table.sorted());
        const std::vector<std::uint8_t> lengths = lengths_in_use<A>(counts);
        expected<fib> built = base::with(
            length_store<A>::build(table,
                                   {.tree = Tree == tree_kind::weighted
                                                ? weighted_tree<A>(lengths, counts)
                                                : probe_tree<A>::make(table.sorted(), lengths),
                                    .has_origins = true,
                                    .front = {.bits = FrontBits, .block_bits = FrontBits > 16 ? 3U : 0U}},
                                   options),
            options);
        if (built)
            built->editor_ = editor<A>(built->store_, std::move(counts));
        return built;
    }

    errc apply(const change<A>& c) { return editor_.apply(this->store_, c); }

    // For tests: rotates the tree immediately. Returns errc::not_found without such a child.
    errc raise(unsigned length, bool left) {
        return editor_.can_raise(this->store_, length, left) ? editor_.raise(this->store_, length, left)
                                                             : errc::not_found;
    }
    const editor<A>& changes() const noexcept { return editor_; }

  private:
    editor<A> editor_;
};

} // namespace fingerpost::hbs
