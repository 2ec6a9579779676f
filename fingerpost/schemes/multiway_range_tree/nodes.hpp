// The nodes of a multiway range tree by number, and what is done to one of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/block_pool.hpp"
#include "fingerpost/schemes/multiway_range_tree/view.hpp"

namespace fingerpost::multiway_range_tree {

template <class W>
class node_store {
  protected:
    using value = typename W::value_type;
    using key = column_key<W>;
    using place = node<W>;
    static constexpr unsigned edges = place::edges;

  public:
    static constexpr std::size_t most = block_pool<place, 1>::most;

    node_store(key bias, std::size_t most_nodes) noexcept
        : nodes_(most_nodes), most_(most_nodes), bias_(bias) {}

    W key_at(const place& at, unsigned i) const noexcept {
        if constexpr (has_second<W>)
            return from_halves<W>(at.key[i] ^ bias_, at.second[i]);
        else
            return W{static_cast<value>(at.key[i] ^ bias_)};
    }
    static unsigned edges_of(const place& at) noexcept {
        unsigned count = 0;
        for (unsigned i = 0; i < edges; ++i)
            count += at.below[i] != nil;
        return count;
    }
    std::size_t memory_bytes() const noexcept { return nodes_.memory_bytes(); }
    std::size_t nodes() const noexcept { return nodes_.live_elements(); }

  protected:
    struct edge {
        W key{};
        std::uint32_t below = nil;
        std::uint32_t word = 0;
    };
    static W next(W a) noexcept { return W{static_cast<value>(a.value + 1)}; }
    static W before(W a) noexcept { return W{static_cast<value>(a.value - 1)}; }
    // Whether a stored route that holds one of these addresses holds all of them.
    static bool holds(std::uint32_t word, W first, W last) noexcept {
        return word != 0 && length_of(word) <= common_length(first, last);
    }
    // The longest of two routes that holds all of these addresses; 0 when none does.
    static std::uint32_t joined(std::uint32_t a, std::uint32_t b, W first, W last) noexcept {
        return std::max(holds(a, first, last) ? a : 0, holds(b, first, last) ? b : 0);
    }

    place& node_at(std::uint32_t at) noexcept { return *nodes_.at(at); }
    const place& node_at(std::uint32_t at) const noexcept { return *nodes_.at(at); }
    edge get(const place& at, unsigned i) const noexcept { return {key_at(at, i), at.below[i], at.word[i]}; }
    void put(place& at, unsigned i, const edge& e) noexcept {
        at.key[i] = static_cast<key>(first_column(e.key) ^ bias_);
        if constexpr (has_second<W>)
            at.second[i] = bottom64(e.key);
        at.below[i] = e.below;
        at.word[i] = e.word;
    }
    void put_padding(place& at, unsigned from) noexcept {
        for (unsigned i = from; i < edges; ++i) {
            put(at, i, {W{static_cast<value>(~value{0})}, nil, 0});
        }
    }
    // Of a node that has room.
    void insert_edge(place& at, unsigned i, const edge& e) noexcept {
        for (unsigned k = edges - 1; k > i; --k)
            put(at, k, get(at, k - 1));
        put(at, i, e);
    }
    void remove_edge(place& at, unsigned i) noexcept {
        for (unsigned k = i; k + 1 < edges; ++k)
            put(at, k, get(at, k + 1));
        put_padding(at, edges - 1);
    }
    // The edge that an address takes; `first` becomes the first address of its span.
    unsigned edge_to(const place& at, W a, W& first) const noexcept {
        unsigned i = 0;
        for (; key_at(at, i) < a; ++i)
            first = next(key_at(at, i));
        return i;
    }

    // Takes routes that hold the whole span of a node from its edges, and returns the longest: it belongs to
    // the edge above. (Two of them cannot both be the answer of an address.)
    std::uint32_t lift(place& at, W first) noexcept {
        const unsigned count = edges_of(at);
        const unsigned shared = common_length(first, key_at(at, count - 1));
        std::uint32_t longest = 0;
        for (unsigned i = 0; i < count; ++i)
            if (at.word[i] != 0 && length_of(at.word[i]) <= shared) {
                longest = std::max(longest, at.word[i]);
                at.word[i] = 0;
            }
        return longest;
    }

    void push_down(place& at, std::uint32_t word) noexcept {
        for (unsigned i = 0; i < edges && at.below[i] != nil; ++i)
            if (at.word[i] == 0) // what is at home here is longer
                at.word[i] = word;
    }

    block_pool<place, 1> nodes_;
    std::size_t most_ = most;
    key bias_ = 0;
};

} // namespace fingerpost::multiway_range_tree
