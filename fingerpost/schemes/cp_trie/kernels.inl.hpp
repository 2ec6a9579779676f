// Body of the CP-Trie kernels, compiled once for each instruction set, because baseline x86-64 lacks the
// instruction that counts bits.
//
// The state of a lane is its slot, and a step changes it only if the slot has a child. So a block of lanes
// takes each step together without a branch. All strides after the first are 8 bits, so a step loads its byte
// of the address from memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/schemes/cp_trie/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"
#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/schemes/cp_trie/kernels_avx512.hpp"
#endif

namespace fingerpost::cp_trie {
namespace {

using namespace simd;

// Maximum number of lanes that advance together. Each lane prefetches its next block before the others take
// their step. A batch with 128 lanes is 1.5 times as fast as one with 32 if the blocks are not in L2.
constexpr std::size_t most_lanes = 128;

// Returns a code minus one.
template <class Code>
FINGERPOST_INLINE std::uint32_t answer_at(const trie_view& view, std::uint32_t place) {
    return static_cast<std::uint32_t>(static_cast<const Code*>(view.codes)[place]) - 1;
}

template <class Layout, input_form Form, class Code>
std::uint32_t look_up_single(const trie_view& view, const void* address) noexcept {
    const auto* bytes = static_cast<const std::byte*>(address);
    return answer_at<Code>(view, walk<Layout, Form>(view, plain_reads{}, bytes, root_slot<Form>(bytes), 0));
}

// Whether a lane has a child to continue to.
template <class Layout>
FINGERPOST_INLINE bool goes_on(const trie_view& view, const std::uint64_t* slots, std::size_t lanes) {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < lanes; ++i)
        any |= children_through<Layout>(view, slots[i]);
    return top_bit(any);
}

template <class Layout, input_form Form, class Code>
FINGERPOST_INLINE void look_up_block(const trie_view& view, const std::byte* in, std::uint32_t* out,
                                     std::size_t lanes) {
    constexpr std::size_t size = bytes_of(Form);
    std::uint64_t slots[most_lanes];
    for (std::size_t i = 0; i < lanes; ++i)
        slots[i] = root_slot<Form>(in + i * size);
    for (unsigned level = 0; level < levels_of<Form>; ++level) {
        // Most blocks whose addresses have no match or short matches end at the root.
        if ((level == 0 || level >= view.usual_levels) && !goes_on<Layout>(view, slots, lanes))
            break;
        for (std::size_t i = 0; i < lanes; ++i) {
            slots[i] = step<Layout>(view, slots[i], slot_in_node<Form>(in + i * size, level));
            __builtin_prefetch(view.blocks + slots[i] / block_slots * Layout::block_bytes);
        }
    }
    for (std::size_t i = 0; i < lanes; ++i) {
        out[i] = code_place<Layout>(view, slots[i]);
        __builtin_prefetch(static_cast<const Code*>(view.codes) + out[i]);
    }
    for (std::size_t i = 0; i < lanes; ++i)
        out[i] = answer_at<Code>(view, out[i]);
}

#if FINGERPOST_KERNELS_FOR_AVX512
// Looks up the addresses that fill whole blocks of vectors, and returns their number.
template <class Layout, input_form Form, class Code, unsigned Vectors>
FINGERPOST_INLINE std::size_t look_up_wide(const trie_view& view, const std::byte* in, std::uint32_t* out,
                                           std::size_t count) {
    using walks = wide_walks<Layout, Form, Vectors>;
    std::size_t done = 0;
    for (; count - done >= walks::lanes; done += walks::lanes) {
        const std::byte* const from = in + done * bytes_of(Form);
        std::uint32_t* const to = out + done;
        std::uint64_t slots[walks::lanes];
        std::uint64_t live;
        const unsigned level = walks::run(view, from, live, slots, to);
        for (; live != 0; live &= live - 1) {
            const auto lane = static_cast<std::size_t>(__builtin_ctzll(live));
            const std::byte* const at = from + lane * bytes_of(Form);
            to[lane] = walk<Layout, Form>(view, plain_reads{}, at, slots[lane], level);
        }
        for (std::size_t i = 0; i < walks::lanes; ++i)
            to[i] = answer_at<Code>(view, to[i]);
    }
    return done;
}
#endif

template <class Layout, input_form Form, class Code>
void look_up_batch(const trie_view& view, const void* addresses, std::uint32_t* out,
                   std::size_t count) noexcept {
    constexpr std::size_t size = bytes_of(Form);
    const auto* in = static_cast<const std::byte*>(addresses);
    if (count == 1) {
        *out = look_up_single<Layout, Form, Code>(view, addresses);
        return;
    }
    std::size_t done = 0;
#if FINGERPOST_KERNELS_FOR_AVX512
    done = look_up_wide<Layout, Form, Code, 8>(view, in, out, count);
    done += look_up_wide<Layout, Form, Code, 4>(view, in + done * size, out + done, count - done);
#endif
    while (done < count) {
        const std::size_t lanes = count - done < most_lanes ? count - done : most_lanes;
        look_up_block<Layout, Form, Code>(view, in + done * size, out + done, lanes);
        done += lanes;
    }
}

template <class Layout, input_form Form>
constexpr void fill_form(layout_kernels& kernels) {
    batch_kernel* batch = kernels.batch[place_of(Form)];
    single_kernel* single = kernels.single[place_of(Form)];
    batch[width_place(1)] = look_up_batch<Layout, Form, std::uint8_t>;
    batch[width_place(2)] = look_up_batch<Layout, Form, std::uint16_t>;
    batch[width_place(4)] = look_up_batch<Layout, Form, std::uint32_t>;
    single[width_place(1)] = look_up_single<Layout, Form, std::uint8_t>;
    single[width_place(2)] = look_up_single<Layout, Form, std::uint16_t>;
    single[width_place(4)] = look_up_single<Layout, Form, std::uint32_t>;
}
template <class Layout>
constexpr layout_kernels make_kernels() {
    layout_kernels kernels{};
    fill_form<Layout, input_form::key64>(kernels);
    fill_form<Layout, input_form::ipv6>(kernels);
    fill_form<Layout, input_form::ipv4>(kernels);
    return kernels;
}

constinit const kernel_set all_kernels = {make_kernels<split_layout>(), make_kernels<line_layout>()};

} // namespace
} // namespace fingerpost::cp_trie
