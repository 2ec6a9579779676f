// One lookup in a FIB, as a kernel does it: the same source for a GPU and for the CPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/cells/either.hpp"
#include "fingerpost/fib/parts/cells/find.hpp"
#include "fingerpost/fib/plain_reads.hpp"

namespace fingerpost::gpu {

// The types of which a device gets an object for an opened FIB: the FIB itself, or its plain arrays. A FIB
// that is one of two has a second type.
template <class F>
struct forms_of {
    using first = F;
};
template <class A, class Front>
struct forms_of<cells::mapped_fib<A, Front>> {
    using first = cells::fib_arrays<A, Front>;
};
template <class A, class Small, class Large>
struct forms_of<cells::one_of<A, Small, Large>> {
    using first = typename forms_of<Small>::first;
    using second = typename forms_of<Large>::first;
};
template <class F>
concept has_two_forms = requires { typename forms_of<F>::second; };

// clang swaps bytes one by one for GPUs, which have an instruction for four of them.
inline std::uint64_t swap_bytes(std::uint64_t x) noexcept {
#ifdef __CUDA_ARCH__
    const auto swap = [](std::uint64_t half) {
        return static_cast<std::uint32_t>(__nvvm_prmt(static_cast<int>(half), 0, 0x0123));
    };
    return std::uint64_t{swap(x)} << 32 | swap(x >> 32);
#else
    return __builtin_bswap64(x);
#endif
}

// Addresses in memory. IPv4: numbers of 32 bits. IPv6: 16 bytes each in network order, or if `in_halves`, two
// numbers of 64 bits, the high half first.
struct address_array {
    const void* at;
    std::size_t in_halves;

    template <class A>
    A address(std::size_t i) const noexcept {
        if constexpr (A::bits == 32) {
            return {static_cast<const std::uint32_t*>(at)[i]};
        } else {
            const auto* const halves = static_cast<const std::uint64_t*>(at) + 2 * i;
            return in_halves != 0 ? from_halves<A>(halves[0], halves[1])
                                  : from_halves<A>(swap_bytes(halves[0]), swap_bytes(halves[1]));
        }
    }
};

template <class A, class F>
next_hop find_in(const F& fib, A a) noexcept {
    return fib.find(plain_reads{}, a);
}
template <class A, class Front>
next_hop find_in(const cells::fib_arrays<A, Front>& arrays, A a) noexcept {
    plain_reads read;
    return cells::find(read, arrays, a);
}

// Kernels that a scheme may have besides find(), to be compared with it.
enum class technique {
    shared, // the first levels are in shared memory
    groups, // threads read a node together
};
// Specialised in gpu/own_*.hpp: run() looks up `count` addresses with blocks (thread_block.hpp) of `threads`
// threads and `shared` bytes of shared memory.
template <technique, class A, class F>
struct own_kernel {
    static constexpr unsigned threads = 0; // none
};

// Looks up address `i` in the object of type `F` at `fib`.
template <class A, class F>
void look_up(const void* fib, const address_array& addresses, next_hop* out, std::size_t i) noexcept {
    out[i] = find_in(*static_cast<const F*>(fib), addresses.template address<A>(i));
}

// Writes the item of result `i`, or `missing`, whose low bytes are an item, if its number is too large.
template <class T>
void gather(const void* items, std::size_t item_count, std::uint64_t missing, const std::uint32_t* next_hops,
            void* out, std::size_t i) noexcept {
    const std::uint32_t hop = next_hops[i];
    static_cast<T*>(out)[i] = hop < item_count ? static_cast<const T*>(items)[hop] : static_cast<T>(missing);
}

} // namespace fingerpost::gpu
