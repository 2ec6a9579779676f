// A pool of numbered nodes. A number has half the size of a pointer, nodes are freed individually, and
// growing wastes little memory.
//
// The pool consists of chunks. A chunk has a power of two nodes and uses two megabytes or a little more, to
// fill huge pages. Adding a chunk copies nothing. Only the last chunk may be smaller: it is extended by at
// most 1/16 of the whole pool into reserved address space, and is copied only after its size has doubled.
// Growing therefore wastes at most 1/16, instead of 1/2 for a vector, and takes microseconds.
//
//      number = chunk | index                free nodes: head -> node -> node -> nil
//      chunks[0]  [ node node ... node ]     (the link is stored in the node itself)
//      chunks[1]  [ node node ... ]
//
// References to nodes are valid until the next allocate(), numbers until release().
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/base/relocate.hpp"

namespace fingerpost {

template <class T>
class node_pool {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) >= sizeof(std::uint32_t));

  public:
    using value_type = T;
    using index = std::uint32_t;
    static constexpr index nil = 0xffffffff;
    // Numbers have 31 bits, so users can store another bit. The number with all bits set is not used.
    static constexpr std::size_t most = (std::size_t{1} << 31) - 1;

    // Tests pass a lower limit to reach it quickly.
    explicit node_pool(std::size_t most_nodes = most) noexcept : most_(most_nodes) {}
    node_pool(node_pool&& other) noexcept : most_(other.most_) { swap(other); }
    node_pool& operator=(node_pool&& other) noexcept {
        swap(other);
        return *this;
    }

    // Refers to nodes with another owner, in the order of their numbers. They are never written to. Throws
    // std::bad_alloc.
    static node_pool borrow(std::span<const T> nodes) {
        node_pool pool;
        pool.used_ = pool.live_ = nodes.size();
        for (; !nodes.empty(); nodes = nodes.subspan(within_chunk(nodes.size())))
            pool.chunks_.push_back(aligned_array<T>::borrow(nodes.first(within_chunk(nodes.size()))));
        return pool;
    }
    bool is_borrowed() const noexcept { return chunks_.empty() || chunks_.back().is_borrowed(); }
    // All nodes that were ever allocated, chunk by chunk. Throws std::bad_alloc.
    std::vector<std::span<const T>> chunks() const {
        std::vector<std::span<const T>> result;
        std::size_t left = used_;
        for (const aligned_array<T>& chunk : chunks_) {
            result.push_back(chunk.span().first(within_chunk(left)));
            left -= within_chunk(left);
        }
        return result;
    }

    // See base/relocate.hpp.
    template <class Place>
    void relocate(Place& place) {
        std::vector<aligned_array<T>> moved;
        for (const aligned_array<T>& chunk : chunks_)
            moved.push_back(aligned_array<T>::borrow({place(chunk.span()), chunk.size()}));
        std::memcpy(static_cast<void*>(&chunks_), &moved, sizeof moved);
        fingerpost::relocate(chunks_, place);
    }

    T& operator[](std::size_t i) noexcept { return chunks_[i >> chunk_shift][i & chunk_mask]; }
    const T& operator[](std::size_t i) const noexcept { return chunks_[i >> chunk_shift][i & chunk_mask]; }

    // Returns the number of a node with the value T{}, or nil. shortage() then returns the reason.
    [[nodiscard]] index allocate() noexcept {
        index got = free_;
        if (got != nil) {
            std::memcpy(&free_, &(*this)[got], sizeof free_);
        } else {
            if (used_ == capacity() && !grow())
                return nil;
            got = static_cast<index>(used_++);
        }
        (*this)[got] = T{};
        ++live_;
        return got;
    }

    void release(index i) noexcept {
        assert(live_ > 0);
        std::memcpy(static_cast<void*>(&(*this)[i]), &free_, sizeof free_);
        free_ = i;
        --live_;
    }

    // Returns the reason why allocate(), or reserve() of `size` nodes, failed.
    errc shortage(std::size_t size = 0) const noexcept {
        return size > most_ || live_ + 1 > most_ ? errc::capacity : errc::out_of_memory;
    }

    // Makes room for exactly `size` nodes. Returns false on failure; shortage(size) then returns the reason.
    [[nodiscard]] bool reserve(std::size_t size) noexcept {
        if (size > most_)
            return false;
        while (capacity() < size) {
            const std::size_t full = (chunks_.empty() ? 0 : chunks_.size() - 1) * chunk_nodes;
            const bool partial = !chunks_.empty() && chunks_.back().size() < chunk_nodes;
            const std::size_t before = partial ? full : capacity();
            const std::size_t last = within_chunk(size - before);
            if (!(partial ? enlarge_last(last) : append(last)))
                return false;
        }
        return true;
    }

    void clear() noexcept {
        node_pool empty(most_);
        swap(empty);
    }

    std::size_t size() const noexcept { return live_; }
    std::size_t most_nodes() const noexcept { return most_; }
    // Number of nodes that allocate() can return without moving a node.
    std::size_t room() const noexcept { return capacity() - live_; }
    // True if more than 1/12 of the pool is unused. Its owner may then copy the nodes to a new pool. A pool
    // grows by 1/16, so it cannot alternate between growing and copying.
    bool sparse() const noexcept { return capacity() > live_ + live_ / 11 + smallest_step; }
    std::size_t capacity() const noexcept {
        return chunks_.empty() ? 0 : (chunks_.size() - 1) * chunk_nodes + chunks_.back().size();
    }
    // Node i is at byte i * sizeof(T), counted through all chunks.
    std::size_t node_bytes() const noexcept { return capacity() * sizeof(T); }
    std::size_t memory_bytes() const noexcept {
        return node_bytes() + chunks_.capacity() * sizeof(aligned_array<T>);
    }

  private:
    // A chunk has the smallest power of two nodes that fills at least one huge page and leaves less than 1/5
    // of the last page empty (nodes of 16 and 32 B: 2 MiB; 24 and 12 B: 6 MiB; 20 B: 5 of 6 MiB).
    static constexpr unsigned find_chunk_shift() {
        unsigned shift = 0;
        for (;; ++shift) {
            const std::size_t bytes = sizeof(T) << shift;
            const std::size_t rounded = (bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
            if (bytes >= huge_page_bytes && (rounded - bytes) * 5 <= rounded)
                return shift;
        }
    }
    static constexpr unsigned chunk_shift = find_chunk_shift();
    static constexpr std::size_t chunk_nodes = std::size_t{1} << chunk_shift;
    static constexpr std::size_t chunk_mask = chunk_nodes - 1;
    static constexpr std::size_t smallest_step = 16;
    static constexpr std::size_t largest_step = 65536 / sizeof(T) > smallest_step ? 65536 / sizeof(T)
                                                                                  : smallest_step;

    bool grow() noexcept {
        if (capacity() >= most_)
            return false;
        const std::size_t last = chunks_.empty() ? 0 : chunks_.back().size();
        std::size_t more = capacity() / 16;
        more = more < smallest_step ? smallest_step : more < largest_step ? more : largest_step;
        more = more < most_ - capacity() ? more : most_ - capacity();
        if (last % chunk_nodes == 0)
            return append(within_chunk(more));
        return enlarge_last(within_chunk(last + more));
    }
    static constexpr std::size_t within_chunk(std::size_t nodes) noexcept {
        return nodes < chunk_nodes ? nodes : chunk_nodes;
    }
    static expected<aligned_array<T>> make_chunk(std::size_t nodes) noexcept {
        const std::size_t left = chunk_nodes - nodes;
        return aligned_array<T>::make(nodes, nodes < left ? nodes : left);
    }
    bool append(std::size_t nodes) noexcept {
        auto chunk = make_chunk(nodes);
        if (!chunk)
            return false;
        try {
            chunks_.push_back(std::move(*chunk));
        } catch (...) {
            (void)reason_of_exception(); // a few pointers: never a capacity error
            return false;
        }
        return true;
    }
    bool enlarge_last(std::size_t nodes) noexcept {
        if (chunks_.back().extend(nodes))
            return true;
        auto chunk = make_chunk(nodes);
        if (!chunk)
            return false;
        std::memcpy(static_cast<void*>(chunk->data()), chunks_.back().data(), chunks_.back().memory_bytes());
        chunks_.back() = std::move(*chunk);
        return true;
    }
    void swap(node_pool& other) noexcept {
        std::swap(chunks_, other.chunks_);
        std::swap(used_, other.used_);
        std::swap(live_, other.live_);
        std::swap(free_, other.free_);
        std::swap(most_, other.most_);
    }

    std::vector<aligned_array<T>> chunks_;
    std::size_t used_ = 0; // number of nodes ever allocated
    std::size_t live_ = 0;
    index free_ = nil;
    std::size_t most_ = most;
};

} // namespace fingerpost
