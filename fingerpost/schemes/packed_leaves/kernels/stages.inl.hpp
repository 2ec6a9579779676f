// The steps of a lookup through index, nodes and leaves: of one address, and of a few neighbouring ones as
// straight-line code.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fingerpost/schemes/packed_leaves/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/vec.hpp"

#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/schemes/packed_leaves/kernels/kernels_avx512.hpp"
#elif FINGERPOST_KERNELS_FOR_AVX2
#include "fingerpost/schemes/packed_leaves/kernels/kernels_avx2.hpp"
#endif

namespace fingerpost::packed_leaves {
namespace {

using namespace simd;

#if !FINGERPOST_KERNELS_FOR_AVX512 && !FINGERPOST_KERNELS_FOR_AVX2
class wide_steps {
  public:
    static constexpr bool are_there = false;
    // Comparing a line takes so many instructions here that few addresses are in progress at a time.
    static constexpr bool prefetches = true;

    explicit FINGERPOST_INLINE wide_steps(const code_view& codes) : codes_(codes) {}

    template <class State>
    static FINGERPOST_INLINE bool goes_on(const State& now, std::size_t count) {
        return now.goes_on(count);
    }
    // Writes the numbers of 16 codes; returns a mask of those that are the escape code.
    template <class Codes>
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, const Codes& now, std::size_t first) const {
        std::uint64_t escaped = 0;
        for (std::size_t i = 0; i < 16; ++i) {
            const std::uint32_t code = now.code(first + i);
            out[i] = codes_.number_of(code);
            escaped |= std::uint64_t{code == codes_.escape} << i;
        }
        return escaped;
    }

  private:
    code_view codes_;
};
#endif

// The most addresses that go through the stages together.
constexpr std::size_t batch_block = 64;

template <unsigned Bytes>
struct word_of;
template <>
struct word_of<1> {
    using type = std::uint8_t;
};
template <>
struct word_of<2> {
    using type = std::uint16_t;
};
template <>
struct word_of<4> {
    using type = std::uint32_t;
};
template <unsigned Bytes>
using word = typename word_of<Bytes>::type;

template <class T>
FINGERPOST_INLINE T load_word(const std::byte* at) {
    T value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}

// The first 64 bits of an address, zeros after its last.
template <input_form Form>
FINGERPOST_INLINE std::uint64_t first_bits(const std::byte* address) {
    if constexpr (Form == input_form::ipv6)
        return load_word<std::uint64_t>(address + high_word * 8);
    else if constexpr (Form == input_form::key64)
        return load_word<std::uint64_t>(address);
    else
        return std::uint64_t{load_word<std::uint32_t>(address)} << 32;
}
template <input_form Form>
FINGERPOST_INLINE std::uint32_t tree_key(const std::byte* address) {
    // From an IPv6 address in one load, which the broadcast then makes from memory.
    if constexpr (Form == input_form::ipv6 && std::endian::native == std::endian::little)
        return load_word<std::uint32_t>(address + 10);
    else
        return static_cast<std::uint32_t>(first_bits<Form>(address) >> key_begin);
}

// One address through the index, by its first 64 bits: the last entry.
FINGERPOST_INLINE std::uint64_t index_entry(const index_view& view, std::uint64_t bits) {
    std::uint64_t entry = view.root[bits >> view.root_shift];
    unroll<index_steps>([&](auto) FINGERPOST_LAMBDA { entry = view.pages[step_entry::slot(entry, bits)]; });
    return entry;
}

using key_lane = vec::lane<std::uint32_t>;

// From a node to the child that `key` belongs to; a child of the last level is a leaf.
FINGERPOST_INLINE std::uint32_t step_down(const std::byte* lines, std::uint32_t node, key_lane key) {
    const std::byte* line = lines + node;
    const auto child = static_cast<std::uint32_t>(vec::below<std::uint32_t, node_shape::keys>(line, key));
    return load_word<std::uint32_t>(line + node_shape::base_at) + child * line_bytes;
}
template <unsigned CodeBytes>
FINGERPOST_INLINE std::uint32_t leaf_code(const std::byte* lines, std::uint32_t leaf, key_lane key) {
    constexpr leaf_shape shape = leaf_shape_for(CodeBytes);
    const std::byte* line = lines + leaf;
    const std::uint64_t slot = vec::below<std::uint32_t, shape.keys>(line, key);
    return load_word<word<CodeBytes>>(line + shape.codes_at + slot * CodeBytes);
}

// Calls read with the width of codes as a constant. Leaves differ by it, and nothing before them: one test a
// block costs less than kernels for each width.
template <class Read>
FINGERPOST_INLINE void with_code_bytes(const index_view& view, Read read) {
    if (view.code_bytes == 2)
        read(constant<2>{});
    else if (view.code_bytes == 1)
        read(constant<1>{});
    else
        read(constant<4>{});
}

// The three stages over `Count` neighbouring addresses, as straight-line code.
template <input_form Form, unsigned Count>
struct stages {
    static constexpr std::size_t size = bytes_of(Form);

    static FINGERPOST_INLINE key_lane key(const std::byte* in, std::size_t lane) {
        return vec::broadcast_key<std::uint32_t>(tree_key<Form>(in + lane * size));
    }
    static FINGERPOST_INLINE void index(const index_view& view, const std::byte* in, std::uint64_t* entry) {
        unroll<Count>([&](auto lane) FINGERPOST_LAMBDA {
            entry[lane.value] = index_entry(view, first_bits<Form>(in + lane.value * size));
        });
    }
    // Both levels of nodes. The processor overlaps these short chains by itself.
    template <bool Prefetches>
    static FINGERPOST_INLINE void nodes(const std::byte* lines, const std::byte* in,
                                        const std::uint64_t* entry, std::uint32_t* leaf) {
        unroll<Count>([&](auto lane) FINGERPOST_LAMBDA {
            const key_lane x = key(in, lane.value);
            std::uint32_t at = last_entry::tree_of(entry[lane.value]);
            unroll<node_levels>([&](auto) FINGERPOST_LAMBDA { at = step_down(lines, at, x); });
            leaf[lane.value] = at;
            if constexpr (Prefetches)
                __builtin_prefetch(lines + at);
        });
    }
    template <unsigned CodeBytes>
    static FINGERPOST_INLINE void leaves(const std::byte* lines, const std::byte* in,
                                         const std::uint32_t* leaf, std::uint32_t* code) {
        unroll<Count>([&](auto lane) FINGERPOST_LAMBDA {
            code[lane.value] = leaf_code<CodeBytes>(lines, leaf[lane.value], key(in, lane.value));
        });
    }
};

// The state of a block between the stages: the last entries of the index, the offsets of leaves, and the
// codes in these leaves.
template <unsigned Count>
struct block_state {
    alignas(line_bytes) std::uint64_t entry[Count];
    alignas(line_bytes) std::uint32_t leaf[Count];
    alignas(line_bytes) std::uint32_t found[Count];

    // True if the index leads one of the first `count` addresses to a tree.
    FINGERPOST_INLINE bool goes_on(std::size_t count) const {
        std::uint32_t trees = 0;
        for (std::size_t i = 0; i < count; ++i)
            trees |= last_entry::tree_of(entry[i]);
        return trees != 0;
    }
    FINGERPOST_INLINE std::uint32_t code(std::size_t i) const {
        return last_entry::code_of(entry[i]) + found[i];
    }
};

} // namespace
} // namespace fingerpost::packed_leaves
