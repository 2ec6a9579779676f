// Hi-BST, reconstructed: a balanced search tree of the routes, each of which links to its cover.
//
// Routes are ordered by their first address, and shorter ones come first. Take the last route that starts at
// or before an address. Either it contains the address and is the longest match, or the longest match is one
// of its covers. So a lookup is one search and a short climb, and each route is one node.
//
//     routes   10.0.0.0/8   10.1.0.0/16   10.1.2.0/24   192.0.2.0/24
//     around   -            10.0.0.0/8    10.1.0.0/16   -
//
//    10.1.3.4: the last route before it is 10.1.2.0/24, which does not contain it; the cover 10.1.0.0/16
//    does
//
// The tree is in Eytzinger order: the children of node k are 2k and 2k + 1. So there are no pointers, all
// lookups take the same number of steps, and the possible nodes four levels below (two levels for 128 bits)
// are one cache line.
//
//     keys     | - | root | 2 nodes | 4 nodes | ...     first addresses: 4, 8 or 16 bytes
//     routes   | - | root | 2 nodes | 4 nodes | ...     the cover's node, the length, the code: 8 bytes
//
// Lookup: log2(N) steps for N routes, 20 for a full IPv4 table and 18 for IPv6, and one cache line for each
// route that is examined, 1.04 on average. The climb does not read keys: a cover contains the address if it
// is not longer than the common bits of the route and the address. In a batch, 16 addresses descend together
// without a branch. Update: not supported; a live table rebuilds the FIB. Limits: 2^31 - 1 routes, 2^24 - 1
// different next hops.
//
// Source: reconstructed. CRAM (NSDI 2025) uses Hi-BST as its baseline and states its size; the layout of its
// nodes is not public.
//
// Tested by: the registry's suites and tests/schemes/hi_bst. Reading order: hi_bst.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/scheme.hpp"

namespace fingerpost::hi_bst {

// The node of a route's cover, and a word with the length and the code of the route. Node 0 means no route.
// It contains every address and has the code of `none`, so every climb ends there at the latest.
struct node {
    std::uint32_t around = 0;
    std::uint32_t word = 0;
};
static_assert(sizeof(node) == 8);

inline constexpr unsigned code_bits = 24;
inline constexpr std::uint32_t code_mask = (std::uint32_t{1} << code_bits) - 1;
constexpr std::uint32_t word_of(unsigned length, std::uint32_t code) noexcept {
    return length << code_bits | code;
}
constexpr unsigned length_of(std::uint32_t word) noexcept {
    return word >> code_bits;
}

// The binary digits of a place below the leaves are the turns on the path to it, 1 for each turn to the
// right. The node of the last right turn is the last one whose key is not above the address; 0 if there is
// none.
constexpr std::size_t node_before(std::size_t below_leaves) noexcept {
    return below_leaves >> (std::countr_zero(below_leaves) + 1);
}

template <class A>
class fib : public laid_out<fib<A>, A> {
    friend laid_out<fib, A>;
    using value = typename A::value_type;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("keys", of.keys_);
        visit("routes", of.nodes_);
        visit("next hops", of.codec_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        if (size() == 0)
            return next_hop::none;
        std::size_t at = 1;
        while (at <= size()) {
            __builtin_prefetch(keys_.data() + at * line_keys);
            const value& key = read(keys_, at);
            read.tell([&](auto& step) {
                step.looks_at(0, A::bits);
                step.compares_keys(number_in_step(a), {number_in_step(A{key})});
            });
            at = 2 * at + (key <= a.value ? 1 : 0);
        }
        at = node_before(at);
        const unsigned shared = common_length(a, A{keys_[at]});
        for (;;) {
            const node& n = read(nodes_, at);
            if (length_of(n.word) <= shared)
                return read.answer(codec_.decoder(), number_of(n));
            read.tell([](auto& step) { step.misses(); });
            at = n.around;
        }
    }

    static constexpr std::size_t most_routes = 0x7fffffff;

    // Tests pass lower limits of routes and codes to reach them.
    static expected<fib> build(const routes<A>& table, const build_options& = {},
                               std::size_t most = most_routes, std::uint32_t codes = code_mask) {
        check_size(table.size(), most, "routes");
        std::vector<next_hop> hops;
        hops.reserve(table.size());
        for (const route<A>& r : table.sorted())
            hops.push_back(r.hop);
        fib built;
        built.codec_ = next_hop_codec::choose_below(hops, codes + 1);
        auto keys = aligned_array<value>::make(table.size() + 1);
        auto nodes = aligned_array<node>::make(table.size() + 1);
        if (!keys || !nodes)
            return unexpected{errc::out_of_memory};
        built.keys_ = std::move(*keys);
        built.nodes_ = std::move(*nodes);
        built.fill(table.sorted());
        return built;
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        std::size_t done = 0;
        for (; done + lanes <= in.size(); done += lanes)
            find_block(in.data() + done, reinterpret_cast<std::uint32_t*>(out.data()) + done);
        codec_.decode(out.first(done));
        for (; done < in.size(); ++done)
            out[done] = lookup(in[done]);
    }

    void visit(node_visitor<A> each) const { visit_below(1, {}, A::first(), A::last(), each); }

    // Lengths decrease along covers, so each climb ends, at the latest at node 0.
    void check(const layout_check& in) const {
        in.require(keys_.size() > 0 && keys_.size() == nodes_.size(), nullptr,
                   "keys and routes do not match");
        for (const node& n : nodes_.span()) {
            in.is_code(codec_, n.word & code_mask, &n);
            const unsigned length = length_of(n.word);
            in.require(length == 0 || (n.around < nodes_.size() && length_of(nodes_[n.around].word) < length),
                       &n, "a route has an invalid cover");
        }
    }

  private:
    static constexpr unsigned lanes = 16;
    // The nodes this many levels below a node fill a cache line. They start at a multiple of this.
    static constexpr std::size_t line_keys = 64 / sizeof(value);

    std::size_t size() const noexcept { return keys_.size() - 1; }

    void fill(std::span<const route<A>> sorted) {
        std::vector<std::uint32_t> places;
        places.reserve(sorted.size());
        append_places(1, places);
        // ranks of the routes that contain the current one, the innermost last
        std::vector<std::uint32_t> around;
        for (std::uint32_t rank = 0; rank < sorted.size(); ++rank) {
            const route<A>& r = sorted[rank];
            while (!around.empty() && !sorted[around.back()].where.covers(r.where))
                around.pop_back();
            keys_[places[rank]] = r.where.base.value;
            nodes_[places[rank]] = {around.empty() ? 0 : places[around.back()],
                                    word_of(r.where.length, codec_.encode(r.hop))};
            around.push_back(rank);
        }
    }
    // Lists the nodes at and below `k` in the order of their keys.
    void append_places(std::size_t k, std::vector<std::uint32_t>& places) const {
        if (k > size())
            return;
        append_places(2 * k, places);
        places.push_back(static_cast<std::uint32_t>(k));
        append_places(2 * k + 1, places);
    }

    // Writes codes minus one. The addresses descend together, because all levels but the last are full.
    void find_block(const A* in, std::uint32_t* out) const noexcept {
        const value* const keys = keys_.data();
        const std::size_t count = size();
        std::array<std::size_t, lanes> at;
        at.fill(1);
        for (auto level = static_cast<unsigned>(std::bit_width(count)); level > 1; --level)
            for (unsigned i = 0; i < lanes; ++i) {
                __builtin_prefetch(keys + at[i] * line_keys);
                at[i] = 2 * at[i] + (keys[at[i]] <= in[i].value ? 1 : 0);
            }
        for (unsigned i = 0; i < lanes; ++i) {
            // A missing node on the last level acts as one with a key above the address.
            const bool there = at[i] <= count;
            const bool right = keys[there ? at[i] : 0] <= in[i].value;
            at[i] = node_before(2 * at[i] + (there && right ? 1 : 0));
            __builtin_prefetch(&nodes_[at[i]]);
        }
        for (unsigned i = 0; i < lanes; ++i) {
            const unsigned shared = common_length(in[i], A{keys[at[i]]});
            node n = nodes_[at[i]];
            while (length_of(n.word) > shared)
                n = nodes_[n.around];
            out[i] = number_of(n);
        }
    }

    static std::uint32_t number_of(const node& of) noexcept { return (of.word & code_mask) - 1; }
    struct place {
        unsigned level = 0;
        std::uint64_t slot = 0; // 0 to the left, 1 to the right
    };
    // A node is shown with the addresses whose search passes it. If several routes have the same first
    // address, some have no such address; they are shown with an adjacent one.
    void visit_below(std::size_t at, const place& in, A first, A last, node_visitor<A> each) const {
        if (at > size())
            return;
        const std::size_t below = 2 * at;
        each({.first = first,
              .last = last,
              .level = in.level,
              .kind = "route",
              .part = "keys",
              .bytes = sizeof(value),
              .children = std::size_t{below <= size()} + std::size_t{below < size()},
              .offset = at * sizeof(value),
              .slot = in.slot,
              .bits = A::bits,
              .contents = [&](node_contents& to) {
                  to.with = compared::keys;
                  to.values.push_back(number_in_step(A{keys_[at]}));
                  add_answer(to, 0, codec_.decode(number_of(nodes_[at])));
                  to.numbers.push_back({"length", length_of(nodes_[at].word)});
                  to.numbers.push_back({"around", nodes_[at].around});
              }});
        const A key = std::max(A{keys_[at]}, first);
        const A left = key == first ? first : std::min(A{static_cast<value>(key.value - 1)}, last);
        visit_below(below, {in.level + 1, 0}, first, left, each);
        visit_below(below + 1, {in.level + 1, 1}, std::min(key, last), last, each);
    }

    aligned_array<value> keys_;
    aligned_array<node> nodes_;
    next_hop_codec codec_;
};

} // namespace fingerpost::hi_bst
