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

#include "fingerpost/schemes/packed_leaves/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/vec.hpp"

#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/schemes/packed_leaves/kernels_avx512.hpp"
#endif

namespace fingerpost::packed_leaves {
namespace {

using namespace simd;

#if !FINGERPOST_KERNELS_FOR_AVX512
struct wide_steps {
    static constexpr bool are_there = false;
};
#endif

// Addresses that go through the stages together: measured with 64 and 128, which did not differ, and in an
// older form with 16 and 32, which gave a tenth to a fourth less.
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

// One address through the index: where it goes on, with code 0, or its code and the way without keys. False
// when it is answered.
template <input_form Form>
FINGERPOST_INLINE bool index_one(const index_view& view, const std::byte* address, std::uint32_t& code,
                                 std::uint32_t& at) {
    const std::uint64_t bits = first_bits<Form>(address);
    auto left = static_cast<std::uint32_t>(bits >> view.root_shift);
    std::uint32_t entry = view.root[bits >> (32 + view.root_shift)];
    unroll<index_steps>([&](auto) FINGERPOST_LAMBDA {
        const unsigned shift = entry & entry_shape::shift_mask;
        const std::uint32_t slot = static_cast<std::uint32_t>(std::uint64_t{left} >> shift);
        left = static_cast<std::uint32_t>(std::uint64_t{left} << (32 - shift));
        entry = view.pages[(entry >> entry_shape::shift_bits) + slot];
    });
    const std::uint32_t done = std::uint32_t{0} - (entry & done_bit);
    code = entry >> 1 & done;
    at = entry & ~done;
    return done == 0;
}

// Groups of lanes through the index; tells which of them go on, a bit each. What `vec` offers of its own for
// that, else lane by lane.
template <input_form Form, unsigned Lanes, unsigned Groups, class Wide = wide_steps>
FINGERPOST_INLINE unsigned index_groups(const index_view& view, const std::byte* in, std::uint32_t* code,
                                        std::uint32_t* at) {
    if constexpr (Wide::are_there) {
        return Wide::template index<Form, Groups, false>(view, in, code, at, Lanes);
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
template <input_form Form, class Wide = wide_steps>
FINGERPOST_INLINE bool index_part(const index_view& view, const std::byte* in, std::uint32_t* code,
                                  std::uint32_t* at, std::size_t count) {
    if constexpr (Wide::are_there) {
        return Wide::template index<Form, 1, true>(view, in, code, at, count) != 0;
    } else {
        bool goes_on = false;
        for (std::size_t i = 0; i < count; ++i)
            goes_on |= index_one<Form>(view, in + i * bytes_of(Form), code[i], at[i]);
        return goes_on;
    }
}

using key_lane = vec::lane<std::uint32_t>;

// From a node to the child that `key` belongs to; a child of the last level is a leaf.
FINGERPOST_INLINE std::uint32_t step_down(const std::byte* lines, std::uint32_t node, key_lane key) {
    const std::byte* line = lines + node;
    const auto child = static_cast<std::uint32_t>(vec::below<std::uint32_t, node_shape::keys>(line, key));
    return load_word<std::uint32_t>(line + node_shape::base_at) + child * line_bytes;
}
template <unsigned AnswerBytes>
FINGERPOST_INLINE std::uint32_t leaf_code(const std::byte* lines, std::uint32_t leaf, key_lane key) {
    constexpr leaf_shape shape = leaf_shape_for(AnswerBytes);
    const std::byte* line = lines + leaf;
    const std::uint64_t slot = vec::below<std::uint32_t, shape.keys>(line, key);
    return load_word<word<AnswerBytes>>(line + shape.answers_at + slot * AnswerBytes);
}

// The stages below the index over one group of lanes, whose places wait in `at` in between.
template <input_form Form, unsigned AnswerBytes, unsigned Lanes>
struct tree_stages {
    static constexpr std::size_t size = bytes_of(Form);

    template <bool Part, class Each>
    static FINGERPOST_INLINE void each(std::size_t count, Each one) {
        if constexpr (Part)
            for (std::size_t i = 0; i < count; ++i)
                one(i);
        else
            unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA { one(std::size_t{lane.value}); });
    }
    static FINGERPOST_INLINE key_lane key(const std::byte* in, std::size_t lane) {
        return vec::broadcast_key<std::uint32_t>(tree_key<Form>(in + lane * size));
    }

    template <bool Part>
    static FINGERPOST_INLINE void down(const std::byte* lines, const std::byte* in, std::uint32_t* at,
                                       std::size_t count) {
        each<Part>(count, [&](std::size_t lane) FINGERPOST_LAMBDA {
            at[lane] = step_down(lines, at[lane], key(in, lane));
            __builtin_prefetch(lines + at[lane]);
        });
    }
    template <bool Part>
    static FINGERPOST_INLINE void leaves(const std::byte* lines, const std::byte* in, const std::uint32_t* at,
                                         std::uint32_t* found, std::size_t count) {
        each<Part>(count, [&](std::size_t lane) FINGERPOST_LAMBDA {
            found[lane] = leaf_code<AnswerBytes>(lines, at[lane], key(in, lane));
        });
    }
};

// Codes wait on the stack until a whole stage is done: `out` may have to come from memory, so it is written
// once, in whole vectors, and not read here. Two later passes do read it, while it is in the cache:
// fill_short(), where a table has short routes, and the decoding of next hops, where codes are no ids.
//
// A code is the sum of what lies in one place or in two, where one of the two is 0.
template <class Wide = wide_steps, class... Codes>
FINGERPOST_INLINE void write_answers(const escape_handler& escapes, const void* addresses, std::uint32_t* out,
                                     std::size_t count, const Codes*... codes) {
    const std::uint32_t escape = escapes.code; // `out` might hold it, for all that the compiler knows
    bool escaped = false;
    std::size_t i = 0;
    if constexpr (Wide::are_there)
        for (; i + 16 <= count; i += 16)
            escaped |= Wide::write_16(out + i, escape, codes + i...);
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
struct found_codes {
    alignas(line_bytes) std::uint32_t of_index[batch_block];
    alignas(line_bytes) std::uint32_t of_leaf[batch_block];
};

// Whether answers are written out as sums of the two. That is as late as can be, which is good where vectors
// read what was written lane by lane, and so has not reached the cache; without them it is a second array to
// clear and to read for lanes that the index has answered.
constexpr bool adds_late = wide_steps::are_there;

// Whole groups.
template <input_form Form, unsigned AnswerBytes, unsigned Lanes, unsigned Groups>
FINGERPOST_INLINE void look_up_groups(const index_view& view, const std::byte* in, found_codes& codes) {
    static_assert(Lanes * Groups <= batch_block);
    using stages = tree_stages<Form, AnswerBytes, Lanes>;
    constexpr std::size_t step = Lanes * bytes_of(Form);
    alignas(line_bytes) std::uint32_t at[Lanes * Groups];
    const unsigned live = index_groups<Form, Lanes, Groups>(view, in, codes.of_index, at);
    for (unsigned level = 0; level < node_levels; ++level)
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
FINGERPOST_INLINE void look_up_part(const index_view& view, const std::byte* in, found_codes& codes,
                                    std::size_t count) {
    using stages = tree_stages<Form, AnswerBytes, Lanes>;
    alignas(line_bytes) std::uint32_t at[Lanes];
    if (!index_part<Form>(view, in, codes.of_index, at, count))
        return;
    for (unsigned level = 0; level < node_levels; ++level)
        stages::template down<true>(view.lines, in, at, count);
    stages::template leaves<true>(view.lines, in, at, codes.of_leaf, count);
    for (std::size_t i = 0; i < count; ++i)
        codes.of_index[i] += codes.of_leaf[i];
}

template <input_form Form, unsigned AnswerBytes>
FINGERPOST_INLINE std::uint32_t look_up_one(const index_view& view, const std::byte* address) {
    std::uint32_t code;
    std::uint32_t at;
    if (!index_one<Form>(view, address, code, at))
        return code;
    const key_lane key = vec::broadcast_key<std::uint32_t>(tree_key<Form>(address));
    unroll<node_levels>([&](auto) FINGERPOST_LAMBDA { at = step_down(view.lines, at, key); });
    return code + leaf_code<AnswerBytes>(view.lines, at, key);
}

// One or two addresses, or none: the index of a group is cheaper than three alone.
template <input_form Form, unsigned AnswerBytes>
FINGERPOST_INLINE void look_up_few(const index_view& view, const escape_handler& escapes, const std::byte* in,
                                   std::uint32_t* out, std::size_t count) {
    std::uint64_t escaped = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t code = look_up_one<Form, AnswerBytes>(view, in + i * bytes_of(Form));
        out[i] = code - 1;
        escaped |= std::uint64_t{code == escapes.code} << i;
    }
    if (escaped != 0) [[unlikely]]
        escapes.resolve(escapes.self, in, out, escaped);
}

template <input_form Form, unsigned AnswerBytes>
void look_up_batch(const index_view& view, const escape_handler& escapes, const void* addresses,
                   std::uint32_t* out, std::size_t count) noexcept {
    constexpr std::size_t size = bytes_of(Form);
    constexpr unsigned lanes = vec::lanes_32;
    const auto* in = static_cast<const std::byte*>(addresses);
    if (count <= 2)
        return look_up_few<Form, AnswerBytes>(view, escapes, in, out, count);
    found_codes codes;
    const auto write = [&](std::size_t some) FINGERPOST_LAMBDA {
        if constexpr (adds_late)
            write_answers(escapes, in, out, some, +codes.of_index, +codes.of_leaf);
        else
            write_answers(escapes, in, out, some, +codes.of_index);
        in += some * size;
        out += some;
        count -= some;
    };
    // As many at a time as there are, by halves.
    for (; count >= batch_block; write(batch_block))
        look_up_groups<Form, AnswerBytes, lanes, batch_block / lanes>(view, in, codes);
    unroll<std::countr_zero(batch_block / lanes)>([&](auto half) FINGERPOST_LAMBDA {
        constexpr unsigned groups = batch_block / lanes >> (half.value + 1);
        if (count >= groups * lanes) {
            look_up_groups<Form, AnswerBytes, lanes, groups>(view, in, codes);
            write(groups * lanes);
        }
    });
    if (count <= 2)
        return look_up_few<Form, AnswerBytes>(view, escapes, in, out, count);
    look_up_part<Form, AnswerBytes, lanes>(view, in, codes, count);
    write_answers(escapes, in, out, count, +codes.of_index);
}

template <unsigned AnswerBytes>
std::uint32_t walk_tree(const std::byte* lines, std::uint32_t node, unsigned levels,
                        std::uint32_t key) noexcept {
    const key_lane x = vec::broadcast_key<std::uint32_t>(key);
    for (unsigned level = 0; level < levels; ++level)
        node = step_down(lines, node, x);
    return leaf_code<AnswerBytes>(lines, node, x) - 1;
}

// The number of the answer of an address: where its word's answers start, and one more for each interval that
// ends before its cell. The word may be written meanwhile (fib/word_versions.hpp), so it is loaded as a
// whole.
FINGERPOST_INLINE std::uint32_t bitmap_slot(const bitmap_view& view, std::uint32_t address) {
    const bitmap_word& word = view.words[address >> (32 - word_index_bits)];
    const std::uint64_t both = __atomic_load_n(&word.both, __ATOMIC_RELAXED);
    const unsigned cell = address >> (32 - cell_bits) & (word_cells - 1);
    const auto before = static_cast<std::uint32_t>(both & ~(~std::uint64_t{0} << cell));
    return static_cast<std::uint32_t>(both >> 32) + static_cast<std::uint32_t>(__builtin_popcount(before));
}
template <unsigned AnswerBytes>
FINGERPOST_INLINE const std::byte* bitmap_answer(const bitmap_view& view, std::uint32_t slot) {
    return view.answers + std::size_t{slot} * AnswerBytes;
}

// Words, answers: each of the two lines that a lookup needs is asked for a stage before.
template <unsigned AnswerBytes>
FINGERPOST_INLINE void bitmap_stages(const bitmap_view& view, const std::uint32_t* in, std::uint32_t* code,
                                     std::size_t count) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i)
        __builtin_prefetch(view.words + (in[i] >> (32 - word_index_bits)));
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i) {
        code[i] = bitmap_slot(view, in[i]);
        __builtin_prefetch(bitmap_answer<AnswerBytes>(view, code[i]));
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i)
        code[i] = load_word<word<AnswerBytes>>(bitmap_answer<AnswerBytes>(view, code[i]));
}

// `Count` addresses: what `vec` offers of its own, else one after the other.
template <unsigned AnswerBytes, unsigned Count, class Wide = wide_steps>
FINGERPOST_INLINE void bitmap_some(const bitmap_view& view, const escape_handler& escapes,
                                   const std::uint32_t* in, std::uint32_t* out) {
    if constexpr (Wide::are_there) {
        const std::uint64_t escaped =
            Wide::template rank<AnswerBytes, Count / 16>(view, in, out, escapes.code);
        if (escaped != 0) [[unlikely]]
            escapes.resolve(escapes.self, in, out, escaped);
    } else {
        alignas(line_bytes) std::uint32_t codes[Count];
        bitmap_stages<AnswerBytes>(view, in, codes, Count);
        write_answers(escapes, in, out, Count, +codes);
    }
}

template <unsigned AnswerBytes>
void bitmap_batch(const bitmap_view& view, const escape_handler& escapes, const void* addresses,
                  std::uint32_t* out, std::size_t count) noexcept {
    constexpr unsigned least = 16;
    const auto* in = static_cast<const std::uint32_t*>(addresses);
    const auto gone = [&](std::size_t some) FINGERPOST_LAMBDA {
        in += some;
        out += some;
        count -= some;
    };
    for (; count >= batch_block; gone(batch_block))
        bitmap_some<AnswerBytes, batch_block>(view, escapes, in, out);
    unroll<std::countr_zero(batch_block / least)>([&](auto half) FINGERPOST_LAMBDA {
        constexpr unsigned some = batch_block >> (half.value + 1);
        if (count >= some) {
            bitmap_some<AnswerBytes, some>(view, escapes, in, out);
            gone(some);
        }
    });
    alignas(line_bytes) std::uint32_t codes[least];
    if (count > 2)
        bitmap_stages<AnswerBytes>(view, in, codes, count);
    else
        for (std::size_t i = 0; i < count; ++i)
            codes[i] =
                load_word<word<AnswerBytes>>(bitmap_answer<AnswerBytes>(view, bitmap_slot(view, in[i])));
    write_answers(escapes, in, out, count, +codes);
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
        unsigned none = vec::all_ones_of_16(out);
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
constexpr void fill_form(kernel_set& all) {
    all.fill[static_cast<std::size_t>(Form)] = fill_short<Form>;
    batch_kernel* row = all.batch[static_cast<std::size_t>(Form)];
    row[0] = look_up_batch<Form, 1>;
    row[1] = look_up_batch<Form, 2>;
    row[2] = look_up_batch<Form, 4>;
}

constexpr kernel_set make_kernels() {
    kernel_set all{
        .batch = {},
        .bitmap = {bitmap_batch<1>, bitmap_batch<2>, bitmap_batch<4>},
        .walk = {walk_tree<1>, walk_tree<2>, walk_tree<4>},
        .fill = {},
    };
    fill_form<input_form::key64>(all);
    fill_form<input_form::ipv6>(all);
    fill_form<input_form::ipv4>(all);
    return all;
}

constinit const kernel_set all_kernels = make_kernels();

} // namespace
} // namespace fingerpost::packed_leaves
