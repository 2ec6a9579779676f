// Body of the CP-Trie kernels, compiled once for each instruction set: counting bits is one instruction in
// most of them, and none in the baseline of x86-64.
//
// A lane is one number, its slot, and a step changes it where the slot has a child. A lane without one stays
// where it is, whatever the others do, so a block of lanes takes each step together and without a branch. As
// all strides after the first are bytes, a step takes its bits from the address in memory by one load.
#pragma once

#include <bit>
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

constexpr std::size_t batch_lanes = 32;

FINGERPOST_INLINE std::uint64_t count_bits(std::uint64_t bits) {
#if FINGERPOST_KERNELS_FOR_SCALAR && !defined(__POPCNT__) && defined(__x86_64__)
    // The compiler would call a function that looks up byte by byte.
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return bits * 0x0101010101010101 >> 56;
#else
    return static_cast<std::uint64_t>(__builtin_popcountll(bits));
#endif
}

// The bits that the first step takes, and each later one.
template <input_form Form>
FINGERPOST_INLINE std::uint64_t root_slot(const std::byte* address) {
    constexpr std::size_t at = std::endian::native == std::endian::little ? bytes_of(Form) - 2 : 0;
    std::uint16_t slot;
    __builtin_memcpy(&slot, address + at, sizeof slot);
    return slot;
}
template <input_form Form>
FINGERPOST_INLINE std::uint64_t slot_in_node(const std::byte* address, unsigned level) {
    const std::size_t at =
        std::endian::native == std::endian::little ? bytes_of(Form) - 3 - level : 2 + level;
    return static_cast<std::uint64_t>(address[at]);
}
template <input_form Form>
constexpr unsigned levels_of = static_cast<unsigned>(bytes_of(Form) - 2);

// The bits of a block up to that of a slot, which becomes the top bit.
FINGERPOST_INLINE std::uint64_t bits_through(std::uint64_t bits, std::uint64_t slot) {
    return bits << (~slot % block_slots);
}
FINGERPOST_INLINE bool top_bit(std::uint64_t bits) {
    return static_cast<std::int64_t>(bits) < 0;
}

template <class Layout>
FINGERPOST_INLINE std::uint64_t children_through(const trie_view& view, std::uint64_t slot) {
    return bits_through(Layout::children(view, slot / block_slots), slot);
}

// All ones where the top bit is set: choosing by a mask is never made a branch, as `?:` may be. A branch
// would be mispredicted for one lane in a few, and the loads of the lanes behind it would have to wait.
FINGERPOST_INLINE std::uint64_t mask_of_top_bit(std::uint64_t bits) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63);
}

// The slot below one, in the node's child, or the same where there is no child.
template <class Layout>
FINGERPOST_INLINE std::uint64_t step(const trie_view& view, std::uint64_t slot, std::uint64_t below) {
    const std::uint64_t through = children_through<Layout>(view, slot);
    const std::uint64_t child = Layout::child_before(view, slot / block_slots) + count_bits(through);
    return slot ^ (((child << slot_bits | below) ^ slot) & mask_of_top_bit(through));
}

template <class Layout, class Code>
FINGERPOST_INLINE std::uint32_t answer_at(const trie_view& view, std::uint64_t slot) {
    const std::uint64_t block = slot / block_slots;
    const std::uint64_t through = bits_through(Layout::leaves(view, block), slot);
    auto place = static_cast<std::uint32_t>(Layout::leaf_before(view, block) + count_bits(through));
    if constexpr (!Layout::has_runs)
        place &= static_cast<std::uint32_t>(mask_of_top_bit(through)); // 0 is where the code of no route is
    return static_cast<std::uint32_t>(static_cast<const Code*>(view.codes)[place]) - 1;
}

template <class Layout, input_form Form, class Code>
std::uint32_t look_up_single(const trie_view& view, const void* address) noexcept {
    const auto* bytes = static_cast<const std::byte*>(address);
    std::uint64_t slot = root_slot<Form>(bytes);
    for (unsigned level = 0; level < levels_of<Form>; ++level) {
        if (!top_bit(children_through<Layout>(view, slot)))
            break;
        slot = step<Layout>(view, slot, slot_in_node<Form>(bytes, level));
    }
    return answer_at<Layout, Code>(view, slot);
}

// Whether one of the lanes has a child to go on to.
template <class Layout, std::size_t Lanes>
FINGERPOST_INLINE bool goes_on(const trie_view& view, const std::uint64_t* slots) {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < Lanes; ++i)
        any |= children_through<Layout>(view, slots[i]);
    return top_bit(any);
}

template <class Layout, input_form Form, class Code, std::size_t Lanes>
FINGERPOST_INLINE void look_up_block(const trie_view& view, const std::byte* in, std::uint32_t* out) {
    constexpr std::size_t size = bytes_of(Form);
    std::uint64_t slots[Lanes];
    for (std::size_t i = 0; i < Lanes; ++i)
        slots[i] = root_slot<Form>(in + i * size);
    for (unsigned level = 0; level < levels_of<Form>; ++level) {
        // Most blocks of addresses that no route matches, or short ones, end at the root.
        if ((level == 0 || level >= view.usual_levels) && !goes_on<Layout, Lanes>(view, slots))
            break;
        for (std::size_t i = 0; i < Lanes; ++i)
            slots[i] = step<Layout>(view, slots[i], slot_in_node<Form>(in + i * size, level));
    }
    for (std::size_t i = 0; i < Lanes; ++i)
        out[i] = answer_at<Layout, Code>(view, slots[i]);
}

template <class Layout, input_form Form, class Code>
void look_up_batch(const trie_view& view, const void* addresses, std::uint32_t* out,
                   std::size_t count) noexcept {
    const auto* in = static_cast<const std::byte*>(addresses);
    cover_batch<batch_lanes>(count, [&](auto lanes, std::size_t first) FINGERPOST_LAMBDA {
        const std::byte* from = in + first * bytes_of(Form);
        if constexpr (lanes.value == 1)
            out[first] = look_up_single<Layout, Form, Code>(view, from);
        else
            look_up_block<Layout, Form, Code, lanes.value>(view, from, out + first);
    });
}

#if FINGERPOST_KERNELS_FOR_AVX512
template <class Code>
void look_up_gathered(const trie_view& view, const void* addresses, std::uint32_t* out,
                      std::size_t count) noexcept {
    constexpr std::size_t size = bytes_of(input_form::ipv6);
    constexpr std::size_t lanes = gathered_lines::lanes;
    const auto* in = static_cast<const std::byte*>(addresses);
    for (; count >= lanes; count -= lanes, in += lanes * size, out += lanes) {
        std::uint32_t going = gathered_lines::look_up<Code>(view, in, out);
        for (; going != 0; going &= going - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(going));
            out[lane] = look_up_single<line_layout, input_form::ipv6, Code>(view, in + lane * size);
        }
    }
    look_up_batch<line_layout, input_form::ipv6, Code>(view, in, out, count);
}
constexpr void fill_gathered(layout_kernels& all) {
    batch_kernel* batch = all.batch[place_of(input_form::ipv6)];
    batch[width_place(1)] = look_up_gathered<std::uint8_t>;
    batch[width_place(2)] = look_up_gathered<std::uint16_t>;
    batch[width_place(4)] = look_up_gathered<std::uint32_t>;
}
#else
constexpr void fill_gathered(layout_kernels&) {}
#endif

template <class Layout, input_form Form>
constexpr void fill_form(layout_kernels& all) {
    batch_kernel* batch = all.batch[place_of(Form)];
    single_kernel* single = all.single[place_of(Form)];
    batch[width_place(1)] = look_up_batch<Layout, Form, std::uint8_t>;
    batch[width_place(2)] = look_up_batch<Layout, Form, std::uint16_t>;
    batch[width_place(4)] = look_up_batch<Layout, Form, std::uint32_t>;
    single[width_place(1)] = look_up_single<Layout, Form, std::uint8_t>;
    single[width_place(2)] = look_up_single<Layout, Form, std::uint16_t>;
    single[width_place(4)] = look_up_single<Layout, Form, std::uint32_t>;
}
template <class Layout>
constexpr layout_kernels make_kernels() {
    layout_kernels all{};
    fill_form<Layout, input_form::key64>(all);
    fill_form<Layout, input_form::ipv6>(all);
    fill_form<Layout, input_form::ipv4>(all);
    if constexpr (Layout::has_runs)
        fill_gathered(all);
    return all;
}

constinit const kernel_set all_kernels = {make_kernels<split_layout>(), make_kernels<line_layout>()};

} // namespace
} // namespace fingerpost::cp_trie
