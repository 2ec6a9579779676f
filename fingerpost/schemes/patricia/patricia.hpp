// The path-compressed trie as a FIB: nodes only where routes end or part, keys checked on the way down.
//
// A binary trie has long ways on which nothing is decided. Here they are left out: a node knows how many
// bits lie above it, and its key is compared to make up for the bits that were not looked at. The structure
// is rib/path_trie.hpp, the store of the RIB itself; this file only builds one from sorted routes and looks
// up in it.
//
//      route  key | child 0 | child 1 | next hop | length     32 bytes for 128 bits, 20 for 32 bits
//      fork   child 0 | child 1 | stem | length               16 bytes, fewer of these than routes
//
//      2000::/3 --+--> fork 2001:db8::/33 ---0--> 2001:db8::/48
//                 |                      \---1--> 2001:db8:8000::/48
//
// Lookup: one dependent load a node, ended by the first key that does not fit. A match in
// tier1-v6 takes 25 loads on average and 40 at most, an address far from all routes very few: so it shines
// with uniform addresses and nowhere else.
// Memory: at most 48 bytes a route for 128 bits, 36 for 32 bits.
// Update: the same walk, then at most two nodes made or freed. Memory goes back by copying the trie once a
// twelfth of it is unused. Not while it is read: a node's key and length change together.
// Limits: 2^31 - 1 routes; all widths, all next hop ids.
// Batch: 16 walks in turn (interleave.hpp).
//
// Source: D. Morrison, PATRICIA, JACM 15(4), 1968; K. Sklower, A tree-based packet routing table for
// Berkeley Unix, 1991. Sklower's walk tests bits only and turns back up when the leaf does not fit;
// checking keys on the way down costs a comparison a node and spares the way back.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/interleave.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/rib/path_trie.hpp"

namespace fingerpost::patricia {

template <class A>
class fib {
  public:
    static expected<fib> build(const routes<A>& table, const build_options& = {}) {
        fib built;
        const errc failure = built.trie_.build(table.sorted());
        if (failure != errc::ok)
            return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept { return trie_.lookup(a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        lookup_interleaved<16>(trie_, in, out);
    }
    std::size_t memory_bytes() const noexcept { return total_bytes(parts()); }

    errc apply(const change<A>& c) noexcept {
        if (c.before == c.after)
            return errc::ok;
        const auto done = c.after == next_hop::none ? trie_.erase(c.where) : trie_.insert(c.where, c.after);
        if (!done)
            return done.error();
        trie_.compact();
        return errc::ok;
    }

    next_hop trace(A a, step_visitor each) const {
        auto w = trie_.start(a);
        for (bool goes_on = trie_.size() > 0; goes_on;) {
            const auto here = trie_.show(w.at);
            goes_on = trie_.step(w);
            // A fork compares the last bits before its own, a route all of them; then one bit chooses the
            // child.
            const unsigned length = here.where.length;
            const unsigned first = here.is_fork && length > 32 ? length - 32 : 0;
            const std::uint64_t sought = here.is_fork ? slice(a, first, length - first) : number_in_step(a);
            const bool fits = here.is_fork ? sought == here.key : here.where.contains(a);
            each({.part = part_of(here),
                  .at = here.at,
                  .offset = std::uint64_t{here.number} * here.bytes,
                  .bytes = here.bytes,
                  .first_bit = first,
                  .bits = std::min(length + 1, A::bits) - first,
                  .with = compared::keys,
                  .key = sought,
                  .values = std::span(&here.key, 1),
                  .result = goes_on ? outcome::goes_on
                            : fits  ? outcome::answered
                                    : outcome::missed,
                  .found = goes_on ? w.at : w.best.id});
        }
        return w.best;
    }
    std::vector<memory_part> memory_parts() const {
        const auto all = parts();
        return {all.begin(), all.end()};
    }
    void visit(node_visitor<A> each) const {
        trie_.for_each_node([&](const node& here, unsigned level) {
            each({.first = here.where.first(),
                  .last = here.where.last(),
                  .level = level,
                  .kind = here.is_fork ? "fork" : "route",
                  .part = part_of(here),
                  .bytes = here.bytes,
                  .children = here.children});
        });
    }

  private:
    using node = typename path_trie<A>::shown_node;

    static std::string_view part_of(const node& n) noexcept { return n.is_fork ? "forks" : "routes"; }
    std::array<memory_part, 3> parts() const noexcept {
        const std::size_t routes = trie_.route_bytes(), forks = trie_.fork_bytes();
        const std::size_t chunk_lists = trie_.memory_bytes() - routes - forks;
        return {{{"routes", routes}, {"forks", forks}, {"object", sizeof *this + chunk_lists}}};
    }

    path_trie<A> trie_;
};

} // namespace fingerpost::patricia
