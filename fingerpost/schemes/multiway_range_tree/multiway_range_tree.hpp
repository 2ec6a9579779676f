// Multiway range tree: a B-tree over the endpoints of all routes. Each edge stores the longest route that
// contains all addresses below the edge but not all addresses below the edge's node.
//
// Binary search among the ends of all routes (binary_search_on_prefixes) precomputes answers, so a change
// would have to recompute them. Here a route is stored at few edges, which are inside its range and as high
// up as possible: at most 2 * height * edges of a node. A lookup descends from the root to a leaf, and the
// last route on its path is the longest match.
//
//                 ( - , 10.0.255.255 ]    ( 10.0.255.255 , 10.255.255.255 ]    ( .. , 255.255.255.255 ]
//     root        -                       10.0.0.0/8                           -
//                      |                        |                                    |
//     leaf        ..., 9.255.255.255 | ...     10.1.255.255 | 10.2.255.255 | ...    ...
//     routes      -      10.0.0.0/8            10.1.0.0/16    10.2.0.0/16    -
//
// A node has 16 edges of 32 bits, or 8 of 64 or 128 bits. It has a cache line of keys (and one of second
// halves for 128 bits) and, for each edge, a child and a word with the length and the code of a route. All
// leaves have the same depth. A leaf has no children; the field instead counts the routes with that end.
//
// Lookup: for each level, a line of keys and one or two lines of edges; 6 levels for a full IPv4 table, 8 for
// IPv6. A batch takes each step for all lanes of a vector. Update (tree.hpp): two ends are added or removed,
// nodes are split and merged, and the route is stored or removed along the two paths. Limits: 2^31 - 1 nodes,
// 2^24 - 1 different next hops.
//
// With concurrent readers, each change copies the nodes that it writes, up to the root, and publishes the new
// root with one store (nodes.hpp). A lookup loads the root once, and the nodes below it do not change. So it
// always answers as before or after a change, even if several changes happen meanwhile.
//
// Source: S. Suri, G. Varghese, P. R. Warkhede, Multiway range trees: scalable IP lookup with fast updates,
// GLOBECOM 2001.
//
// Tested by: the registry's suites and tests/schemes/multiway_range_tree. Reading order:
// multiway_range_tree.hpp, view.hpp, cells.hpp, nodes.hpp, tree.hpp, ends.inl.hpp, kernels.inl.hpp,
// kernels.cpp, visit.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/multiway_range_tree/cells.hpp"
#include "fingerpost/schemes/multiway_range_tree/tree.hpp"
#include "fingerpost/schemes/multiway_range_tree/visit.hpp"

namespace fingerpost::multiway_range_tree {

template <class A>
class fib : public laid_out<fib<A>, A> {
    friend laid_out<fib, A>;
    using wide = wide_address<A>;
    using tree = range_tree<wide>;

  public:
    // Codes have 24 bits, because a word also has the length of the route.
    static constexpr std::uint32_t most_codes = code_mask;
    static constexpr std::size_t most_nodes = tree::most;
    // A change uses only its route and its cover.
    static constexpr unsigned min_length_with_ranges = A::bits + 1;

    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        tree::for_each_array(of.tree_, visit);
        visit("next hops", of.codec_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        const tree_view<wide> top = tree_.view();
        const wide sought = widen(a);
        std::uint32_t best = top.word, at = top.root;
        for (unsigned left = top.height; left > 0; --left) {
            const node<wide>& n = read(top.nodes, at);
            unsigned edge = 0;
            while (tree::key_at(n, edge) < sought)
                ++edge;
            best = std::max(best, n.word[edge]);
            at = n.below[edge];
            read.tell([&](auto& step) {
                step.looks_at(0, A::bits);
                step.compares_keys(number_in_step(a), {});
                for (unsigned i = 0; i < tree::edges_of(n); ++i)
                    step.held.push_back(number_in_step(narrow<A>(tree::key_at(n, i))));
                step.best = shape().hop_of(best);
            });
        }
        return read.answer(codec_.decoder(), (best & code_mask) - 1);
    }

    // Tests pass lower limits of nodes and codes to reach them.
    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               std::size_t nodes = most_nodes, std::uint32_t codes = most_codes) {
        fib built(nodes);
        std::vector<next_hop> hops;
        hops.reserve(table.size());
        for (const route<A>& r : table.sorted())
            hops.push_back(r.hop);
        built.codec_ = next_hop_codec::choose_below(hops, codes + 1);
        const auto cells = cells_of(table.sorted(), built.codec_);
        if (const errc failure = built.tree_.build(cells); failure != errc::ok)
            return unexpected{failure};
        built.ready(options);
        return built;
    }

    // Reserves room for 1/4 more nodes, and for a few changes if the table is small.
    static expected<fib> build_in_place(const routes<A>& table, const build_options& options = {}) {
        auto built = build(table, options);
        if (!built)
            return built;
        const std::size_t more = built->tree_.nodes() / 4 + 64 * tree::most_needed;
        if (const errc failure = built->tree_.reserve_room(more); failure != errc::ok)
            return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept { return codec_.decode(kernels_->single(tree_.view(), widen(a))); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        auto* const numbers = reinterpret_cast<std::uint32_t*>(out.data());
        for_each_wide_piece(in, [&](const wide* piece, std::size_t from, std::size_t count) {
            kernels_->batch(tree_.view(), piece, numbers + from, count);
        });
        codec_.decode(out.first(in.size()));
    }

    errc apply(const change<A>& c) noexcept {
        return or_reason([&] {
            if (!has_code(c.after) || !has_code(c.cover))
                return errc::capacity;
            const errc done = set(c);
            if (done == errc::ok)
                compact();
            return done;
        });
    }
    // With concurrent readers a change can use only existing codes, because readers use the list of next hops
    // too.
    errc apply_in_place(const change<A>& c, std::uint64_t version) noexcept {
        if (!codec_.can_encode(c.after) || !codec_.can_encode(c.cover) || !tree_.has_room())
            return errc::capacity;
        tree_.begin_beside_readers(version);
        return set(c);
    }
    std::size_t room() const noexcept { return tree_.room(); }
    static std::size_t needs(const change<A>&) noexcept { return tree::most_needed; }
    void reclaim(std::uint64_t version) noexcept { tree_.reclaim(version); }

    void visit(node_visitor<A> each) const { shape().visit(each); }
    void check(const layout_check& in) const { tree_.check(in, codec_); }
    void ready(const build_options& options) noexcept {
        kernels_ = &kernels_of(options.isa).template of<wide>();
    }

  private:
    explicit fib(std::size_t nodes = most_nodes) noexcept : tree_(nodes) {}

    structure<A> shape() const noexcept { return {.tree = tree_, .codec = codec_}; }
    // All next hops of the change must have codes.
    errc set(const change<A>& c) noexcept {
        if (c.before == c.after)
            return errc::ok;
        const auto p = widen(c.where);
        errc done = errc::ok;
        if (c.after != next_hop::none)
            done = tree_.insert(p, codec_.encode(c.after), c.before == next_hop::none);
        else if (c.cover != next_hop::none)
            tree_.erase(p, word_of(c.cover_length, codec_.encode(c.cover)));
        else
            tree_.erase(p, 0);
        tree_.publish();
        return done;
    }
    bool has_code(next_hop hop) { return codec_.can_encode(hop) || codec_.add(hop); }
    // Compacts the tree. Does nothing if memory is short.
    void compact() noexcept {
        (void)or_reason([&] {
            tree_.compact();
            return errc::ok;
        });
    }

    tree tree_;
    const tree_kernels<wide>* kernels_ = nullptr;
    next_hop_codec codec_;
};

} // namespace fingerpost::multiway_range_tree
