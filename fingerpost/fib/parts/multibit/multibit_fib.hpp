// FIBs of controlled prefix expansion, with and without leaf pushing, for any choice of strides.
//
// A Plan is constructed from the routes longer than 0 and plan_facts. It has: `type`, which defines where
// walks find strides; strides(); of_node(first route, depth, level, after_path), the stride of the node with
// this first route, or 0 if a path continues there; and of_new(strides, level, bits left), the stride of a
// node that a change creates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/multibit/multibit_patch.hpp"
#include "fingerpost/fib/parts/multibit/multibit_trie.hpp"
#include "fingerpost/fib/parts/multibit/packed_trie.hpp"
#include "fingerpost/fib/patchable.hpp"

namespace fingerpost {

namespace multibit {

// Routes in prefix order without the route of length 0, whose next hop is stored separately.
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

// Routes without those that have the same next hop as their cover. Throws std::bad_alloc.
template <class A>
std::vector<route<A>> without_redundant(std::span<const route<A>> sorted) {
    std::vector<route<A>> result;
    std::vector<const route<A>*> covers; // of the current route, the longest last
    for (const route<A>& r : sorted) {
        while (!covers.empty() && !covers.back()->where.covers(r.where))
            covers.pop_back();
        if (covers.empty() || covers.back()->hop != r.hop)
            result.push_back(r);
        covers.push_back(&r);
    }
    return result;
}

// Decides how many slots a trie may have after changes. Its strides were optimal for the table from which it
// was built. The optimum for the current table would take about as many slots and, if routes have been
// withdrawn, proportionally fewer. The array may be up to 1/12 larger than that. If it is larger, the trie
// copies its nodes, provided that the used slots exceed the optimum by at most 1/32, and is rebuilt
// otherwise. It is also rebuilt when the used slots have decreased by 1/8, because the table has then changed
// a lot. Small tries have a tolerance of 64 slots.
class fair_size {
  public:
    fair_size() = default;
    fair_size(std::size_t slots, std::size_t routes) noexcept
        : slots_(slots), routes_before_(routes), routes_(routes) {}

    void count(next_hop before, next_hop after) noexcept {
        routes_ += before == next_hop::none ? 1 : 0;
        routes_ -= after == next_hop::none ? 1 : 0;
    }
    static std::size_t memory_bytes() noexcept {
        return 0;
    } // only the memory of the object, see
      // fib/layout.hpp
    bool is_exceeded_by(std::size_t all_slots) const noexcept {
        return all_slots > needed() + needed() / 12 + slack;
    }
    bool is_met_by(std::size_t live_slots) const noexcept {
        return live_slots <= needed() + needed() / 32 + slack;
    }
    bool is_outdated_by(std::size_t live_slots) const noexcept {
        return live_slots + slots_ / 8 + slack < slots_;
    }

  private:
    static constexpr std::size_t slack = 64;

    std::size_t needed() const noexcept {
        return routes_ < routes_before_ ? slots_ * routes_ / routes_before_ : slots_;
    }

    std::size_t slots_ = 0; // at the last build
    std::size_t routes_before_ = 0;
    std::size_t routes_ = 0; // current number
};

// Input of a plan in addition to the routes.
struct plan_facts {
    next_hop everywhere = next_hop::none;
    std::span<const std::uint8_t> strides{}; // chosen by the user; if empty, the plan chooses
};

template <class A, class Plan, class Trie, class Set>
errc build(Trie& trie, std::span<const route<A>> sorted, typename Trie::slot none, Set set,
           const plan_facts& facts) {
    const Plan plan(sorted, facts);
    const auto stride_of = [&](std::span<const route<A>> inside, unsigned depth, unsigned level,
                               bool behind_path = false) {
        return plan.of_node(static_cast<std::size_t>(inside.data() - sorted.data()), depth, level,
                            behind_path);
    };
    return trie.build(plan.strides(), sorted, none, stride_of, set);
}

} // namespace multibit

// Common part of all kinds: a trie, and Answers, which converts slots to next hops.
template <class F, class A, class Trie, class Answers>
class multibit_fib : public laid_out<F, A> {
    using slot = typename Trie::slot;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        std::conditional_t<std::is_const_v<Self>, const multibit_fib, multibit_fib>& base = of;
        Trie::for_each_array(base.trie_, visit);
        Answers::for_each_array(base.answers_, visit);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        return answers_.of(trie_.find(read, a, [this](slot s) { return answers_.of(s); }));
    }
    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void visit(node_visitor<A> each) const {
        trie_.visit(each, [this](slot s) { return answers_.of(s); });
    }
    void check(const layout_check& in) const {
        trie_.check(in, [&](slot s, const void* at) { answers_.check(in, s, at); });
    }
    void ready(const build_options& options) noexcept { trie_.use_kernels_of(options.isa); }

  protected:
    explicit multibit_fib(std::size_t most_slots = Trie::most_slots) noexcept : trie_(most_slots) {}

    Trie trie_;
    Answers answers_;
};

struct pushed_answers {
    next_hop_codec codec;

    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("next hops", of.codec);
    }
    template <class Slot>
    next_hop of(Slot leaf) const noexcept {
        return codec.decode(leaf.answer().id);
    }
    template <class Slot>
    void check(const layout_check& in, Slot leaf, const void* at) const {
        in.is_code(codec, leaf.word, at);
    }
};

// Slots of four bytes, each with a child or a code. Cannot be changed.
template <class A, class Plan, class Trie = multibit_trie<A, pushed_slot, typename Plan::type>>
class pushed_fib : public multibit_fib<pushed_fib<A, Plan, Trie>, A, Trie, pushed_answers> {
    using base = multibit_fib<pushed_fib, A, Trie, pushed_answers>;
    using base::answers_;
    using base::trie_;

  public:
    using base::lookup;

    static expected<pushed_fib> build(const routes<A>& table, const build_options& options = {},
                                      std::size_t most_slots = Trie::most_slots) {
        const std::vector<route<A>> remaining = multibit::without_redundant(table.sorted());
        const multibit::split_routes<A> split{std::span(remaining)};
        pushed_fib built(most_slots);
        std::vector<next_hop> hops;
        hops.reserve(remaining.size());
        for (const route<A>& r : remaining)
            hops.push_back(r.hop);
        const auto& codec = built.answers_.codec = next_hop_codec::choose_below(hops, Trie::slot::child_mark);
        const auto set = [&](auto& slot, const route<A>& r, unsigned) { slot.word = codec.encode(r.hop); };
        typename Trie::slot covered;
        covered.word = codec.encode(split.everywhere);
        const errc failure = multibit::build<A, Plan>(built.trie_, split.others, covered, set,
                                                      {split.everywhere, options.strides});
        if (failure != errc::ok)
            return unexpected{failure};
        built.trie_.trim();
        built.ready(options);
        return built;
    }

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        trie_.find_all(in, out);
        answers_.codec.decode(out.first(in.size()));
    }

  private:
    using base::base;
};

struct open_answers {
    next_hop everywhere = next_hop::none; // next hop of the route of length 0
    multibit::fair_size size;             // of the array of slots

    // The list of next hops is empty, because slots contain them.
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("next hops", std::as_const(of.size));
        visit("default", of.everywhere);
    }
    template <class Slot>
    next_hop of(Slot best) const noexcept {
        return best.hop() == next_hop::none ? everywhere : best.hop();
    }
    template <class Slot>
    void check(const layout_check&, Slot, const void*) const noexcept {}
};

// Slots of eight bytes, each with a next hop and a child.
template <class F, class A, class Trie>
class unpushed_fib : public multibit_fib<F, A, Trie, open_answers> {
    using base = multibit_fib<F, A, Trie, open_answers>;

  public:
    using base::lookup;

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        trie_.find_all(in, out);
        if (answers_.everywhere != next_hop::none)
            std::replace(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(in.size()), next_hop::none,
                         answers_.everywhere);
    }

  protected:
    using base::answers_;
    using base::base;
    using base::trie_;

    template <class Plan>
    errc fill(const routes<A>& table, const build_options& options) {
        const multibit::split_routes<A> split{table.sorted()};
        answers_.everywhere = split.everywhere;
        const auto set = [](auto& slot, const route<A>& r, unsigned depth) {
            slot.set_route(r.hop, r.where.length - depth);
        };
        const errc failure =
            multibit::build<A, Plan>(trie_, split.others, {}, set, {split.everywhere, options.strides});
        if (failure == errc::ok) {
            trie_.trim();
            this->ready(options);
        }
        return failure;
    }
};

// A FIB with packed nodes, which cannot be changed.
template <class A, class Plan>
class packed_open_fib : public unpushed_fib<packed_open_fib<A, Plan>, A,
                                            packed_trie<A, typename Plan::type, packed_open_slot>> {
    using trie = packed_trie<A, typename Plan::type, packed_open_slot>;
    using base = unpushed_fib<packed_open_fib, A, trie>;

  public:
    static expected<packed_open_fib> build(const routes<A>& table, const build_options& options = {},
                                           std::size_t most_slots = trie::most_slots) {
        packed_open_fib built(most_slots);
        if (const errc failure = built.template fill<Plan>(table, options); failure != errc::ok)
            return unexpected{failure};
        return built;
    }

  private:
    using base::base;
};

// A FIB with plain nodes, which can be changed.
template <class A, class Plan>
class open_fib : public unpushed_fib<open_fib<A, Plan>, A, open_trie<A, typename Plan::type>> {
    using trie = open_trie<A, typename Plan::type>;
    using base = unpushed_fib<open_fib, A, trie>;
    using base::answers_;
    using base::trie_;

  public:
    // A change needs only its prefix and its cover.
    static constexpr unsigned min_length_with_ranges = A::bits + 1;

    static expected<open_fib> build(const routes<A>& table, const build_options& options = {},
                                    std::size_t most_slots = trie::most_slots) {
        open_fib built(most_slots);
        if (const errc failure = built.template fill<Plan>(table, options); failure != errc::ok)
            return unexpected{failure};
        const bool has_default = built.answers_.everywhere != next_hop::none;
        built.answers_.size =
            multibit::fair_size(built.trie_.live_slots(), table.size() - (has_default ? 1 : 0));
        return built;
    }

    errc apply(const change<A>& c) {
        if (c.before == c.after)
            return errc::ok;
        if (c.where.length == 0) {
            answers_.everywhere = c.after;
            return errc::ok;
        }
        if (c.after == next_hop::none)
            trie_.erase(c.where, c.cover, c.cover_length);
        else if (const errc failure = trie_.insert(c.where, c.after, Plan::of_new); failure != errc::ok)
            return failure;
        answers_.size.count(c.before, c.after);
        return keep_small();
    }

  private:
    using base::base;

    // Applies the rule of fair_size.
    errc keep_small() {
        const multibit::fair_size& size = answers_.size;
        const bool large = size.is_exceeded_by(trie_.slots());
        if ((large && !size.is_met_by(trie_.live_slots())) || size.is_outdated_by(trie_.live_slots()))
            return errc::capacity;
        if (large || trie_.sparse())
            trie_.compact();
        return errc::ok;
    }
};

} // namespace fingerpost
