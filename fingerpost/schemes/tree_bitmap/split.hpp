// Split nodes: a tree bitmap with strides of 8, in which the descent reads only external bitmaps.
//
// A lookup never needs the bits of a node's children and the bits of its routes together. So they are in
// different arrays, and a lookup usually reads only one internal node, at the end:
//
//      initial array    [ 2^k entries: node | next hop ]
//                            |
//                            v
//      search nodes     [ 64 bits | below | internal ]  four times, 64 bytes: one cache line
//                                    |        |
//         children, adjacent     <---+        +--->  internal nodes  [ 256 bits | results ]  40 bytes
//         or, in an end node, next hops                                            |
//                                                    next hops, adjacent     <-----+
//
// Each of the four parts of an external bitmap has its own offset, so a step reads 16 bytes and counts the
// bits of one word. A node without routes in its internal bitmap has no internal node.
//
// Lookup: one dependent load for the initial array and one for each node. If there is no external result, it
// reads the last internal node on the path. If that has no match, it reads the one before, and so on, because
// the answers of short routes are not pushed down. Update: not supported; a live table rebuilds the FIB. It
// would change the same bits and blocks as apply() of unsplit nodes. Memory: 64 bytes a node, 40 an internal
// node, 4 a route, 8 an entry of the initial array. Limits: 2^31 - 1 nodes and routes; addresses of up to 64
// bits, and of 128; any next hop id.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/schemes/tree_bitmap/tree_bitmap.hpp"

namespace fingerpost::tree_bitmap {

template <class A>
class split_fib : public laid_out<split_fib<A>, A> {
    friend laid_out<split_fib, A>;
    static constexpr unsigned stride = search_node::stride;
    using whole_node = node<stride>;
    using whole_trie = trie<A, stride>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("initial array", of.initial_);
        visit("search nodes", of.search_);
        visit("internal nodes", of.internal_);
        visit("results", of.results_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const;

    static expected<split_fib> build(const routes<A>& table, const build_options& options = {},
                                     std::size_t most_nodes = whole_trie::most) {
        const auto whole = fib<A, stride>::build(table, options, most_nodes);
        if (!whole)
            return unexpected{whole.error()};
        split_fib built;
        built.initial_bits_ = whole->initial_bits();
        built.ready(options);
        if (!built.allocate(whole->nodes(), whole->initial()))
            return unexpected{errc::out_of_memory};
        built.split(whole->nodes());
        return built;
    }

    next_hop lookup(A a) const noexcept { return detail::look_up(*kernels_, view(), a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        detail::look_up_all(*kernels_, view(), in, out);
    }

    void visit(node_visitor<A> each) const {
        tree_bitmap::visit<A, stride>(*this, initial_.span(), initial_bits_, each);
    }

    void check(const layout_check& in);
    void ready(const build_options& options) noexcept { kernels_ = &kernels_of(options.isa).split; }

    // For visit(): a node with all of its parts, as if it were not split.
    whole_node at(std::uint32_t number) const noexcept {
        const segment& head = search_[number].quarters[0];
        const internal_node& inner = internal_[head.inner()];
        whole_node n;
        n.children = head.below;
        for (unsigned i = 0; i < 4; ++i)
            n.external.bits[i] = search_[number].quarters[i].external;
        n.internal = inner.bits;
        n.results = head.inner() != 0 ? inner.results : head.is_end() ? head.below : 0;
        if (head.is_end())
            n.internal.set(0);
        return n;
    }
    static constexpr std::size_t bytes_of_node = sizeof(search_node);
    const next_hop* results() const noexcept { return results_.data(); }
    std::uint32_t internal_of(std::uint32_t number) const noexcept { // 0 if there is none
        return search_[number].quarters[0].inner();
    }
    void tell(std::uint32_t number, node_contents& to) const {
        static constexpr std::string_view names[] = {"below 0", "below 1", "below 2", "below 3"};
        to.with = compared::bitmap;
        to.bitmaps = {{search_[number].quarters[0].is_end() ? "longest" : "children"}};
        for (unsigned i = 0; i < 4; ++i) {
            to.values.push_back(search_[number].quarters[i].external);
            to.numbers.push_back({names[i], search_[number].quarters[i].below});
        }
        to.numbers.push_back({"internal", internal_of(number)});
    }
    void tell_internal(std::uint32_t number, node_contents& to) const {
        const internal_node& inner = internal_[internal_of(number)];
        to.with = compared::bitmap;
        to.bitmaps = {{"prefixes", false}};
        to.values.assign(inner.bits.bits.begin(), inner.bits.bits.end());
        to.numbers = {{"results", inner.results}};
    }

  private:
    split_fib() = default;

    trie_view view() const noexcept {
        return {initial_.data(), initial_bits_, search_.data(), results_.data(), internal_.data()};
    }
    // Bit 0 is unused.
    static bool has_inner_routes(const whole_node& n) noexcept { return n.external_place(0) > 0; }

    bool allocate(const whole_trie& from, std::span<const initial_entry> entries) noexcept {
        std::size_t inner = 1;
        for (const initial_entry& e : entries)
            inner += e.node == no_node ? 0 : count_inner(from, e.node);
        auto initial = aligned_array<initial_entry>::make(entries.size());
        auto search = aligned_array<search_node>::make(from.node_count());
        auto internal = aligned_array<internal_node>::make(inner);
        auto results = aligned_array<next_hop>::make(from.route_count());
        if (!initial || !search || !internal || !results)
            return false;
        initial_ = std::move(*initial);
        search_ = std::move(*search);
        internal_ = std::move(*internal);
        results_ = std::move(*results);
        std::copy(entries.begin(), entries.end(), initial_.begin());
        return true;
    }
    static std::size_t count_inner(const whole_trie& from, std::uint32_t number) noexcept {
        const whole_node& n = from.at(number);
        std::size_t sum = has_inner_routes(n) ? 1 : 0;
        for (std::uint32_t i = 0; i < whole_trie::child_count(n); ++i)
            sum += count_inner(from, n.children + i);
        return sum;
    }

    // Number of elements of each array that have been allocated.
    struct used {
        std::uint32_t search = 0;
        std::uint32_t internal = 1;
        std::uint32_t results = 0;
    };
    void split(const whole_trie& from) noexcept {
        internal_[0] = {};
        used done;
        for (initial_entry& e : initial_.span())
            if (e.node != no_node)
                split_node(from, std::exchange(e.node, done.search++), e.node, done);
    }
    void split_node(const whole_trie& from, std::uint32_t number, std::uint32_t target, used& done) noexcept {
        const whole_node& n = from.at(number);
        std::uint32_t internal = n.is_end() ? segment::end_bit : 0;
        if (has_inner_routes(n)) {
            internal_node& inner = internal_[done.internal];
            inner = {n.internal, done.results};
            inner.bits.clear(0);
            internal |= done.internal++;
        }
        std::copy_n(from.results() + n.results, whole_trie::result_count(n), &results_[done.results]);
        std::uint32_t below = n.is_end() ? done.results + n.external_place(0) : done.search;
        done.results += whole_trie::result_count(n);
        const std::uint32_t children = done.search;
        done.search += whole_trie::child_count(n);
        for (unsigned i = 0; i < 4; ++i) {
            search_[target].quarters[i] = {n.external.bits[i], below, internal};
            below += static_cast<std::uint32_t>(std::popcount(n.external.bits[i]));
        }
        for (std::uint32_t i = 0; i < whole_trie::child_count(n); ++i)
            split_node(from, n.children + i, children + i, done);
    }

    const stride_kernels* kernels_ = nullptr;
    aligned_array<initial_entry> initial_;
    aligned_array<search_node> search_;
    aligned_array<internal_node> internal_;
    aligned_array<next_hop> results_;
    unsigned initial_bits_ = 0;
};

template <class A>
template <class Read>
next_hop split_fib<A>::find(Read&& read, A a) const {
    const initial_entry entry = detail::find_initial(read, initial_, initial_bits_, a);
    struct passed {
        std::uint32_t inner;
        unsigned slot;
        unsigned first_bit;
    };
    std::array<passed, A::bits / stride + 1> way; // internal nodes
    unsigned depth = 0;
    std::uint32_t number = entry.node;
    for (unsigned bits = initial_bits_; number != no_node; bits += stride) {
        const unsigned slot = whole_trie::slot_of(a, bits);
        const segment& part = read(search_[number].quarters, slot / 64);
        const bool leads_on = (part.external >> (slot % 64) & 1) != 0;
        const auto before = part.external & ((std::uint64_t{1} << (slot % 64)) - 1);
        const auto rank = static_cast<std::uint32_t>(std::popcount(before));
        read.tell([&](auto& step) {
            step.looks_at(bits, stride);
            step.tests_bitmaps(slot, {part.external});
            step.best = entry.hop;
            const std::uint32_t unit = part.is_end() ? sizeof(next_hop) : sizeof(search_node);
            if (leads_on)
                step.counted = {0, 1, part.below, rank, unit};
            else if (depth == 0 && part.inner() == 0)
                step.misses();
        });
        if (part.inner() != 0)
            way[depth++] = {part.inner(), slot, bits};
        if (leads_on && part.is_end())
            return read_result(read, results(), part.below + rank);
        number = leads_on ? part.below + rank : no_node;
    }
    while (depth > 0) {
        const auto [inner, slot, first_bit] = way[--depth];
        const internal_node& at = read(internal_, inner);
        const bool matches = at.bits.has_common(ancestors<stride>[slot]);
        const unsigned bit = matches ? at.bits.highest_common(ancestors<stride>[slot]) : 0;
        const std::uint32_t rank = at.bits.rank_before(bit);
        read.tell([&, slot = slot, first_bit = first_bit](auto& step) {
            step.looks_at(first_bit, stride);
            step.tests_bitmaps(slot, {at.bits.bits.begin(), at.bits.bits.end()});
            step.best = entry.hop;
            if (matches) {
                step.counted = {0, 4, at.results, rank, sizeof(next_hop)};
                step.matched = {bit, length_of_base_index(bit)};
            } else {
                step.misses();
            }
        });
        if (matches)
            return read_result(read, results(), at.results + rank);
    }
    return entry.hop;
}

template <class A>
void split_fib<A>::check(const layout_check& in) {
    initial_bits_ = detail::initial_bits_of<A>(in, initial_);
    in.require(internal_.size() > 0, nullptr, "there is no empty internal node");
    for (const internal_node& inner : internal_.span())
        in.leads_into(results_, inner.results, inner.bits.count(), &inner);
    tree_check<A> tree(in, search_.size());
    for (const initial_entry& entry : initial_.span())
        if (entry.node != no_node)
            tree.add(entry.node, 1, initial_bits_, &entry);
    tree.for_each([&](std::uint32_t number, unsigned depth) {
        for (const segment& part : search_[number].quarters) {
            in.leads_into(internal_, part.inner(), 1, &part);
            const auto count = static_cast<std::uint32_t>(std::popcount(part.external));
            if (part.is_end())
                in.leads_into(results_, part.below, count, &part);
            else
                tree.add(part.below, count, depth + stride, &part);
        }
    });
}

} // namespace fingerpost::tree_bitmap
