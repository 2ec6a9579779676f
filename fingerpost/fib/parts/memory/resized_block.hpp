// Inserts elements into a block of a pool, or removes some, for tries with nodes that keep children or
// results together.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fingerpost/fib/parts/memory/block_pool.hpp"

namespace fingerpost {

// Returns a block of `count + added` elements with `added` elements T{} at `index`. Frees the old block,
// unless `count` is 0. Returns nil, and changes nothing, if out of memory.
template <class T, std::uint32_t Longest>
[[nodiscard]] std::uint32_t with_gap(block_pool<T, Longest>& pool, std::uint32_t from, std::uint32_t count,
                                     std::uint32_t index, std::uint32_t added = 1) noexcept {
    const std::uint32_t result = pool.allocate(count + added);
    if (result == pool.nil || count == 0)
        return result;
    const T* const old = pool.at(from);
    std::copy_n(old, index, pool.at(result));
    std::copy_n(old + index, count - index, pool.at(result) + index + added);
    pool.release(from, count);
    return result;
}

// Returns a block of `count - removed` elements, without those starting at `index`, or 0, which is never a
// block, if none are left.
template <class T, std::uint32_t Longest>
[[nodiscard]] std::uint32_t without(block_pool<T, Longest>& pool, std::uint32_t from, std::uint32_t count,
                                    std::uint32_t index, std::uint32_t removed = 1) noexcept {
    std::uint32_t result = 0;
    if (count > removed) {
        result = pool.allocate(count - removed);
        if (result == pool.nil)
            return result;
        const T* const old = pool.at(from);
        std::copy_n(old, index, pool.at(result));
        std::copy_n(old + index + removed, count - index - removed, pool.at(result) + index);
    }
    pool.release(from, count);
    return result;
}

} // namespace fingerpost
