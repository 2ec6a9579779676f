// Body of the packed-leaves kernels, compiled once for each instruction set over that set's `vec`.
//
// A batch goes through three stages in blocks: the index, both levels of nodes, the leaves. Each stage is
// straight-line code for 16 addresses, and nothing branches on one address: one that the index has answered
// goes along over lines without keys to code 0, and the codes of index and leaf are added. When the index has
// answered a whole block, the other stages are left out.
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
    // A compare of a line takes so many instructions here that few addresses are under way at a time.
    static constexpr bool prefetches = true;

    explicit FINGERPOST_INLINE wide_steps(const code_view& codes) : codes_(codes) {}

    template <class State>
    static FINGERPOST_INLINE bool goes_on(const State& now, std::size_t count) {
        return now.goes_on(count);
    }
    // Writes what 16 codes mean and tells which of them are the escape, a bit each.
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
    unroll<index_steps>([&](auto) FINGERPOST_LAMBDA { entry = view.pages[step_entry::place(entry, bits)]; });
    return entry;
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

// The three stages over `Count` neighbouring addresses, as straight-line code.
template <input_form Form, unsigned AnswerBytes, unsigned Count>
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
    // Both levels of nodes: the processor has many of these short chains under way by itself.
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
    static FINGERPOST_INLINE void leaves(const std::byte* lines, const std::byte* in,
                                         const std::uint32_t* leaf, std::uint32_t* code) {
        unroll<Count>([&](auto lane) FINGERPOST_LAMBDA {
            code[lane.value] = leaf_code<AnswerBytes>(lines, leaf[lane.value], key(in, lane.value));
        });
    }
};

// What addresses of a block have between the stages: the last entries of the index, the offsets of leaves,
// and the codes that these give.
template <unsigned Count>
struct block_state {
    alignas(line_bytes) std::uint64_t entry[Count];
    alignas(line_bytes) std::uint32_t leaf[Count];
    alignas(line_bytes) std::uint32_t found[Count];

    // Whether the index leads one of the first `count` addresses to a tree.
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

// Up to 16 addresses, at least half of `Count`, as `Count`: the upper half of them are the last ones of the
// call, so some may be looked up twice.
template <input_form Form, unsigned AnswerBytes, unsigned Count, class Wide>
FINGERPOST_INLINE void look_up_few(const index_view& view, const answer_rules& rules, const std::byte* in,
                                   std::uint32_t* out, std::size_t count) {
    constexpr unsigned lower = (Count + 1) / 2;
    const std::size_t second = count - Count / 2; // where the upper half starts
    const std::byte* const in_upper = in + second * bytes_of(Form);
    using lower_half = stages<Form, AnswerBytes, lower>;
    using upper_half = stages<Form, AnswerBytes, Count / 2>;
    block_state<Count> now;
    lower_half::index(view, in, now.entry);
    upper_half::index(view, in_upper, now.entry + lower);
    if (now.goes_on(Count)) {
        lower_half::template nodes<Wide::prefetches>(view.lines, in, now.entry, now.leaf);
        upper_half::template nodes<Wide::prefetches>(view.lines, in_upper, now.entry + lower,
                                                     now.leaf + lower);
        lower_half::leaves(view.lines, in, now.leaf, now.found);
        upper_half::leaves(view.lines, in_upper, now.leaf + lower, now.found + lower);
    } else {
        __builtin_memset(now.found, 0, sizeof now.found);
    }
    std::uint64_t escaped = 0;
    if constexpr (Wide::are_there && Count >= 8) {
        escaped = Wide(rules.codes).template write_halves<Count>(out, out + second, now);
        escaped = (escaped & ((1u << lower) - 1)) | escaped >> lower << second;
    } else {
        const code_view codes = rules.codes;
        unroll<Count>([&](auto lane) FINGERPOST_LAMBDA {
            const std::size_t number = lane.value < lower ? lane.value : lane.value - lower + second;
            const std::uint32_t code = now.code(lane.value);
            out[number] = codes.number_of(code);
            escaped |= std::uint64_t{code == codes.escape} << number;
        });
    }
    if (escaped != 0) [[unlikely]]
        rules.resolve(rules.self, in, out, escaped);
}

// Codes that lie side by side.
struct code_list {
    const std::uint32_t* found;

    FINGERPOST_INLINE std::uint32_t code(std::size_t i) const { return found[i]; }
};

template <unsigned AnswerBytes>
std::uint32_t look_up_one(const index_view& view, std::uint64_t bits) noexcept;

// Codes of a block by the root alone, as in traffic without routes; the few addresses that need more are
// looked up one by one. False, and `code` means nothing, where these are not few, which mostly the first 16
// addresses tell.
template <input_form Form, unsigned AnswerBytes>
FINGERPOST_INLINE bool look_up_by_root(const index_view& view, const std::byte* in, std::uint32_t* code,
                                       std::size_t count) {
    constexpr std::size_t size = bytes_of(Form);
    constexpr int few_of_16 = 2;
    constexpr int few_of_all = 6;
    std::uint64_t unknown = 0;
    for (std::size_t next = 0; next < count; next += 16) {
        const std::size_t first = next + 16 <= count ? next : count - 16;
        const std::byte* const from = in + first * size;
        unroll<16>([&](auto lane) FINGERPOST_LAMBDA {
            const std::uint64_t bits = first_bits<Form>(from + lane.value * size);
            code[first + lane.value] = view.root_codes[bits >> view.root_shift];
        });
        static_assert(no_root_code == ~std::uint32_t{0});
        const std::uint64_t some = vec::all_ones_of_16(code + first);
        if (next == 0 && __builtin_popcountll(some) > few_of_16)
            return false;
        unknown |= some << first;
    }
    if (__builtin_popcountll(unknown) > few_of_all)
        return false;
    for (; unknown != 0; unknown &= unknown - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctzll(unknown));
        code[i] = look_up_one<AnswerBytes>(view, first_bits<Form>(in + i * size));
    }
    return true;
}

// 16 to batch_block addresses, in groups of 16 that go through each stage together. The last group may
// overlap the one before.
template <input_form Form, unsigned AnswerBytes, class Wide>
FINGERPOST_INLINE void look_up_block(const index_view& view, const answer_rules& rules, const Wide& wide,
                                     const std::byte* in, std::uint32_t* out, std::size_t count) {
    constexpr std::size_t size = bytes_of(Form);
    using group = stages<Form, AnswerBytes, 16>;
    block_state<batch_block> now;
    const auto each_group = [count](auto one) FINGERPOST_LAMBDA {
        std::size_t first = 0;
        for (; first + 16 <= count; first += 16)
            one(first);
        if (first < count)
            one(count - 16);
    };
    std::uint64_t escaped = 0;
    if (look_up_by_root<Form, AnswerBytes>(view, in, now.found, count)) {
        each_group([&](std::size_t first) FINGERPOST_LAMBDA {
            escaped |= wide.write_16(out + first, code_list{now.found}, first) << first;
        });
        if (escaped != 0) [[unlikely]]
            rules.resolve(rules.self, in, out, escaped);
        return;
    }
    const std::byte* const lines = view.lines;
    const auto index = [&](std::size_t first)
                           FINGERPOST_LAMBDA { group::index(view, in + first * size, now.entry + first); };
    if constexpr (Wide::are_there) {
        if (view.how.gathers)
            each_group([&](std::size_t first) FINGERPOST_LAMBDA {
                Wide::template index_16<Form>(view, in + first * size, now.entry + first);
            });
        else
            each_group(index);
    } else {
        each_group(index);
    }
    if (Wide::goes_on(now, count)) {
        if (Wide::prefetches || view.how.prefetch)
            each_group([&](std::size_t first) FINGERPOST_LAMBDA {
                group::template nodes<true>(lines, in + first * size, now.entry + first, now.leaf + first);
            });
        else
            each_group([&](std::size_t first) FINGERPOST_LAMBDA {
                group::template nodes<false>(lines, in + first * size, now.entry + first, now.leaf + first);
            });
        each_group([&](std::size_t first) FINGERPOST_LAMBDA {
            group::leaves(lines, in + first * size, now.leaf + first, now.found + first);
        });
    } else {
        __builtin_memset(now.found, 0, sizeof now.found);
    }
    each_group([&](std::size_t first)
                   FINGERPOST_LAMBDA { escaped |= wide.write_16(out + first, now, first) << first; });
    if (escaped != 0) [[unlikely]]
        rules.resolve(rules.self, in, out, escaped);
}

// Up to 15 addresses. A function of its own, as the registers and the frame of large batches take time.
template <input_form Form, unsigned AnswerBytes, class Wide>
[[gnu::noinline]] void look_up_rest(const index_view& view, const answer_rules& rules, const std::byte* in,
                                    std::uint32_t* out, std::size_t count) noexcept {
    const auto as = [&](auto block) FINGERPOST_LAMBDA {
        look_up_few<Form, AnswerBytes, block.value, Wide>(view, rules, in, out, count);
    };
    if (count > 8)
        as(constant<16>{});
    else if (count > 4)
        as(constant<8>{});
    else if (count > 2)
        as(constant<4>{});
    else if (count == 2)
        as(constant<2>{});
    else if (count == 1)
        as(constant<1>{});
}

template <input_form Form, unsigned AnswerBytes, class Wide = wide_steps>
void look_up_batch(const index_view& view, const answer_rules& rules, const void* addresses,
                   std::uint32_t* out, std::size_t count) noexcept {
    const auto* in = static_cast<const std::byte*>(addresses);
    if (count < 16)
        return look_up_rest<Form, AnswerBytes, Wide>(view, rules, in, out, count);
    const Wide wide(rules.codes);
    const std::size_t block = view.how.block;
    do {
        const std::size_t some = count < block ? count : block;
        look_up_block<Form, AnswerBytes>(view, rules, wide, in, out, some);
        in += some * bytes_of(Form);
        out += some;
        count -= some;
    } while (count >= 16);
    if (count > 0)
        look_up_rest<Form, AnswerBytes, Wide>(view, rules, in, out, count);
}

// One address, in and out by register. It branches on whether the root answers, and whether the index does.
template <unsigned AnswerBytes>
std::uint32_t look_up_one(const index_view& view, std::uint64_t bits) noexcept {
    const std::uint32_t root_code = view.root_codes[bits >> view.root_shift];
    if (root_code != no_root_code)
        return root_code;
    const std::uint64_t entry = index_entry(view, bits);
    if (!last_entry::is_tree(entry))
        return last_entry::code_of(entry);
    const key_lane key = vec::broadcast_key<std::uint32_t>(static_cast<std::uint32_t>(bits >> key_begin));
    std::uint32_t at = last_entry::tree_of(entry);
    unroll<node_levels>([&](auto) FINGERPOST_LAMBDA { at = step_down(view.lines, at, key); });
    return leaf_code<AnswerBytes>(view.lines, at, key);
}

template <unsigned AnswerBytes>
std::uint32_t walk_tree(const std::byte* lines, std::uint32_t node, unsigned levels,
                        std::uint32_t key) noexcept {
    const key_lane x = vec::broadcast_key<std::uint32_t>(key);
    for (unsigned level = 0; level < levels; ++level)
        node = step_down(lines, node, x);
    return leaf_code<AnswerBytes>(lines, node, x);
}

// The number of the answer of an address: where its word's answers start, and one more for each interval that
// ends before its cell. The word may be written meanwhile (word_versions.hpp), so it is loaded as a
// whole.
FINGERPOST_INLINE std::uint32_t bitmap_slot(const bitmap_view& view, std::uint32_t address) {
    const bitmap_word& word = view.words[address >> (32 - word_index_bits)];
    const std::uint64_t both = __atomic_load_n(&word.both, __ATOMIC_RELAXED);
    const unsigned cell = address >> (32 - cell_bits) & (word_cells - 1);
    const auto before = static_cast<std::uint32_t>(both & ~(~std::uint64_t{0} << cell));
    return static_cast<std::uint32_t>(both >> 32) + static_cast<std::uint32_t>(__builtin_popcount(before));
}
template <unsigned AnswerBytes>
FINGERPOST_INLINE std::uint32_t bitmap_code(const bitmap_view& view, std::uint32_t slot) {
    return load_word<word<AnswerBytes>>(view.answers + std::size_t{slot} * AnswerBytes);
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
        __builtin_prefetch(view.answers + std::size_t{code[i]} * AnswerBytes);
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i)
        code[i] = bitmap_code<AnswerBytes>(view, code[i]);
}

// Groups of 16 addresses. Words are read two groups before answers, so that loads of both are under way
// together and none waits for what was loaded right before it.
template <unsigned AnswerBytes, bool Gathers, class Wide>
FINGERPOST_INLINE void bitmap_groups(const bitmap_view& view, const answer_rules& rules, const Wide& wide,
                                     const std::uint32_t* in, std::uint32_t* out, std::size_t groups) {
    constexpr std::size_t ahead = 2;
    constexpr std::size_t kept = std::bit_ceil(ahead + 1);
    constexpr std::size_t groups_in_block = batch_block / 16;
    alignas(line_bytes) std::uint32_t slots[kept][16];
    const auto rank = [&](std::size_t group) FINGERPOST_LAMBDA {
        // By itself the processor asks late for so few addresses a cycle: this gains a tenth in L1.
        __builtin_prefetch(in + (group + 16) * 16);
        Wide::template rank_16<Gathers>(view, in + group * 16, slots[group % kept]);
    };
    std::uint64_t escaped = 0; // of a block
    const auto answer = [&](std::size_t group) FINGERPOST_LAMBDA {
        const std::size_t in_block = group % groups_in_block;
        escaped |= wide.template write_ranked_16<AnswerBytes, Gathers>(out + group * 16, view.answers,
                                                                       slots[group % kept])
                   << in_block * 16;
        if (escaped != 0 && (in_block + 1 == groups_in_block || group + 1 == groups)) [[unlikely]] {
            const std::size_t first = (group - in_block) * 16;
            rules.resolve(rules.self, in + first, out + first, escaped);
            escaped = 0;
        }
    };
    std::size_t group = 0;
    for (; group < ahead && group < groups; ++group)
        rank(group);
    std::size_t answered = 0;
    for (; group < groups; ++group) {
        rank(group);
        answer(answered++);
    }
    for (; answered < groups; ++answered)
        answer(answered);
}
// Some addresses of the batch, from its first on; returns how many.
template <unsigned AnswerBytes, class Wide = wide_steps>
FINGERPOST_INLINE std::size_t bitmap_many(const bitmap_view& view, const answer_rules& rules,
                                          const std::uint32_t* in, std::uint32_t* out, std::size_t count) {
    const Wide wide(rules.codes);
    if constexpr (Wide::are_there) {
        const std::size_t groups = count / 16;
        if (view.how.gathers)
            bitmap_groups<AnswerBytes, true>(view, rules, wide, in, out, groups);
        else
            bitmap_groups<AnswerBytes, false>(view, rules, wide, in, out, groups);
        const std::size_t whole = groups * 16;
        if (count - whole < 8)
            return whole;
        // The last 8 may be laid over addresses already done.
        for (const std::size_t first : {whole, count - 8}) {
            const std::uint64_t escaped = wide.template write_8<AnswerBytes>(
                out + first, view.answers,
                [&](unsigned i) FINGERPOST_LAMBDA { return bitmap_slot(view, in[first + i]); });
            if (escaped != 0) [[unlikely]]
                rules.resolve(rules.self, in + first, out + first, escaped);
            if (first + 8 == count)
                break;
        }
        return count;
    } else {
        std::size_t done = 0;
        while (count - done >= 16) {
            const std::size_t some = count - done < batch_block ? count - done : batch_block;
            std::uint64_t escaped = 0;
            alignas(line_bytes) std::uint32_t code[batch_block];
            bitmap_stages<AnswerBytes>(view, in + done, code, some);
            for (std::size_t next = 0; next < some; next += 16) {
                const std::size_t first = next + 16 <= some ? next : some - 16;
                escaped |= wide.write_16(out + done + first, code_list{code}, first) << first;
            }
            if (escaped != 0) [[unlikely]]
                rules.resolve(rules.self, in + done, out + done, escaped);
            done += some;
        }
        return done;
    }
}

template <unsigned AnswerBytes>
void bitmap_batch(const bitmap_view& view, const answer_rules& rules, const void* addresses,
                  std::uint32_t* out, std::size_t count) noexcept {
    const auto* in = static_cast<const std::uint32_t*>(addresses);
    const std::size_t done = count < 8 ? 0 : bitmap_many<AnswerBytes>(view, rules, in, out, count);
    std::uint64_t escaped = 0;
    for (std::size_t i = done; i < count; ++i) {
        const std::uint32_t code = bitmap_code<AnswerBytes>(view, bitmap_slot(view, in[i]));
        out[i] = rules.codes.number_of(code);
        escaped |= std::uint64_t{code == rules.codes.escape} << (i - done);
    }
    if (escaped != 0) [[unlikely]]
        rules.resolve(rules.self, in + done, out + done, escaped);
}
template <unsigned AnswerBytes>
std::uint32_t bitmap_one(const bitmap_view& view, std::uint32_t address) noexcept {
    return bitmap_code<AnswerBytes>(view, bitmap_slot(view, address));
}

template <input_form Form>
constexpr void fill_form(kernel_set& all) {
    batch_kernel* row = all.batch[static_cast<std::size_t>(Form)];
    row[0] = look_up_batch<Form, 1>;
    row[1] = look_up_batch<Form, 2>;
    row[2] = look_up_batch<Form, 4>;
}

constexpr kernel_set make_kernels() {
    kernel_set all{
        .batch = {},
        .bitmap = {bitmap_batch<1>, bitmap_batch<2>, bitmap_batch<4>},
        .bitmap_single = {bitmap_one<1>, bitmap_one<2>, bitmap_one<4>},
        .single = {look_up_one<1>, look_up_one<2>, look_up_one<4>},
        .walk = {walk_tree<1>, walk_tree<2>, walk_tree<4>},
    };
    fill_form<input_form::key64>(all);
    fill_form<input_form::ipv6>(all);
    fill_form<input_form::ipv4>(all);
    return all;
}

constinit const kernel_set all_kernels = make_kernels();

} // namespace
} // namespace fingerpost::packed_leaves
