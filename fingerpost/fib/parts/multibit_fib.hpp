// The FIBs of controlled prefix expansion, leaf-pushed and not, for any way of choosing strides.
//
// A Plan is made from the routes that are longer than 0. It offers `type`, where walks learn strides;
// strides(); of_node(first route, depth, level), the stride of a node by the number of the first route below
// it; and of_new(strides, level, bits left), that of a node which a change begins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/multibit_patch.hpp"
#include "fingerpost/fib/parts/multibit_trie.hpp"
#include "fingerpost/fib/parts/next_hop_codec.hpp"
#include "fingerpost/fib/parts/packed_trie.hpp"
#include "fingerpost/fib/patchable.hpp"

namespace fingerpost {

namespace multibit {

// Routes in prefix order without the one of length 0, whose next hop is told apart.
template <class A>
struct split_routes {
    next_hop everywhere = next_hop::none;
    std::span<const route<A>> others{};

    explicit split_routes(std::span<const route<A>> sorted) : others(sorted) {
        if (!sorted.empty() && sorted.front().where.length == 0) {
            everywhere = sorted.front().hop;
            others = sorted.subspan(1);
        }
    }
};

// Without the routes that lead where their cover leads. Throws std::bad_alloc.
template <class A>
std::vector<route<A>> without_redundant(std::span<const route<A>> sorted) {
    std::vector<route<A>> kept;
    std::vector<const route<A>*> covers; // of the current route, the longest one last
    for (const route<A>& r : sorted) {
        while (!covers.empty() && !covers.back()->where.covers(r.where))
            covers.pop_back();
        if (covers.empty() || covers.back()->hop != r.hop)
            kept.push_back(r);
        covers.push_back(&r);
    }
    return kept;
}

template <class A, class Plan, class Trie, class Set>
errc build(Trie& trie, std::span<const route<A>> sorted, typename Trie::slot none, Set set) {
    const Plan plan(sorted);
    const auto stride_of = [&](std::span<const route<A>> inside, unsigned depth, unsigned level) {
        return plan.of_node(static_cast<std::size_t>(inside.data() - sorted.data()), depth, level);
    };
    return trie.build(plan.strides(), sorted, none, stride_of, set);
}

} // namespace multibit

// Slots of four bytes, a child or the code of an answer; never changed.
template <class A, class Plan, class Trie = multibit_trie<A, pushed_slot, typename Plan::type>>
class pushed_fib {
    using trie = Trie;

  public:
    static expected<pushed_fib> build(const routes<A>& table, const build_options& = {},
                                      std::size_t most_slots = trie::most_slots) {
        const std::vector<route<A>> kept = multibit::without_redundant(table.sorted());
        const multibit::split_routes<A> split{std::span(kept)};
        pushed_fib built(most_slots);
        std::vector<next_hop> hops;
        hops.reserve(kept.size());
        for (const route<A>& r : kept)
            hops.push_back(r.hop);
        built.codec_ = next_hop_codec::choose_below(hops, trie::slot::child_mark);
        const auto set = [&](auto& slot, const route<A>& r, unsigned) {
            slot.word = built.codec_.encode(r.hop);
        };
        typename trie::slot covered;
        covered.word = built.codec_.encode(split.everywhere);
        const errc failure = multibit::build<A, Plan>(built.trie_, split.others, covered, set);
        if (failure != errc::ok)
            return unexpected{failure};
        built.trie_.trim();
        return built;
    }

    next_hop lookup(A a) const noexcept { return decode(trie_.find(a)); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        trie_.find_codes(in, out);
        codec_.decode(out.first(in.size()));
    }
    std::size_t memory_bytes() const noexcept { return total_bytes(parts()); }

    next_hop trace(A a, step_visitor each) const {
        return trie_.trace(a, each, [this](auto slot) { return decode(slot); });
    }
    std::vector<memory_part> memory_parts() const {
        const auto all = parts();
        return {all.begin(), all.end()};
    }
    void visit(node_visitor<A> each) const { trie_.visit(each); }

  private:
    explicit pushed_fib(std::size_t most_slots) noexcept : trie_(most_slots) {}

    std::array<memory_part, 3> parts() const noexcept {
        return {
            {{"nodes", trie_.slot_bytes()}, {"next hops", codec_.memory_bytes()}, {"object", sizeof *this}}};
    }
    next_hop decode(typename trie::slot leaf) const noexcept { return codec_.decode(leaf.code() - 1); }
    trie trie_;
    next_hop_codec codec_;
};

// Slots of eight bytes, a next hop and a child; takes changes.
template <class A, class Plan>
class open_fib {
    using trie = open_trie<A, typename Plan::type>;

  public:
    // A change is told by its prefix and its cover alone.
    static constexpr unsigned min_length_with_ranges = A::bits + 1;

    static expected<open_fib> build(const routes<A>& table, const build_options& = {},
                                    std::size_t most_slots = trie::most_slots) {
        const multibit::split_routes<A> split{table.sorted()};
        open_fib built(most_slots);
        built.everywhere_ = split.everywhere;
        built.changes_left_ = split.others.size() / 16 + 512;
        const auto set = [](auto& slot, const route<A>& r, unsigned depth) {
            slot.set_route(r.hop, r.where.length - depth);
        };
        const errc failure = multibit::build<A, Plan>(built.trie_, split.others, {}, set);
        if (failure != errc::ok)
            return unexpected{failure};
        built.trie_.trim();
        return built;
    }

    next_hop lookup(A a) const noexcept { return decode(trie_.find(a)); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        trie_.find_each(in, [this, out](std::size_t i, auto best) { out[i] = decode(best); });
    }
    std::size_t memory_bytes() const noexcept { return total_bytes(parts()); }

    // Strides that were the best for a table are not for ever: once a sixteenth of its routes have come or
    // gone the FIB asks to be built anew.
    errc apply(const change<A>& c) {
        if (c.before == c.after)
            return errc::ok;
        if (c.where.length == 0) {
            everywhere_ = c.after;
            return errc::ok;
        }
        if (c.before == next_hop::none || c.after == next_hop::none) {
            if (changes_left_ == 0)
                return errc::capacity;
            --changes_left_;
        }
        if (c.after == next_hop::none)
            trie_.erase(c.where, c.cover, c.cover_length);
        else if (const errc failure = trie_.insert(c.where, c.after, Plan::of_new); failure != errc::ok)
            return failure;
        trie_.compact();
        return errc::ok;
    }

    next_hop trace(A a, step_visitor each) const {
        return trie_.trace(a, each, [this](auto slot) { return decode(slot); });
    }
    std::vector<memory_part> memory_parts() const {
        const auto all = parts();
        return {all.begin(), all.end()};
    }
    void visit(node_visitor<A> each) const { trie_.visit(each); }

  private:
    explicit open_fib(std::size_t most_slots) noexcept : trie_(most_slots) {}

    std::array<memory_part, 2> parts() const noexcept {
        return {{{"nodes", trie_.slot_bytes()}, {"object", sizeof *this}}};
    }
    next_hop decode(typename trie::slot best) const noexcept {
        return best.hop() == next_hop::none ? everywhere_ : best.hop();
    }

    trie trie_;
    next_hop everywhere_ = next_hop::none; // of the route of length 0
    std::size_t changes_left_ = 0;
};

} // namespace fingerpost
