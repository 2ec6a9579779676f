// Body of the packed-leaves kernels, compiled once for each instruction set over that set's `vec`.
//
// A batch goes down in stages: root, upper nodes, last node, leaf. Each stage runs over up to 64 addresses
// and asks for the line that the next one needs, which so has time to come from L2. Groups of lanes that the
// root answers drop out; single lanes that it answers go along, over nodes without keys to a leaf with code
// 0, lines that stay in L1 and add nothing to their answer.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/packed.hpp"

namespace fingerpost::simd {
namespace {

// Groups that go through the stages together. Measured with 8 lanes on tier1-v6: 2, 4 and 8 groups
// gave 1.12, 1.42 and 1.49 times PlanB on match; without stages it was 1.14.
constexpr std::size_t packed_groups = 8;

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

// Bytes [Offset, Offset + sizeof(T)) of an address in address order (the first byte is the most significant).
template <class T, unsigned Offset, std::size_t Size>
FINGERPOST_INLINE T address_part(const std::byte* address) {
    static_assert(Offset + sizeof(T) <= Size);
    constexpr bool little = std::endian::native == std::endian::little;
    return load_word<T>(address + (little ? Size - Offset - sizeof(T) : Offset));
}

template <class Key, unsigned AnswerBytes>
struct packed_tree {
    static constexpr packed_shape shape = shape_of(sizeof(Key), AnswerBytes);
    using lane_key = vec::lane<Key>;

    static FINGERPOST_INLINE lane_key key(Key x) { return vec::broadcast_key<Key>(x); }
    // From a node to the child that `x` belongs to; a child of the last level is a leaf.
    static FINGERPOST_INLINE const std::byte* step(const std::byte* node, lane_key x) {
        const std::uint64_t child = vec::below<Key, shape.node_keys>(node, x);
        return load_word<const std::byte*>(node + packed_shape::base_at) + child * packed_line;
    }
    static FINGERPOST_INLINE std::uint32_t code(const std::byte* leaf, lane_key x) {
        const std::uint64_t slot = vec::below<Key, shape.leaf_keys>(leaf, x);
        return load_word<word<AnswerBytes>>(leaf + shape.answers_at + slot * AnswerBytes);
    }
};

// One byte: the block's bitmap leads to the answer itself, and "leaf" is where it lies.
template <unsigned AnswerBytes>
struct packed_tree<std::uint8_t, AnswerBytes> {
    using lane_key = std::uint64_t;

    static FINGERPOST_INLINE lane_key key(std::uint8_t x) { return x; }
    static FINGERPOST_INLINE const std::byte* step(const std::byte* node, lane_key x) {
        const auto* block = reinterpret_cast<const packed_bitmap*>(node);
        const std::uint64_t below = block->ends[x >> 6] & ~(~std::uint64_t{0} << (x & 63));
        const auto slot = block->before[x >> 6] + static_cast<std::uint64_t>(__builtin_popcountll(below));
        return block->answers + slot * AnswerBytes;
    }
    static FINGERPOST_INLINE std::uint32_t code(const std::byte* answer, lane_key) {
        return load_word<word<AnswerBytes>>(answer);
    }
};

// The stages of a lookup, each over a group of lanes. Between stages the lanes' lines wait in memory, `at`.
template <input_form Form, class Key, unsigned AnswerBytes, unsigned Levels, unsigned Lanes>
struct packed_stages {
    using tree = packed_tree<Key, AnswerBytes>;
    static constexpr std::size_t size = bytes_of(Form);

    static FINGERPOST_INLINE typename tree::lane_key key_of(const std::byte* address) {
        return tree::key(address_part<Key, 2, size>(address));
    }

    // True when the first 16 bits decide for every lane: then `out` is complete.
    static FINGERPOST_INLINE bool root(const packed_view& view, const std::byte* in, std::uint32_t* out,
                                       const std::byte** at) {
        const packed_group* const* const groups = view.groups;
        auto done = packed_done_bit;
        unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
            const std::byte* address = in + lane.value * size;
            const packed_group* group = groups[address_part<std::uint8_t, 0, size>(address)];
            const std::uint8_t second = address_part<std::uint8_t, 1, size>(address);
            const std::byte* node = group->node[second];
            out[lane.value] = group->addend[second];
            done &= reinterpret_cast<std::uintptr_t>(node);
            at[lane.value] = node;
            if constexpr (Levels == 1) // else there are few first nodes, and they stay in L1
                __builtin_prefetch(node);
        });
        return done != 0;
    }

    template <unsigned Steps>
    static FINGERPOST_INLINE void down(const std::byte* in, const std::byte** at) {
        const std::byte* node[Lanes];
        typename tree::lane_key x[Lanes];
        unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
            node[lane.value] = at[lane.value];
            x[lane.value] = key_of(in + lane.value * size);
        });
        unroll<Steps>([&](auto) FINGERPOST_LAMBDA {
            unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
                node[lane.value] = tree::step(node[lane.value], x[lane.value]);
            });
        });
        unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
            at[lane.value] = node[lane.value];
            __builtin_prefetch(node[lane.value]);
        });
    }

    static FINGERPOST_INLINE void leaf(const std::byte* in, std::uint32_t* out, const std::byte* const* at) {
        unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
            out[lane.value] += tree::code(at[lane.value], key_of(in + lane.value * size));
        });
    }

    // Up to `packed_groups` groups, stage by stage, so that the lines which one stage asks for have arrived
    // by the next.
    static FINGERPOST_INLINE void run(const packed_view& view, const std::byte* in, std::uint32_t* out,
                                      std::size_t groups) {
        constexpr std::size_t step = Lanes * size;
        const std::byte* at[packed_groups * Lanes];
        unsigned live = 0; // groups to be taken further, a bit each
        for (std::size_t g = 0; g < groups; ++g)
            live |= unsigned{!root(view, in + g * step, out + g * Lanes, at + g * Lanes)} << g;
        if (live == 0)
            return;
        if constexpr (Levels > 1)
            for (std::size_t g = 0; g < groups; ++g)
                if ((live >> g & 1) != 0)
                    down<Levels - 1>(in + g * step, at + g * Lanes);
        for (std::size_t g = 0; g < groups; ++g)
            if ((live >> g & 1) != 0)
                down<1>(in + g * step, at + g * Lanes);
        for (std::size_t g = 0; g < groups; ++g)
            if ((live >> g & 1) != 0)
                leaf(in + g * step, out + g * Lanes, at + g * Lanes);
    }
};

template <input_form Form, class Key, unsigned AnswerBytes, unsigned Levels>
void packed_lookup_batch(const packed_view& view, const void* addresses, std::uint32_t* out,
                         std::size_t count) noexcept {
    constexpr std::size_t size = bytes_of(Form);
    constexpr std::size_t lanes = vec::packed_lanes;
    using stages = packed_stages<Form, Key, AnswerBytes, Levels, lanes>;
    using alone = packed_stages<Form, Key, AnswerBytes, Levels, 1>;
    const auto* in = static_cast<const std::byte*>(addresses);
    while (count >= lanes) {
        const std::size_t groups = count / lanes < packed_groups ? count / lanes : packed_groups;
        stages::run(view, in, out, groups);
        in += groups * lanes * size;
        out += groups * lanes;
        count -= groups * lanes;
    }
    if (count > 2) { // a group is cheaper than three lanes alone
        std::byte padded[lanes * size] = {};
        std::uint32_t answers[lanes];
        __builtin_memcpy(padded, in, count * size);
        stages::run(view, padded, answers, 1);
        __builtin_memcpy(out, answers, count * sizeof(std::uint32_t));
    } else {
        for (std::size_t i = 0; i < count; ++i)
            alone::run(view, in + i * size, out + i, 1);
    }
}

template <unsigned AnswerBytes, unsigned Levels>
std::uint32_t packed_lookup_walk(const std::byte* node, std::uint32_t key) noexcept {
    using tree = packed_tree<std::uint32_t, AnswerBytes>;
    const auto x = tree::key(key);
    unroll<Levels>([&](auto) FINGERPOST_LAMBDA { node = tree::step(node, x); });
    return tree::code(node, x) - 1;
}

// Fills what is compiled of the table of kernels.
struct packed_maker {
    packed_kernels all{};

    template <input_form Form, class Key, unsigned AnswerBytes, unsigned... Level>
    constexpr void levels(std::integer_sequence<unsigned, Level...>) {
        if constexpr (2 + sizeof(Key) <= bytes_of(Form)) {
            auto& row =
                all.batch[std::size_t(Form)][std::countr_zero(sizeof(Key))][std::countr_zero(AnswerBytes)];
            ((row[Level] = packed_lookup_batch<Form, Key, AnswerBytes, Level + 1>), ...);
        }
    }
    template <input_form Form, class Key>
    constexpr void answers() {
        constexpr auto counts = std::make_integer_sequence<unsigned, packed_level_counts<sizeof(Key)>>{};
        levels<Form, Key, 1>(counts);
        levels<Form, Key, 2>(counts);
        levels<Form, Key, 4>(counts);
    }
    template <input_form Form>
    constexpr void keys() {
        answers<Form, std::uint8_t>();
        answers<Form, std::uint16_t>();
        answers<Form, std::uint32_t>();
    }
    template <unsigned AnswerBytes, unsigned... Level>
    constexpr void walks(std::integer_sequence<unsigned, Level...>) {
        ((all.walk[std::countr_zero(AnswerBytes)][Level] = packed_lookup_walk<AnswerBytes, Level + 1>), ...);
    }
};

constexpr packed_kernels make_packed() {
    packed_maker maker;
    maker.all.signed_keys = vec::signed_keys;
    maker.keys<input_form::key64>();
    maker.keys<input_form::ipv6>();
    maker.keys<input_form::ipv4>();
    constexpr auto counts = std::make_integer_sequence<unsigned, packed_level_counts<4>>{};
    maker.walks<1>(counts);
    maker.walks<2>(counts);
    maker.walks<4>(counts);
    return maker.all;
}

constexpr packed_kernels packed_all = make_packed();

} // namespace
} // namespace fingerpost::simd
