// The allotment routing table: a multibit trie with a stride of 8. A node is a complete binary tree in an
// array, and each route is written ("allotted") to all entries that it covers.
//
// A node has an entry, in heap order, for each prefix that is 0 to 8 bits longer than its own: entry 1 is the
// whole node, entry i / 2 is the prefix one bit shorter than entry i, and the last 256 entries, the fringe,
// are the octets. A route's number is written to its entry and to all entries below it, except those of
// longer routes. So one load from the fringe gives the answer. The heap order also shows which entries belong
// to a route, so no entry stores a length.
//
//      node     [ counter | 1 | 2 3 | 4 5 6 7 | ... | 256 ... 511 ]     512 entries of 4 bytes
//                                                   fringe: no route, a route, or a node below
//      routes   [ next hop ]                                            4 bytes a route
//
// A route as long as a node's prefix is entry 1 of that node. Shorter routes are not allotted to the node, so
// a change stays within one node. If the last node has no route for an address, the lookup goes back up. In
// each node on the path it reads the parent of the octet's entry.
//
// Lookup: one dependent load for each node and one for the next hop: 6 + 1 for a match of 48 bits. Memory:
// 2,048 bytes a node, even if it has few routes; later schemes avoid this with bitmaps. Update: writes at
// most 511 entries of one node, and creates or frees nodes on the path. Not safe with concurrent readers: the
// entries of a route change one by one, and nodes move. Limits: 2^31 - 2 nodes and routes; all widths and
// next hop ids. Batch: 32 lookups advance together and prefetch the entry of the next step. They do not store
// their path; the few that have to go back up are repeated one by one. IPv4 with AVX-512: 64 lookups with
// gathers.
//
// Source: Y. Hariguchi, Allotment routing table: a fast free multibit trie based routing table, 2002, after
// D. Knuth.
//
// Tested by: the registry's suites and tests/schemes/art. Reading order: art.hpp, table.hpp, kernels.hpp,
// kernels_avx512.hpp, kernels.cpp, entries.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/fib/parts/multibit/tree_check.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/art/kernels.hpp"
#include "fingerpost/schemes/art/table.hpp"

namespace fingerpost::art {

template <class A>
class fib : public laid_out<fib<A>, A> {
    friend laid_out<fib, A>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        table<A>::for_each_array(of.table_, visit);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        std::array<std::size_t, (A::bits + stride - 1) / stride> way;
        auto rest = cursor_of(a);
        unsigned depth = 0; // number of nodes above
        entry content = node_bit | table_.root();
        for (; is_node(content); ++depth) {
            way[depth] =
                std::size_t{content & ~node_bit} * node::entries + fringe + rest.template take<stride>();
            content = read_entry(read, way[depth], depth);
        }
        for (--depth; content == no_route && depth-- > 0;)
            content = read_entry(read, above(way[depth]), depth);
        return content == no_route ? next_hop::none : read(table_.routes(), content - 1);
    }

    // Needs no affected ranges: the heap order gives the entries of a route.
    static constexpr unsigned min_length_with_ranges = A::bits + 1;
    static constexpr std::size_t most = table<A>::most;

    // Tests pass a lower limit to reach it.
    static expected<fib> build(const routes<A>& from, const build_options& options = {},
                               std::size_t most_nodes = most) {
        fib built(most_nodes);
        built.ready(options);
        if (const errc failure = built.table_.build(from.sorted()); failure != errc::ok)
            return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        const std::size_t done = group_ != nullptr ? look_up_groups(in, out) : 0;
        for (std::size_t from = done; from < in.size(); from += block) {
            const std::size_t count = std::min(block, in.size() - from);
            look_up_block(in.subspan(from, count), out.subspan(from, count));
        }
    }

    errc apply(const change<A>& c) noexcept {
        if (c.before == c.after)
            return errc::ok;
        if (c.after == next_hop::none)
            table_.withdraw(c.where);
        else if (const errc failure = table_.announce(c.where, c.after); failure != errc::ok)
            return failure;
        if (table_.sparse())
            table_.compact();
        return errc::ok;
    }

    void visit(node_visitor<A> each) const { visit_below(table_.root(), prefix<A>{}, 0, 0, each); }

    void check(const layout_check& in) const {
        tree_check<A> tree(in, table_.node_count());
        tree.add(table_.root(), 1, 0, nullptr);
        tree.for_each([&](std::uint32_t number, unsigned depth) {
            const auto& heap = table_.nodes()[number].heap;
            for (unsigned at = 1; at < node::entries; ++at) {
                if (at >= fringe && is_node(heap[at]))
                    tree.add(heap[at] & ~node_bit, 1, depth + stride, &heap[at]);
                else if (heap[at] != no_route)
                    in.leads_into(table_.routes(), heap[at] - 1, 1, &heap[at]);
            }
        });
    }
    void ready(const build_options& options) noexcept {
        if (A::bits == 32 && options.tuning.direct_gathers)
            group_ = kernels_of(options.isa);
    }

  private:
    static constexpr std::size_t block = 32;

    explicit fib(std::size_t most_nodes = most) noexcept : table_(most_nodes) {}

    // Looks up the addresses that fill whole groups and returns their number.
    std::size_t look_up_groups(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if (table_.node_count() > most_gathered_nodes)
            return 0;
        const arrays from{entries(), table_.routes().data(), table_.root()};
        std::size_t done = 0;
        for (; in.size() - done >= group_lanes; done += group_lanes) {
            std::uint64_t turned = group_(from, &in[done], reinterpret_cast<std::uint32_t*>(&out[done]));
            for (; turned != 0; turned &= turned - 1) {
                const std::size_t at = done + static_cast<std::size_t>(std::countr_zero(turned));
                out[at] = lookup(in[at]);
            }
        }
        return done;
    }
    // The list of unfinished lookups is updated without a branch, because the depth of an address is hard to
    // predict.
    void look_up_block(std::span<const A> in, std::span<next_hop> out) const noexcept {
        const entry* const first_entry = entries();
        const std::size_t root = std::size_t{table_.root()} * node::entries;
        std::array<std::size_t, block> place;
        std::array<entry, block> contents;
        std::array<std::uint8_t, block> going;
        for (std::size_t i = 0; i < in.size(); ++i) {
            place[i] = root + table<A>::fringe_of(in[i], 0);
            __builtin_prefetch(&first_entry[place[i]]);
            going[i] = static_cast<std::uint8_t>(i);
        }
        std::size_t left = in.size();
        for (unsigned depth = stride; left > 0; depth += stride) {
            std::size_t still = 0;
            for (std::size_t i = 0; i < left; ++i) {
                const std::uint8_t lane = going[i];
                const entry content = first_entry[place[lane]];
                contents[lane] = content;
                if (is_node(content))
                    place[lane] = std::size_t{content & ~node_bit} * node::entries +
                                  table<A>::fringe_of(in[lane], depth);
                __builtin_prefetch(&first_entry[place[lane]]);
                going[still] = lane;
                still += content >> 31;
            }
            left = still;
        }
        for (std::size_t i = 0; i < in.size(); ++i)
            out[i] = contents[i] != no_route ? table_.routes()[contents[i] - 1] : lookup(in[i]);
    }

    // `place` numbers the entries of all nodes consecutively.
    template <class Read>
    entry read_entry(Read&& read, std::size_t place, unsigned depth) const {
        const entry content = read(entries(), place);
        read.tell([&](auto& step) {
            step.looks_at(depth * stride, stride);
            step.key = place % fringe;
            if (content == no_route)
                step.misses();
        });
        return content;
    }
    const entry* entries() const noexcept { return table_.nodes()->heap.data(); }
    // The entry of the prefix that is one bit shorter, in the same node.
    static constexpr std::size_t above(std::size_t place) noexcept {
        const std::size_t at = place % node::entries;
        return place - at + at / 2;
    }

    // The two halves of a heap are shown as two nodes: the fringe as a table of octets, the other entries by
    // number.
    void visit_below(std::uint32_t number, const prefix<A>& where, unsigned level, unsigned slot,
                     node_visitor<A> each) const {
        using value = typename A::value_type;
        const entry* const heap = table_.nodes()[number].heap.data();
        const std::uint64_t offset = std::uint64_t{number} * sizeof(node);
        each({.first = where.first(),
              .last = where.last(),
              .level = level,
              .kind = "node",
              .part = "nodes",
              .bytes = sizeof(node) / 2,
              .children =
                  1 + static_cast<std::size_t>(std::count_if(heap + fringe, heap + node::entries, is_node)),
              .offset = offset + sizeof(node) / 2,
              .slot = slot,
              .first_bit = where.length,
              .bits = std::min(stride, A::bits - where.length),
              .contents = [&](node_contents& to) {
                  for (unsigned i = 0; i < fringe; ++i)
                      add_answer(to, i, hop_of(heap[fringe + i]));
              }});
        each({.first = where.first(),
              .last = where.last(),
              .level = level + 1,
              .kind = "entries above",
              .part = "nodes",
              .bytes = sizeof(node) / 2,
              .offset = offset,
              .contents = [&](node_contents& to) {
                  for (unsigned i = 1; i < fringe; ++i)
                      add_answer(to, i, hop_of(heap[i]));
                  to.numbers = {{"routes and nodes below", heap[0]}};
              }});
        for (unsigned i = 0; i < fringe; ++i) {
            if (!is_node(heap[fringe + i]))
                continue;
            const unsigned length = where.length + stride;
            const value lower = shift_left(static_cast<value>(i), A::bits - length);
            visit_below(heap[fringe + i] & ~node_bit,
                        prefix<A>::make(A{static_cast<value>(where.base.value | lower)}, length), level + 1,
                        i, each);
        }
    }
    // `none` for an entry that leads to a node.
    next_hop hop_of(entry e) const noexcept {
        return e == no_route || is_node(e) ? next_hop::none : table_.routes()[e - 1];
    }

    table<A> table_;
    group_kernel group_ = nullptr; // null if there is no kernel
};

} // namespace fingerpost::art
