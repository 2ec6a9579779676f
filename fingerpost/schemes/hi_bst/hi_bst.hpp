// Hi-BST, reconstructed: a balanced search tree over the routes themselves. Each route stores the innermost
// route around it.
//
// Idea. Routes are ordered by their first address; of equal ones the shorter comes first. Take the last route
// that begins at or before an address. Either it contains the address, and then it is the longest match, or
// the longest match is one of the routes around it. So a lookup is one search and a short climb, and a route
// is one node of one tree, whatever its length.
//
//     routes   10.0.0.0/8   10.1.0.0/16   10.1.2.0/24   192.0.2.0/24
//     around   -            10.0.0.0/8    10.1.0.0/16   -
//
//    10.1.3.4: the last route before it is 10.1.2.0/24, which does not contain it; 10.1.0.0/16 around that
//    does
//
// The tree is in Eytzinger order: the children of node k are 2k and 2k + 1. So there are no pointers, all
// lookups go down equally far, and the nodes needed four levels below (two levels for 128 bits) are one cache
// line.
//
//     keys     | - | root | 2 nodes | 4 nodes | ...     first addresses: 4, 8 or 16 bytes
//     routes   | - | root | 2 nodes | 4 nodes | ...     the node around it, the length, the code: 8 bytes
//
// Lookup: log2 of the number of routes in steps, 20 for a full IPv4 table and 18 for IPv6, and one line for
// each route that is examined, 1.04 on average. The climb reads no keys: all routes around a route share its
// first bits, so the bits that it shares with the address tell which of them contain the address. A batch
// goes down for 16 addresses in turn without a branch.
// Update: none; a change needs a new build.
// Limits: 2^31 - 1 routes, 2^24 - 1 different next hops.
//
// Source: reconstructed. CRAM (NSDI 2025) uses Hi-BST as its baseline and states its size; the layout of its
// nodes is not public.
//
// Tested by: the suites over the registry, and tests/schemes/hi_bst.
// Read in this order: hi_bst.hpp, view.hpp, inspect.hpp, entries.{hpp,cpp}.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/scheme.hpp"
#include "fingerpost/schemes/hi_bst/inspect.hpp"
#include "fingerpost/schemes/hi_bst/view.hpp"

namespace fingerpost::hi_bst {

template <class A>
class fib {
    using value = typename A::value_type;

  public:
    static constexpr std::size_t most_routes = 0x7fffffff;

    // Lower limits of routes and codes are for tests of what happens when they are reached.
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

    next_hop lookup(A a) const noexcept {
        std::uint32_t number;
        find<1>(&a, &number);
        return codec_.decode(number);
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        auto* const numbers = reinterpret_cast<std::uint32_t*>(out.data());
        std::size_t done = 0;
        for (; done + lanes <= in.size(); done += lanes)
            find<lanes>(in.data() + done, numbers + done);
        for (const A& a : in.subspan(done))
            find<1>(&a, numbers + done++);
        codec_.decode(out.first(in.size()));
    }

    std::size_t memory_bytes() const noexcept { return total_bytes(inspect().parts()); }

    next_hop trace(A a, step_visitor each) const { return inspect().trace(a, each); }
    std::vector<memory_part> memory_parts() const {
        const auto all = inspect().parts();
        return {all.begin(), all.end()};
    }
    void visit(node_visitor<A> each) const { inspect().visit(each); }

  private:
    static constexpr unsigned lanes = 16;
    // Nodes this many levels below a node fill a cache line, which starts at a multiple of this.
    static constexpr std::size_t line_keys = 64 / sizeof(value);

    inspector<A> inspect() const noexcept {
        return {.keys = keys_.span(), .nodes = nodes_.span(), .codec = codec_};
    }
    std::size_t size() const noexcept { return keys_.size() - 1; }

    void fill(std::span<const route<A>> sorted) {
        std::vector<std::uint32_t> places;
        places.reserve(sorted.size());
        append_places(1, places);
        std::vector<std::uint32_t> around; // by rank: the routes that contain the current one, the innermost
                                           // last
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

    // Writes codes minus one for this many addresses. Lanes go down together: all levels but the last are
    // full.
    template <unsigned Lanes>
    void find(const A* in, std::uint32_t* out) const noexcept {
        const value* const keys = keys_.data();
        const std::size_t count = size();
        std::array<std::size_t, Lanes> at;
        at.fill(1);
        for (auto level = static_cast<unsigned>(std::bit_width(count)); level > 1; --level)
            for (unsigned i = 0; i < Lanes; ++i) {
                __builtin_prefetch(keys + at[i] * line_keys);
                at[i] = 2 * at[i] + (keys[at[i]] <= in[i].value ? 1 : 0);
            }
        for (unsigned i = 0; i < Lanes; ++i) {
            // A missing node of the last level counts as one whose key is above.
            const bool there = at[i] <= count;
            const bool right = keys[there ? at[i] : 0] <= in[i].value;
            at[i] = node_before(2 * at[i] + (there && right ? 1 : 0));
            if constexpr (Lanes > 1)
                __builtin_prefetch(&nodes_[at[i]]);
        }
        for (unsigned i = 0; i < Lanes; ++i) {
            const unsigned shared = common_length(in[i], A{keys[at[i]]});
            node now = nodes_[at[i]];
            while (length_of(now.word) > shared)
                now = nodes_[now.around];
            out[i] = (now.word & code_mask) - 1;
        }
    }

    aligned_array<value> keys_;
    aligned_array<node> nodes_;
    next_hop_codec codec_;
};

} // namespace fingerpost::hi_bst
