// Body of the packed-leaves kernels, compiled once for each instruction set over that set's `vec`.
//
// A block of lanes first takes the root step for all; when no lane found a node, the answers are already
// there. Otherwise all lanes go down together: lanes that were done follow node 0 to leaf 0, whose lines stay
// in the cache and add nothing to their answer.
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

// What was stored before stays in memory instead of in registers that the lanes need.
FINGERPOST_INLINE void keep_in_memory() {
    __asm__ volatile("" ::: "memory");
}

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

    // From a node to the child that `x` belongs to; a child of the last level is a leaf.
    static FINGERPOST_INLINE const std::byte* step(const std::byte* node, lane_key x, bool last) {
        const std::uint64_t child = vec::below<Key, shape.node_keys>(node, x);
        return load_word<const std::byte*>(node + shape.base_at()) +
               child * (last ? packed_line : shape.node_bytes);
    }
    static FINGERPOST_INLINE std::uint32_t code(const std::byte* leaf, lane_key x) {
        const std::uint64_t slot = vec::below<Key, shape.leaf_keys>(leaf, x);
        return load_word<word<AnswerBytes>>(leaf + shape.answers_at + slot * AnswerBytes);
    }
};

template <input_form Form, class Key, unsigned AnswerBytes, unsigned Levels, unsigned Lanes>
FINGERPOST_INLINE void packed_block(const packed_view& view, const std::byte* in, std::uint32_t* out) {
    using tree = packed_tree<Key, AnswerBytes>;
    constexpr std::size_t size = bytes_of(Form);
    const packed_group* const* const groups = view.groups;
    const std::byte* at[Lanes];
    auto done = packed_done_bit(sizeof(Key));
    unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
        const std::byte* address = in + lane.value * size;
        const packed_group* group = groups[address_part<std::uint8_t, 0, size>(address)];
        const std::uint8_t second = address_part<std::uint8_t, 1, size>(address);
        at[lane.value] = group->node[second];
        out[lane.value] = group->addend[second];
        done &= reinterpret_cast<std::uintptr_t>(at[lane.value]);
    });
    if (done != 0)
        return;
    keep_in_memory();
    vec::lane<Key> x[Lanes];
    unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
        x[lane.value] = vec::broadcast_key<Key>(address_part<Key, 2, size>(in + lane.value * size));
    });
    unroll<Levels>([&](auto level) FINGERPOST_LAMBDA {
        unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
            at[lane.value] = tree::step(at[lane.value], x[lane.value], level.value + 1 == Levels);
        });
    });
    unroll<Lanes>([&](auto lane)
                      FINGERPOST_LAMBDA { out[lane.value] += tree::code(at[lane.value], x[lane.value]); });
}

template <input_form Form, class Key, unsigned AnswerBytes, unsigned Levels>
void packed_lookup_batch(const packed_view& view, const void* addresses, std::uint32_t* out,
                         std::size_t count) noexcept {
    const auto* in = static_cast<const std::byte*>(addresses);
    const auto block = [&](auto lanes, std::size_t first) FINGERPOST_LAMBDA {
        packed_block<Form, Key, AnswerBytes, Levels, lanes.value>(view, in + first * bytes_of(Form),
                                                                  out + first);
    };
    cover_batch<vec::packed_lanes>(count, block);
}

template <unsigned AnswerBytes, unsigned Levels>
std::uint32_t packed_lookup_walk(const std::byte* node, std::uint32_t key) noexcept {
    using tree = packed_tree<std::uint32_t, AnswerBytes>;
    const auto x = vec::broadcast_key<std::uint32_t>(key);
    unroll<Levels>([&](auto level)
                       FINGERPOST_LAMBDA { node = tree::step(node, x, level.value + 1 == Levels); });
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
