// Body of the packed-leaves kernels, compiled once for each instruction set over that set's `vec`.
//
// A batch goes down in stages: index, upper nodes, lower nodes, leaves. Each stage runs over up to 64
// addresses and asks for the line that the next one needs, which so has time to come from L2. Groups of lanes
// that the index answers drop out; single lanes that it answers go along, over nodes without keys to a leaf
// with code 0, lines that stay in L1 and add nothing to their answer.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/packed.hpp"

namespace fingerpost::simd {
namespace {

// Addresses that go through the stages together: measured with 64 and 128, which did not differ, and in an
// older form with 16 and 32, which gave a tenth to a fourth less.
constexpr std::size_t packed_together = 64;

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
FINGERPOST_INLINE std::uint32_t packed_key(const std::byte* address) {
    // From an IPv6 address in one load, which the broadcast then makes from memory.
    if constexpr (Form == input_form::ipv6 && std::endian::native == std::endian::little)
        return load_word<std::uint32_t>(address + 10);
    else
        return static_cast<std::uint32_t>(first_bits<Form>(address) >> packed_key_at);
}

// One address through the index: where it goes on, with code 0, or its code and the way without keys. False
// when it is answered.
template <input_form Form>
FINGERPOST_INLINE bool index_one(const packed_view& view, const std::byte* address, std::uint32_t& code,
                                 std::uint32_t& at) {
    const std::uint64_t bits = first_bits<Form>(address);
    auto left = static_cast<std::uint32_t>(bits >> view.root_shift);
    std::uint32_t entry = view.root[bits >> (32 + view.root_shift)];
    unroll<packed_steps>([&](auto) FINGERPOST_LAMBDA {
        const unsigned shift = entry & packed_entry::shift_mask;
        const std::uint32_t place = static_cast<std::uint32_t>(std::uint64_t{left} >> shift);
        left = static_cast<std::uint32_t>(std::uint64_t{left} << (32 - shift));
        entry = view.pages[(entry >> packed_entry::shift_bits) + place];
    });
    const std::uint32_t done = std::uint32_t{0} - (entry & packed_done_bit);
    code = entry >> 1 & done;
    at = entry & ~done;
    return done == 0;
}

// What `vec` offers of its own for the index, else lane by lane. `count` is below Lanes only if Part is set.
template <input_form Form, unsigned Lanes, bool Part, class Vec = vec>
FINGERPOST_INLINE bool index_group(const packed_view& view, const std::byte* in, std::uint32_t* code,
                                   std::uint32_t* at, std::size_t count) {
    if constexpr (requires { Vec::template index<Form, Part>(view, in, code, at, count); }) {
        return Vec::template index<Form, Part>(view, in, code, at, count);
    } else {
        constexpr std::size_t size = bytes_of(Form);
        bool live = false;
        if constexpr (Part) {
            for (std::size_t i = 0; i < count; ++i)
                live |= index_one<Form>(view, in + i * size, code[i], at[i]);
        } else {
            unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
                live |= index_one<Form>(view, in + lane.value * size, code[lane.value], at[lane.value]);
            });
        }
        return live;
    }
}

using packed_lane = vec::lane<std::uint32_t>;

// From a node to the child that `key` belongs to; a child of the last level is a leaf.
FINGERPOST_INLINE std::uint32_t packed_step(const std::byte* lines, std::uint32_t node, packed_lane key) {
    const std::byte* line = lines + node;
    const auto child = static_cast<std::uint32_t>(vec::below<std::uint32_t, packed_node::keys>(line, key));
    return load_word<std::uint32_t>(line + packed_node::base_at) + child * packed_line;
}
template <unsigned AnswerBytes>
FINGERPOST_INLINE std::uint32_t packed_code(const std::byte* lines, std::uint32_t leaf, packed_lane key) {
    constexpr packed_leaf shape = packed_leaf_for(AnswerBytes);
    const std::byte* line = lines + leaf;
    const std::uint64_t slot = vec::below<std::uint32_t, shape.keys>(line, key);
    return load_word<word<AnswerBytes>>(line + shape.answers_at + slot * AnswerBytes);
}

// The stages below the index over one group of lanes, whose places wait in `at` from stage to stage.
template <input_form Form, unsigned AnswerBytes, unsigned Lanes>
struct packed_stages {
    static constexpr std::size_t size = bytes_of(Form);

    template <bool Part, class Each>
    static FINGERPOST_INLINE void each(std::size_t count, Each one) {
        if constexpr (Part)
            for (std::size_t i = 0; i < count; ++i)
                one(i);
        else
            unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA { one(std::size_t{lane.value}); });
    }
    static FINGERPOST_INLINE packed_lane key(const std::byte* in, std::size_t lane) {
        return vec::broadcast_key<std::uint32_t>(packed_key<Form>(in + lane * size));
    }

    template <bool Part>
    static FINGERPOST_INLINE void down(const std::byte* lines, const std::byte* in, std::uint32_t* at,
                                       std::size_t count) {
        each<Part>(count, [&](std::size_t lane) FINGERPOST_LAMBDA {
            at[lane] = packed_step(lines, at[lane], key(in, lane));
            __builtin_prefetch(lines + at[lane]);
        });
    }
    template <bool Part>
    static FINGERPOST_INLINE void leaf(const std::byte* lines, const std::byte* in, std::uint32_t* code,
                                       const std::uint32_t* at, std::size_t count) {
        each<Part>(count, [&](std::size_t lane) FINGERPOST_LAMBDA {
            code[lane] += packed_code<AnswerBytes>(lines, at[lane], key(in, lane));
        });
    }
};

// Codes wait on the stack until a whole stage is done: `out` may have to come from memory, so it is written
// once, in whole vectors, and not read.
template <class Vec = vec>
FINGERPOST_INLINE void give_answers(const packed_escapes& escapes, const void* addresses,
                                    const std::uint32_t* codes, std::uint32_t* out, std::size_t count) {
    bool escaped = false;
    std::size_t i = 0;
    if constexpr (requires { Vec::give_16(codes, out, escapes.code); })
        for (; i + 16 <= count; i += 16)
            escaped |= Vec::give_16(codes + i, out + i, escapes.code);
    for (; i < count; ++i) {
        out[i] = codes[i] - 1;
        escaped |= codes[i] == escapes.code;
    }
    if (escaped) [[unlikely]]
        escapes.resolve(escapes.self, addresses, out, count);
}

// Whole groups, at most packed_together addresses.
template <input_form Form, unsigned AnswerBytes, unsigned Lanes>
FINGERPOST_INLINE void packed_groups(const packed_view& view, const std::byte* in, std::uint32_t* code,
                                     std::size_t groups) {
    using stages = packed_stages<Form, AnswerBytes, Lanes>;
    constexpr std::size_t step = Lanes * bytes_of(Form);
    alignas(packed_line) std::uint32_t at[packed_together];
    unsigned live = 0; // groups to be taken further, a bit each
    for (std::size_t g = 0; g < groups; ++g)
        live |= unsigned{index_group<Form, Lanes, false>(view, in + g * step, code + g * Lanes,
                                                         at + g * Lanes, Lanes)}
                << g;
    for (unsigned level = 0; level < packed_levels; ++level)
        for (std::size_t g = 0; g < groups; ++g)
            if ((live >> g & 1) != 0)
                stages::template down<false>(view.lines, in + g * step, at + g * Lanes, Lanes);
    for (std::size_t g = 0; g < groups; ++g)
        if ((live >> g & 1) != 0)
            stages::template leaf<false>(view.lines, in + g * step, code + g * Lanes, at + g * Lanes, Lanes);
}

// Fewer addresses than a group has lanes.
template <input_form Form, unsigned AnswerBytes, unsigned Lanes>
FINGERPOST_INLINE void packed_part(const packed_view& view, const std::byte* in, std::uint32_t* code,
                                   std::size_t count) {
    using stages = packed_stages<Form, AnswerBytes, Lanes>;
    alignas(packed_line) std::uint32_t at[Lanes];
    if (!index_group<Form, Lanes, true>(view, in, code, at, count))
        return;
    for (unsigned level = 0; level < packed_levels; ++level)
        stages::template down<true>(view.lines, in, at, count);
    stages::template leaf<true>(view.lines, in, code, at, count);
}

template <input_form Form, unsigned AnswerBytes>
FINGERPOST_INLINE std::uint32_t packed_one(const packed_view& view, const std::byte* address) {
    std::uint32_t code;
    std::uint32_t at;
    if (!index_one<Form>(view, address, code, at))
        return code;
    const packed_lane key = vec::broadcast_key<std::uint32_t>(packed_key<Form>(address));
    unroll<packed_levels>([&](auto) FINGERPOST_LAMBDA { at = packed_step(view.lines, at, key); });
    return code + packed_code<AnswerBytes>(view.lines, at, key);
}

template <input_form Form, unsigned AnswerBytes>
void packed_lookup_batch(const packed_view& view, const packed_escapes& escapes, const void* addresses,
                         std::uint32_t* out, std::size_t count) noexcept {
    constexpr std::size_t size = bytes_of(Form);
    constexpr unsigned lanes = vec::packed_lanes;
    const auto* in = static_cast<const std::byte*>(addresses);
    alignas(packed_line) std::uint32_t codes[packed_together];
    while (count > 0) {
        std::size_t some = (count < packed_together ? count : packed_together) / lanes * lanes;
        if (some > 0) {
            packed_groups<Form, AnswerBytes, lanes>(view, in, codes, some / lanes);
        } else {
            some = count;
            if (some > 2) // the index of a group is cheaper than three alone
                packed_part<Form, AnswerBytes, lanes>(view, in, codes, some);
            else
                for (std::size_t i = 0; i < some; ++i)
                    codes[i] = packed_one<Form, AnswerBytes>(view, in + i * size);
        }
        give_answers(escapes, in, codes, out, some);
        in += some * size;
        out += some;
        count -= some;
    }
}

template <unsigned AnswerBytes>
std::uint32_t packed_lookup_walk(const std::byte* lines, std::uint32_t node, unsigned levels,
                                 std::uint32_t key) noexcept {
    const packed_lane x = vec::broadcast_key<std::uint32_t>(key);
    for (unsigned level = 0; level < levels; ++level)
        node = packed_step(lines, node, x);
    return packed_code<AnswerBytes>(lines, node, x) - 1;
}

// The number of the answer of an address: where its word's answers start, and one more for each interval that
// ends before its cell.
FINGERPOST_INLINE std::uint32_t ranked_slot(const ranked_view& view, std::uint32_t address) {
    const ranked_word& word = view.words[address >> (32 - ranked_word_bits)];
    const unsigned cell = address >> (32 - ranked_cell_bits) & (ranked_word_cells - 1);
    const std::uint32_t before = word.ends & ~(~std::uint32_t{0} << cell);
    return word.start + static_cast<std::uint32_t>(__builtin_popcount(before));
}
template <unsigned AnswerBytes>
FINGERPOST_INLINE const std::byte* ranked_answer(const ranked_view& view, std::uint32_t slot) {
    return view.answers + std::size_t{slot} * AnswerBytes;
}

// Words, answers: each of the two lines that a lookup needs is asked for a stage before. One address after
// the other: with gathers over 16 it was a fourth slower, see docs/schemes/packed_leaves.md.
template <unsigned AnswerBytes>
FINGERPOST_INLINE void ranked_stages(const ranked_view& view, const std::uint32_t* in, std::uint32_t* code,
                                     std::size_t count) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i)
        __builtin_prefetch(view.words + (in[i] >> (32 - ranked_word_bits)));
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i) {
        code[i] = ranked_slot(view, in[i]);
        __builtin_prefetch(ranked_answer<AnswerBytes>(view, code[i]));
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i)
        code[i] = load_word<word<AnswerBytes>>(ranked_answer<AnswerBytes>(view, code[i]));
}

template <unsigned AnswerBytes>
void ranked_lookup_batch(const ranked_view& view, const packed_escapes& escapes, const void* addresses,
                         std::uint32_t* out, std::size_t count) noexcept {
    const auto* in = static_cast<const std::uint32_t*>(addresses);
    alignas(packed_line) std::uint32_t codes[packed_together];
    for (; count >= packed_together; count -= packed_together) {
        ranked_stages<AnswerBytes>(view, in, codes, packed_together);
        give_answers(escapes, in, codes, out, packed_together);
        in += packed_together;
        out += packed_together;
    }
    if (count > 2)
        ranked_stages<AnswerBytes>(view, in, codes, count);
    else
        for (std::size_t i = 0; i < count; ++i)
            codes[i] =
                load_word<word<AnswerBytes>>(ranked_answer<AnswerBytes>(view, ranked_slot(view, in[i])));
    give_answers(escapes, in, codes, out, count);
}

template <input_form Form>
constexpr void packed_form(packed_kernels& all) {
    packed_batch* row = all.batch[static_cast<std::size_t>(Form)];
    row[0] = packed_lookup_batch<Form, 1>;
    row[1] = packed_lookup_batch<Form, 2>;
    row[2] = packed_lookup_batch<Form, 4>;
}

constexpr packed_kernels make_packed() {
    packed_kernels all{
        .batch = {},
        .ranked = {ranked_lookup_batch<1>, ranked_lookup_batch<2>, ranked_lookup_batch<4>},
        .walk = {packed_lookup_walk<1>, packed_lookup_walk<2>, packed_lookup_walk<4>},
    };
    packed_form<input_form::key64>(all);
    packed_form<input_form::ipv6>(all);
    packed_form<input_form::ipv4>(all);
    return all;
}

constexpr packed_kernels packed_all = make_packed();

} // namespace
} // namespace fingerpost::simd
