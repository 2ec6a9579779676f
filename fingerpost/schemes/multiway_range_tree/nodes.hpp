// The numbered nodes of a multiway range tree, and operations on single nodes.
//
// Changes with concurrent readers: each change copies a node before it first writes to it. So each change
// ends with a new root, which one store publishes (range_tree::publish()). Nodes that a reader can reach do
// not change, except for the counts of ends in leaves, which lookups do not read. Replaced nodes are reused
// when no reader can reach them any more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/memory/block_pool.hpp"
#include "fingerpost/fib/parts/memory/retire_list.hpp"
#include "fingerpost/schemes/multiway_range_tree/view.hpp"

namespace fingerpost::multiway_range_tree {

template <class W>
class node_store {
  protected:
    using value = typename W::value_type;
    using key = column_key<W>;
    using place = node<W>;
    static constexpr unsigned edges = place::edges;
    static constexpr key bias = simd::bias_of<key>;

  public:
    static constexpr std::size_t most = block_pool<place, 1>::most;

    explicit node_store(std::size_t most_nodes) noexcept : nodes_(most_nodes), most_(most_nodes) {}

    // Reserves N nodes for changes with concurrent readers. Throws std::bad_alloc.
    errc reserve_room(std::size_t more) {
        if (!nodes_.reserve(nodes_.live_elements() + more))
            return nodes_.shortage(more);
        lists_.retired.reserve(more);
        lists_.fresh.reserve(more);
        return errc::ok;
    }
    std::size_t room() const noexcept {
        return std::min(nodes_.size() - nodes_.live_elements(), lists_.retired.room());
    }
    // Starts a change, which ends with publish(). Readers of `version` may still use the current tree.
    void begin_beside_readers(std::uint64_t version) noexcept {
        is_read_ = true;
        version_ = version;
        lists_.fresh.clear();
    }
    void reclaim(std::uint64_t version) noexcept {
        lists_.retired.release_before(version, [this](std::uint32_t number) { nodes_.release(number, 1); });
    }

    static W key_at(const place& at, unsigned i) noexcept {
        if constexpr (has_second<W>)
            return from_halves<W>(at.key[i] ^ bias, at.second[i]);
        else
            return W{static_cast<value>(at.key[i] ^ bias)};
    }
    static unsigned edges_of(const place& at) noexcept {
        unsigned count = 0;
        for (unsigned i = 0; i < edges; ++i)
            count += at.below[i] != nil;
        return count;
    }
    std::size_t nodes() const noexcept { return nodes_.live_elements(); }

  protected:
    struct edge {
        W key{};
        std::uint32_t below = nil;
        std::uint32_t word = 0;
    };
    static W next(W a) noexcept { return W{static_cast<value>(a.value + 1)}; }
    static W before(W a) noexcept { return W{static_cast<value>(a.value - 1)}; }
    // Whether a route is stored that contains all of these addresses.
    static bool holds(std::uint32_t word, W first, W last) noexcept {
        return word != 0 && length_of(word) <= common_length(first, last);
    }
    // The longer of two routes among those that contain all of these addresses, or 0.
    static std::uint32_t joined(std::uint32_t a, std::uint32_t b, W first, W last) noexcept {
        return std::max(holds(a, first, last) ? a : 0, holds(b, first, last) ? b : 0);
    }

    place& node_at(std::uint32_t at) noexcept { return *nodes_.at(at); }
    const place& node_at(std::uint32_t at) const noexcept { return *nodes_.at(at); }
    // Returns a node for this change, or nil.
    std::uint32_t allocate() noexcept {
        const std::uint32_t number = nodes_.allocate(1);
        if (is_read_ && number != nil)
            lists_.fresh.push_back(number); // cannot fail: the capacity is reserved
        return number;
    }
    void release(std::uint32_t number) noexcept {
        const auto position = std::find(lists_.fresh.begin(), lists_.fresh.end(), number);
        if (!is_read_ || position != lists_.fresh.end()) {
            if (is_read_)
                lists_.fresh.erase(position);
            nodes_.release(number, 1);
        } else {
            lists_.retired.push(number, version_);
        }
    }
    // Replaces a node that readers may see by a copy that this change may write, and sets `at` to its number.
    place& own(std::uint32_t& at) noexcept {
        if (is_read_ && std::find(lists_.fresh.begin(), lists_.fresh.end(), at) == lists_.fresh.end()) {
            const std::uint32_t copy = allocate();
            node_at(copy) = node_at(at);
            lists_.retired.push(std::exchange(at, copy), version_);
        }
        return node_at(at);
    }
    edge get(const place& at, unsigned i) const noexcept { return {key_at(at, i), at.below[i], at.word[i]}; }
    void put(place& at, unsigned i, const edge& e) noexcept {
        at.key[i] = static_cast<key>(first_column(e.key) ^ bias);
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
    // The node must have room.
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
    // The edge for an address. Sets `first` to the first address of its span.
    unsigned edge_to(const place& at, W a, W& first) const noexcept {
        unsigned i = 0;
        for (; key_at(at, i) < a; ++i)
            first = next(key_at(at, i));
        return i;
    }

    // Removes routes that contain the whole span of a node from the node's edges, and returns the longest,
    // which belongs to the edge above. (Only one of them can be an answer.)
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

    struct change_lists {
        retire_list retired{};
        std::vector<std::uint32_t> fresh{}; // nodes of this change, which readers cannot see yet

        std::size_t memory_bytes() const noexcept {
            return retired.memory_bytes() + fresh.capacity() * sizeof(std::uint32_t);
        }
    };

    block_pool<place, 1> nodes_;
    change_lists lists_;
    std::uint64_t version_ = 0;
    bool is_read_ = false;
    std::size_t most_ = most;
};

} // namespace fingerpost::multiway_range_tree
