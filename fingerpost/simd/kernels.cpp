// Byte order kernels, compiled once for each instruction set: whole vectors by byte shuffle, the rest one
// address at a time.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/byte_order.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"

namespace fingerpost::simd {
namespace {

constexpr bool network_is_native = std::endian::native == std::endian::big;

FINGERPOST_INLINE void swap_one(const unsigned char* in, ipv4_address& out) {
    std::uint32_t word;
    __builtin_memcpy(&word, in, sizeof word);
    out.value = network_is_native ? word : __builtin_bswap32(word);
}
FINGERPOST_INLINE void swap_one(const unsigned char* in, ipv6_address& out) {
    std::uint64_t words[2];
    __builtin_memcpy(words, in, sizeof words);
    out.value = network_is_native ? u128{words[0]} << 64 | words[1]
                                  : u128{__builtin_bswap64(words[0])} << 64 | __builtin_bswap64(words[1]);
}

template <class A>
void swap_all(const unsigned char* in, A* out, std::size_t count) {
    constexpr std::size_t lanes = byte_swap::bytes / sizeof(A);
    std::size_t done = 0;
    if constexpr (lanes > 0 && !network_is_native)
        for (; done + lanes <= count; done += lanes)
            byte_swap::swap<sizeof(A)>(in + done * sizeof(A), out + done);
    for (; done < count; ++done)
        swap_one(in + done * sizeof(A), out[done]);
}

constinit const byte_order_kernels all_kernels = {swap_all<ipv4_address>, swap_all<ipv6_address>};

} // namespace

const byte_order_kernels& kernels_for(this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::simd
