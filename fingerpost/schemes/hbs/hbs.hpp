// HBS, heuristic binary search: binary search on prefix lengths that knows which lengths the routes behind a
// marker have, and so passes over lengths that cannot match. Reconstructed, see the source.
//
// Binary search on lengths (schemes/binary_search_on_lengths) goes down a whole way of its tree, although few
// of the lengths on it have a route near the address. Here an entry also says which lengths the routes have
// that left their marker there, its origins. After a hit only these lengths can match; a length that is none
// is passed over without a probe when all that are left lie on one side of it in the tree, and the search
// ends when none is below.
//
//      entry, 16 bytes    [ first bits of a prefix 64 ]
//                         [ length 8 | passed 1 | ... | route 1 | users 8 | length of best match 8 |
//                           number of origins 12 | code of best match 20 ]
//      steps              next length to probe, by origins, length and hit or miss, a byte each
//
// Few different sets of origins occur, 570 in a full IPv6 table, so entries have numbers of sets and the rule
// is a table: a step has no branch but that on a bucket which others have passed.
//
// The tree is the one that needs the fewest probes of this search on a sample of addresses (probe_tree.hpp);
// a variant has the one in which routes are least deep. Variants have an array by the first 16 or 24 bits,
// with the best match among shorter lengths and the origins behind it, before the search.
//
// Lookup: 2.1 probes on average on routed addresses of a full IPv6 table, each one cache line, now and then
// two, and a byte of the steps between them; at most as many as the tree has levels.
// Memory: 16 bytes for each route and each marker, three quarters of the slots in use; 32 where more than 64
// bits count; 16 bytes in a list for each marker that is no route.
// Update: a few probes and, where the route is the best match of markers, these; a new length becomes a leaf
// of the tree. Where routes become deeper than they were the tree is rotated, which adds or removes markers
// at one length (editor.hpp). Not while it is read.
// Limits: 1,048,575 different next hops; all widths.
//
// Source: reconstructed from Jiang, Li, Chen, Hu, Huang, Xie, Heuristic binary search:
// adaptive and fast IPv6 route lookup with incremental updates, APNet 2023, of which the ideas are public but
// not the layout, the record of origins, the tree and when it is rotated.
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
class fib : public length_fib<A> {
    using base = length_fib<A>;

  public:
    // The ranges of changes are never looked at.
    static constexpr unsigned min_length_with_ranges = A::bits + 1;

    static expected<fib> build(const routes<A>& table, const build_options& options = {}) {
        length_counts<A> counts = count_lengths<A>(table.sorted());
        const std::vector<std::uint8_t> lengths = lengths_in_use<A>(counts);
        auto store = length_store<A>::build(
            table,
            {.tree = Tree == tree_kind::weighted ? weighted_tree<A>(lengths, counts)
                                                 : probe_tree<A>::make(table.sorted(), lengths),
             .has_origins = true,
             .front = {.bits = FrontBits, .block_bits = FrontBits > 16 ? 3U : 0U}},
            options);
        if (!store)
            return unexpected{store.error()};
        return fib(std::move(*store), options.isa, std::move(counts));
    }

    errc apply(const change<A>& c) { return editor_.apply(this->store_, c); }

    std::size_t memory_bytes() const noexcept {
        return total_bytes(this->store_.parts()) + editor_.memory_bytes() + sizeof *this;
    }
    std::vector<memory_part> memory_parts() const {
        const auto all = this->store_.parts();
        std::vector<memory_part> parts(all.begin(), all.end());
        parts.push_back({"markers", editor_.memory_bytes()});
        parts.push_back({"object", sizeof *this});
        return parts;
    }

    // For tests: a rotation that nothing asked for. errc::not_found without such a child.
    errc raise(unsigned length, bool left) {
        return editor_.can_raise(this->store_, length, left) ? editor_.raise(this->store_, length, left)
                                                             : errc::not_found;
    }
    const editor<A>& changes() const noexcept { return editor_; }

  private:
    fib(length_store<A> store, simd::isa isa, length_counts<A> counts)
        : base(std::move(store), isa), editor_(this->store_, std::move(counts)) {}

    editor<A> editor_;
};

} // namespace fingerpost::hbs
