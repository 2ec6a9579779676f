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

// Groups of lanes through the index; tells which of them go on, a bit each. What `vec` offers of its own for
// that, else lane by lane.
template <input_form Form, unsigned Lanes, unsigned Groups, class Vec = vec>
FINGERPOST_INLINE unsigned index_groups(const packed_view& view, const std::byte* in, std::uint32_t* code,
                                        std::uint32_t* at) {
    if constexpr (requires { Vec::template index<Form, Groups, false>(view, in, code, at, Lanes); }) {
        return Vec::template index<Form, Groups, false>(view, in, code, at, Lanes);
    } else {
        unsigned live = 0;
        for (std::size_t g = 0; g < Groups; ++g) {
            bool goes_on = false;
            unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
                const std::size_t i = g * Lanes + lane.value;
                goes_on |= index_one<Form>(view, in + i * bytes_of(Form), code[i], at[i]);
            });
            live |= unsigned{goes_on} << g;
        }
        return live;
    }
}
// The same for fewer addresses than a group has lanes.
template <input_form Form, class Vec = vec>
FINGERPOST_INLINE bool index_part(const packed_view& view, const std::byte* in, std::uint32_t* code,
                                  std::uint32_t* at, std::size_t count) {
    if constexpr (requires { Vec::template index<Form, 1, true>(view, in, code, at, count); }) {
        return Vec::template index<Form, 1, true>(view, in, code, at, count) != 0;
    } else {
        bool goes_on = false;
        for (std::size_t i = 0; i < count; ++i)
            goes_on |= index_one<Form>(view, in + i * bytes_of(Form), code[i], at[i]);
        return goes_on;
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

// The stages below the index over one group of lanes, whose places wait in `at` in between.
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
    static FINGERPOST_INLINE void leaves(const std::byte* lines, const std::byte* in, const std::uint32_t* at,
                                         std::uint32_t* found, std::size_t count) {
        each<Part>(count, [&](std::size_t lane) FINGERPOST_LAMBDA {
            found[lane] = packed_code<AnswerBytes>(lines, at[lane], key(in, lane));
        });
    }
};

// Codes wait on the stack until a whole stage is done: `out` may have to come from memory, so it is written
// once, in whole vectors, and not read here. Two later passes do read it, while it is in the cache:
// fill_short(), where a table has short routes, and the decoding of next hops, where codes are no ids.
//
// A code is the sum of what lies in one place or in two, where one of the two is 0.
template <class Vec = vec, class... Codes>
FINGERPOST_INLINE void give_answers(const packed_escapes& escapes, const void* addresses, std::uint32_t* out,
                                    std::size_t count, const Codes*... codes) {
    const std::uint32_t escape = escapes.code; // `out` might hold it, for all that the compiler knows
    bool escaped = false;
    std::size_t i = 0;
    if constexpr (requires { Vec::give_16(out, escape, codes...); })
        for (; i + 16 <= count; i += 16)
            escaped |= Vec::give_16(out + i, escape, codes + i...);
    for (; i < count; ++i) {
        const std::uint32_t code = (codes[i] + ...);
        out[i] = code - 1;
        escaped |= code == escape;
    }
    if (escaped) [[unlikely]] {
        std::uint64_t which = 0;
        for (i = 0; i < count; ++i)
            which |= std::uint64_t{(codes[i] + ...) == escape} << i;
        escapes.resolve(escapes.self, addresses, out, which);
    }
}

// The codes of lanes that the index answers, 0 for others, and those that leaves give, 0 for the former.
struct packed_codes {
    alignas(packed_line) std::uint32_t of_index[packed_together];
    alignas(packed_line) std::uint32_t of_leaf[packed_together];
};

// Whether answers are written out as sums of the two. That is as late as can be, which is good where vectors
// read what was written lane by lane, and so has not reached the cache; without them it is a second array to
// clear and to read for lanes that the index has answered.
template <class Vec>
constexpr bool gives_sums = requires(std::uint32_t* out) { Vec::give_16(out, 0u, out, out); };
constexpr bool adds_late = gives_sums<vec>;

// Whole groups.
template <input_form Form, unsigned AnswerBytes, unsigned Lanes, unsigned Groups>
FINGERPOST_INLINE void packed_groups(const packed_view& view, const std::byte* in, packed_codes& codes) {
    static_assert(Lanes * Groups <= packed_together);
    using stages = packed_stages<Form, AnswerBytes, Lanes>;
    constexpr std::size_t step = Lanes * bytes_of(Form);
    alignas(packed_line) std::uint32_t at[Lanes * Groups];
    const unsigned live = index_groups<Form, Lanes, Groups>(view, in, codes.of_index, at);
    for (unsigned level = 0; level < packed_levels; ++level)
        for (std::size_t g = 0; g < Groups; ++g)
            if ((live >> g & 1) != 0)
                stages::template down<false>(view.lines, in + g * step, at + g * Lanes, Lanes);
    for (std::size_t g = 0; g < Groups; ++g) {
        std::uint32_t* const found = codes.of_leaf + g * Lanes;
        if ((live >> g & 1) != 0)
            stages::template leaves<false>(view.lines, in + g * step, at + g * Lanes, found, Lanes);
        else if constexpr (adds_late)
            __builtin_memset(found, 0, Lanes * sizeof *found);
    }
    if constexpr (!adds_late)
        for (std::size_t g = 0; g < Groups; ++g)
            if ((live >> g & 1) != 0)
                for (std::size_t i = g * Lanes; i < (g + 1) * Lanes; ++i)
                    codes.of_index[i] += codes.of_leaf[i];
}

// Fewer addresses than a group has lanes.
template <input_form Form, unsigned AnswerBytes, unsigned Lanes>
FINGERPOST_INLINE void packed_part(const packed_view& view, const std::byte* in, packed_codes& codes,
                                   std::size_t count) {
    using stages = packed_stages<Form, AnswerBytes, Lanes>;
    alignas(packed_line) std::uint32_t at[Lanes];
    if (!index_part<Form>(view, in, codes.of_index, at, count))
        return;
    for (unsigned level = 0; level < packed_levels; ++level)
        stages::template down<true>(view.lines, in, at, count);
    stages::template leaves<true>(view.lines, in, at, codes.of_leaf, count);
    for (std::size_t i = 0; i < count; ++i)
        codes.of_index[i] += codes.of_leaf[i];
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

// One or two addresses, or none: the index of a group is cheaper than three alone.
template <input_form Form, unsigned AnswerBytes>
FINGERPOST_INLINE void packed_few(const packed_view& view, const packed_escapes& escapes, const std::byte* in,
                                  std::uint32_t* out, std::size_t count) {
    std::uint64_t escaped = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t code = packed_one<Form, AnswerBytes>(view, in + i * bytes_of(Form));
        out[i] = code - 1;
        escaped |= std::uint64_t{code == escapes.code} << i;
    }
    if (escaped != 0) [[unlikely]]
        escapes.resolve(escapes.self, in, out, escaped);
}

template <input_form Form, unsigned AnswerBytes>
void packed_lookup_batch(const packed_view& view, const packed_escapes& escapes, const void* addresses,
                         std::uint32_t* out, std::size_t count) noexcept {
    constexpr std::size_t size = bytes_of(Form);
    constexpr unsigned lanes = vec::packed_lanes;
    const auto* in = static_cast<const std::byte*>(addresses);
    if (count <= 2)
        return packed_few<Form, AnswerBytes>(view, escapes, in, out, count);
    packed_codes codes;
    const auto give = [&](std::size_t some) FINGERPOST_LAMBDA {
        if constexpr (adds_late)
            give_answers(escapes, in, out, some, +codes.of_index, +codes.of_leaf);
        else
            give_answers(escapes, in, out, some, +codes.of_index);
        in += some * size;
        out += some;
        count -= some;
    };
    // As many at a time as there are, by halves.
    for (; count >= packed_together; give(packed_together))
        packed_groups<Form, AnswerBytes, lanes, packed_together / lanes>(view, in, codes);
    unroll<std::countr_zero(packed_together / lanes)>([&](auto half) FINGERPOST_LAMBDA {
        constexpr unsigned groups = packed_together / lanes >> (half.value + 1);
        if (count >= groups * lanes) {
            packed_groups<Form, AnswerBytes, lanes, groups>(view, in, codes);
            give(groups * lanes);
        }
    });
    if (count <= 2)
        return packed_few<Form, AnswerBytes>(view, escapes, in, out, count);
    packed_part<Form, AnswerBytes, lanes>(view, in, codes, count);
    give_answers(escapes, in, out, count, +codes.of_index);
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
// ends before its cell. The word may be written meanwhile (fib/word_turns.hpp), so it is loaded as a whole.
FINGERPOST_INLINE std::uint32_t ranked_slot(const ranked_view& view, std::uint32_t address) {
    const ranked_word& word = view.words[address >> (32 - ranked_word_bits)];
    const std::uint64_t both = __atomic_load_n(&word.both, __ATOMIC_RELAXED);
    const unsigned cell = address >> (32 - ranked_cell_bits) & (ranked_word_cells - 1);
    const auto before = static_cast<std::uint32_t>(both & ~(~std::uint64_t{0} << cell));
    return static_cast<std::uint32_t>(both >> 32) + static_cast<std::uint32_t>(__builtin_popcount(before));
}
template <unsigned AnswerBytes>
FINGERPOST_INLINE const std::byte* ranked_answer(const ranked_view& view, std::uint32_t slot) {
    return view.answers + std::size_t{slot} * AnswerBytes;
}

// Words, answers: each of the two lines that a lookup needs is asked for a stage before.
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

// `Count` addresses: what `vec` offers of its own, else one after the other.
template <unsigned AnswerBytes, unsigned Count, class Vec = vec>
FINGERPOST_INLINE void ranked_some(const ranked_view& view, const packed_escapes& escapes,
                                   const std::uint32_t* in, std::uint32_t* out) {
    if constexpr (requires { Vec::template rank<AnswerBytes, Count / 16>(view, in, out, escapes.code); }) {
        const std::uint64_t escaped =
            Vec::template rank<AnswerBytes, Count / 16>(view, in, out, escapes.code);
        if (escaped != 0) [[unlikely]]
            escapes.resolve(escapes.self, in, out, escaped);
    } else {
        alignas(packed_line) std::uint32_t codes[Count];
        ranked_stages<AnswerBytes>(view, in, codes, Count);
        give_answers(escapes, in, out, Count, +codes);
    }
}

template <unsigned AnswerBytes>
void ranked_lookup_batch(const ranked_view& view, const packed_escapes& escapes, const void* addresses,
                         std::uint32_t* out, std::size_t count) noexcept {
    constexpr unsigned least = 16;
    const auto* in = static_cast<const std::uint32_t*>(addresses);
    const auto gone = [&](std::size_t some) FINGERPOST_LAMBDA {
        in += some;
        out += some;
        count -= some;
    };
    for (; count >= packed_together; gone(packed_together))
        ranked_some<AnswerBytes, packed_together>(view, escapes, in, out);
    unroll<std::countr_zero(packed_together / least)>([&](auto half) FINGERPOST_LAMBDA {
        constexpr unsigned some = packed_together >> (half.value + 1);
        if (count >= some) {
            ranked_some<AnswerBytes, some>(view, escapes, in, out);
            gone(some);
        }
    });
    alignas(packed_line) std::uint32_t codes[least];
    if (count > 2)
        ranked_stages<AnswerBytes>(view, in, codes, count);
    else
        for (std::size_t i = 0; i < count; ++i)
            codes[i] =
                load_word<word<AnswerBytes>>(ranked_answer<AnswerBytes>(view, ranked_slot(view, in[i])));
    give_answers(escapes, in, out, count, +codes);
}

// Which of 16 answers are none, a bit each.
template <class Vec = vec>
FINGERPOST_INLINE unsigned none_of_16(const std::uint32_t* out) {
    if constexpr (requires { Vec::none_of_16(out); }) {
        return Vec::none_of_16(out);
    } else {
        unsigned none = 0;
        for (unsigned i = 0; i < 16; ++i)
            none |= unsigned{out[i] == ~std::uint32_t{0}} << i;
        return none;
    }
}

template <input_form Form>
FINGERPOST_INLINE std::uint32_t short_entry(const short_view& view, const std::byte* address) {
    return view.root[first_bits<Form>(address) >> (64 - view.root_bits)];
}
// What an entry of the root comes to.
template <input_form Form>
FINGERPOST_INLINE std::uint32_t short_answer(const short_view& view, const std::byte* address,
                                             std::uint32_t entry) {
    if (!is_short_page(entry)) [[likely]]
        return entry;
    const std::size_t page = std::size_t{entry & ~short_page_bit} << view.page_bits;
    const std::uint64_t behind = first_bits<Form>(address) << view.root_bits;
    return view.pages[page + (behind >> 1 >> (63 - view.page_bits))];
}

// Blocks of 16: most have no address without an answer, or nothing else.
template <input_form Form>
void fill_short(const short_view& view, const void* addresses, std::uint32_t* out,
                std::size_t count) noexcept {
    constexpr std::size_t size = bytes_of(Form);
    const auto* in = static_cast<const std::byte*>(addresses);
    for (; count >= 16; count -= 16, in += 16 * size, out += 16) {
        unsigned none = none_of_16(out);
        if (none == 0xffff) {
            // The top bit of a page's entry plus one stays; that of none is gone.
            std::uint32_t pages = 0;
            unroll<16>([&](auto lane) FINGERPOST_LAMBDA {
                const std::uint32_t entry = short_entry<Form>(view, in + lane.value * size);
                pages |= entry + 1;
                out[lane.value] = entry;
            });
            if (pages >= short_page_bit)
                for (std::size_t i = 0; i < 16; ++i)
                    out[i] = short_answer<Form>(view, in + i * size, out[i]);
        } else {
            for (; none != 0; none &= none - 1) {
                const auto i = static_cast<std::size_t>(__builtin_ctz(none));
                out[i] = short_answer<Form>(view, in + i * size, short_entry<Form>(view, in + i * size));
            }
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        if (out[i] == ~std::uint32_t{0})
            out[i] = short_answer<Form>(view, in + i * size, short_entry<Form>(view, in + i * size));
}

template <input_form Form>
constexpr void packed_form(packed_kernels& all) {
    all.fill[static_cast<std::size_t>(Form)] = fill_short<Form>;
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
        .fill = {},
    };
    packed_form<input_form::key64>(all);
    packed_form<input_form::ipv6>(all);
    packed_form<input_form::ipv4>(all);
    return all;
}

constexpr packed_kernels packed_all = make_packed();

} // namespace
} // namespace fingerpost::simd
