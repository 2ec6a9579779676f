// Lookups through the index and its trees: batches in blocks with three stages, and single addresses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/schemes/packed_leaves/stages.inl.hpp"

namespace fingerpost::packed_leaves {
namespace {

// Looks up at least Count / 2 and at most 16 addresses as a group of `Count`. The upper half of the group is
// the last addresses of the call, so some may be looked up twice.
template <input_form Form, unsigned Count, class Wide>
FINGERPOST_INLINE void look_up_few(const index_view& view, const code_rules& rules, const std::byte* in,
                                   std::uint32_t* out, std::size_t count) {
    constexpr unsigned lower = (Count + 1) / 2;
    const std::size_t second = count - Count / 2; // start of the upper half
    const std::byte* const in_upper = in + second * bytes_of(Form);
    using lower_half = stages<Form, lower>;
    using upper_half = stages<Form, Count / 2>;
    block_state<Count> state;
    lower_half::index(view, in, state.entry);
    upper_half::index(view, in_upper, state.entry + lower);
    if (state.goes_on(Count)) {
        lower_half::template nodes<Wide::prefetches>(view.lines, in, state.entry, state.leaf);
        upper_half::template nodes<Wide::prefetches>(view.lines, in_upper, state.entry + lower,
                                                     state.leaf + lower);
        with_code_bytes(view, [&](auto code_bytes) FINGERPOST_LAMBDA {
            lower_half::template leaves<code_bytes.value>(view.lines, in, state.leaf, state.found);
            upper_half::template leaves<code_bytes.value>(view.lines, in_upper, state.leaf + lower,
                                                          state.found + lower);
        });
    } else {
        __builtin_memset(state.found, 0, sizeof state.found);
    }
    std::uint64_t escaped = 0;
    if constexpr (Wide::are_there && Count >= 8) {
        escaped = Wide(rules.codes).template write_halves<Count>(out, out + second, state);
        escaped = (escaped & ((1u << lower) - 1)) | escaped >> lower << second;
    } else {
        const code_view codes = rules.codes;
        unroll<Count>([&](auto lane) FINGERPOST_LAMBDA {
            const std::size_t i = lane.value < lower ? lane.value : lane.value - lower + second;
            const std::uint32_t code = state.code(lane.value);
            out[i] = codes.number_of(code);
            escaped |= std::uint64_t{code == codes.escape} << i;
        });
    }
    if (escaped != 0) [[unlikely]]
        rules.resolve(rules.self, in, out, escaped);
}

template <unsigned CodeBytes>
std::uint32_t look_up_one(const index_view& view, std::uint64_t bits) noexcept;

// Codes of a block from the root alone, for traffic to large unrouted areas. The few addresses that need more
// are looked up one by one. Returns false if these are not few, which the first 16 addresses usually show;
// `code` is invalid then.
template <input_form Form>
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
    with_code_bytes(view, [&](auto code_bytes) FINGERPOST_LAMBDA {
        for (; unknown != 0; unknown &= unknown - 1) {
            const auto i = static_cast<std::size_t>(__builtin_ctzll(unknown));
            code[i] = look_up_one<code_bytes.value>(view, first_bits<Form>(in + i * size));
        }
    });
    return true;
}

// Looks up 16 to batch_block addresses, in groups of 16 that take each stage together. The last group may
// overlap the previous one.
template <input_form Form, class Wide>
FINGERPOST_INLINE void look_up_block(const index_view& view, const code_rules& rules, const Wide& wide,
                                     const std::byte* in, std::uint32_t* out, std::size_t count) {
    constexpr std::size_t size = bytes_of(Form);
    using group = stages<Form, 16>;
    block_state<batch_block> state;
    const auto each_group = [count](auto visit) FINGERPOST_LAMBDA {
        std::size_t first = 0;
        for (; first + 16 <= count; first += 16)
            visit(first);
        if (first < count)
            visit(count - 16);
    };
    std::uint64_t escaped = 0;
    if (look_up_by_root<Form>(view, in, state.found, count)) {
        each_group([&](std::size_t first) FINGERPOST_LAMBDA {
            escaped |= wide.write_16(out + first, state.found + first) << first;
        });
        if (escaped != 0) [[unlikely]]
            rules.resolve(rules.self, in, out, escaped);
        return;
    }
    const std::byte* const lines = view.lines;
    const auto index = [&](std::size_t first)
                           FINGERPOST_LAMBDA { group::index(view, in + first * size, state.entry + first); };
    if constexpr (Wide::are_there) {
        if (view.how.gathers)
            each_group([&](std::size_t first) FINGERPOST_LAMBDA {
                Wide::template index_16<Form>(view, in + first * size, state.entry + first);
            });
        else
            each_group(index);
    } else {
        each_group(index);
    }
    if (Wide::goes_on(state, count)) {
        if (Wide::prefetches || view.how.prefetch)
            each_group([&](std::size_t first) FINGERPOST_LAMBDA {
                group::template nodes<true>(lines, in + first * size, state.entry + first,
                                            state.leaf + first);
            });
        else
            each_group([&](std::size_t first) FINGERPOST_LAMBDA {
                group::template nodes<false>(lines, in + first * size, state.entry + first,
                                             state.leaf + first);
            });
        with_code_bytes(view, [&](auto code_bytes) FINGERPOST_LAMBDA {
            each_group([&](std::size_t first) FINGERPOST_LAMBDA {
                group::template leaves<code_bytes.value>(lines, in + first * size, state.leaf + first,
                                                         state.found + first);
            });
        });
    } else {
        __builtin_memset(state.found, 0, sizeof state.found);
    }
    each_group([&](std::size_t first)
                   FINGERPOST_LAMBDA { escaped |= wide.write_16(out + first, state, first) << first; });
    if (escaped != 0) [[unlikely]]
        rules.resolve(rules.self, in, out, escaped);
}

// Looks up at most 15 addresses. A separate function, because the registers and the stack frame of large
// batches cost time.
template <input_form Form, class Wide>
[[gnu::noinline]] void look_up_rest(const index_view& view, const code_rules& rules, const std::byte* in,
                                    std::uint32_t* out, std::size_t count) noexcept {
    const auto as = [&](auto block) FINGERPOST_LAMBDA {
        look_up_few<Form, block.value, Wide>(view, rules, in, out, count);
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

template <input_form Form, class Wide = wide_steps>
void look_up_batch(const index_view& view, const code_rules& rules, const void* addresses, std::uint32_t* out,
                   std::size_t count) noexcept {
    const auto* in = static_cast<const std::byte*>(addresses);
    if (count < 16)
        return look_up_rest<Form, Wide>(view, rules, in, out, count);
    const Wide wide(rules.codes);
    const std::size_t block = view.how.block;
    do {
        const std::size_t some = count < block ? count : block;
        look_up_block<Form>(view, rules, wide, in, out, some);
        in += some * bytes_of(Form);
        out += some;
        count -= some;
    } while (count >= 16);
    if (count > 0)
        look_up_rest<Form, Wide>(view, rules, in, out, count);
}

// Looks up one address, passed and returned in registers. Branches if the root or the index has its code.
template <unsigned CodeBytes>
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
    return leaf_code<CodeBytes>(view.lines, at, key);
}

} // namespace
} // namespace fingerpost::packed_leaves
