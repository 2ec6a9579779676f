// The second pass of a batch: a full lookup of the addresses for which the kernel has written an escape mark.
#pragma once

#include <cstdint>
#include <span>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::planb {

// Sets out[i] to resolve(i) wherever out[i] is `mark`. Escapes are rare in most tables, and a block of
// addresses without one costs one vectorised comparison.
template <class Resolve>
void resolve_escapes(std::span<next_hop> out, std::uint32_t mark, Resolve resolve) noexcept {
    constexpr std::size_t block = 16;
    for (std::size_t first = 0; first < out.size(); first += block) {
        const std::size_t last = first + block < out.size() ? first + block : out.size();
        bool any = false;
        for (std::size_t i = first; i < last; ++i)
            any |= out[i].id == mark;
        if (!any) [[likely]]
            continue;
        for (std::size_t i = first; i < last; ++i)
            if (out[i].id == mark)
                out[i].id = resolve(i);
    }
}

} // namespace fingerpost::planb
