// Adds elements to a block of a pool, or removes some: for tries whose nodes keep children or results side by
// side.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fingerpost/fib/parts/memory/block_pool.hpp"

namespace fingerpost {

// Returns a block of `count + added` elements with a gap of `added` elements T{} at `index`. Frees the old
// block, if count is not 0. Returns nil without memory; then nothing has changed.
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

// Returns a block of `count - removed` elements, without those from `index` on; returns 0, which is no block,
// if none are left.
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
