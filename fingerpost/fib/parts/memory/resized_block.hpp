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
    const std::uint32_t made = pool.allocate(count + added);
    if (made == pool.nil || count == 0)
        return made;
    const T* const old = pool.at(from);
    std::copy_n(old, index, pool.at(made));
    std::copy_n(old + index, count - index, pool.at(made) + index + added);
    pool.release(from, count);
    return made;
}

// Returns a block of `count - removed` elements, without those starting at `index`, or 0, which is never a
// block, if none are left.
template <class T, std::uint32_t Longest>
[[nodiscard]] std::uint32_t without(block_pool<T, Longest>& pool, std::uint32_t from, std::uint32_t count,
                                    std::uint32_t index, std::uint32_t removed = 1) noexcept {
    std::uint32_t made = 0;
    if (count > removed) {
        made = pool.allocate(count - removed);
        if (made == pool.nil)
            return made;
        const T* const old = pool.at(from);
        std::copy_n(old, index, pool.at(made));
        std::copy_n(old + index + removed, count - index - removed, pool.at(made) + index);
    }
    pool.release(from, count);
    return made;
}

} // namespace fingerpost
