// Lookups through the index and its trees: batches in blocks with three stages, and single addresses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/schemes/packed_leaves/stages.inl.hpp"

namespace fingerpost::packed_leaves {
namespace {

// At least Count / 2 and at most 16 addresses of a call as a group of `Count`. The upper half of the group is
// the last addresses of the call, so some may be looked up twice.
template <input_form Form, unsigned Count>
struct small_call {
    static constexpr unsigned lower = (Count + 1) / 2;

    const std::byte* in;
    std::uint32_t* out;
    std::size_t second; // start of the upper half

    FINGERPOST_INLINE small_call(const std::byte* first, std::uint32_t* to, std::size_t count)
        : in(first), out(to), second(count - Count / 2) {}
    FINGERPOST_INLINE const std::byte* upper() const { return in + second * bytes_of(Form); }
    template <class Lane>
    FINGERPOST_INLINE const std::byte* address(Lane) const {
        constexpr unsigned i = Lane::value;
        return i < lower ? in + i * bytes_of(Form) : upper() + (i - lower) * bytes_of(Form);
    }
    template <class Wide, class Codes>
    FINGERPOST_INLINE void write(const code_rules& rules, const Codes& codes) const {
        std::uint64_t escaped = Wide(rules.codes).write_halves(out, out + second, codes);
        if (escaped != 0) [[unlikely]] {
            escaped = (escaped & ((1u << lower) - 1)) | escaped >> lower << second;
            rules.resolve(rules.self, in, out, escaped);
        }
    }
};

template <input_form Form, unsigned Count, class Wide>
FINGERPOST_INLINE void look_up_few(const index_view& view, const code_rules& rules, const std::byte* in,
                                   std::uint32_t* out, std::size_t count) {
    const small_call<Form, Count> call(in, out, count);
    constexpr unsigned lower = call.lower;
    using lower_half = stages<Form, lower>;
    using upper_half = stages<Form, Count / 2>;
    block_state<Count> state;
    lower_half::index(view, in, state.entry);
    upper_half::index(view, call.upper(), state.entry + lower);
    using codes = decltype(index_codes<Wide, Count>(state.entry));
    codes of_leaves{};
    if (state.goes_on(Count)) {
        lower_half::template nodes<Wide::prefetches>(view.lines, in, state.entry, state.leaf);
        upper_half::template nodes<Wide::prefetches>(view.lines, call.upper(), state.entry + lower,
                                                     state.leaf + lower);
        with_code_bytes(view, [&](auto code_bytes) FINGERPOST_LAMBDA {
            of_leaves = Wide::template load<Count, code_bytes.value>([&](auto lane) FINGERPOST_LAMBDA {
                return code_place<code_bytes.value>(view.lines, state.leaf[lane.value],
                                                    tree_key<Form>(call.address(lane)));
            });
        });
    }
    call.template write<Wide>(rules, Wide::sum(index_codes<Wide, Count>(state.entry), of_leaves));
}

// The place of an address's code in the root.
template <input_form Form>
FINGERPOST_INLINE const std::byte* root_place(const index_view& view, const std::byte* address) {
    return reinterpret_cast<const std::byte*>(view.root_codes +
                                              (first_bits<Form>(address) >> view.root_shift));
}
template <input_form Form>
FINGERPOST_INLINE std::uint32_t root_code(const index_view& view, const std::byte* address) {
    return load_word<std::uint32_t>(root_place<Form>(view, address));
}

// Looks up 5 to 15 addresses by the root alone. Returns false if some of them need more. A separate function,
// because calls that it does not answer would take 1/10 longer otherwise.
template <input_form Form, unsigned Count, class Wide>
[[gnu::noinline]] bool look_up_few_by_root(const index_view& view, const code_rules& rules,
                                           const std::byte* in, std::uint32_t* out,
                                           std::size_t count) noexcept {
    const small_call<Form, Count> call(in, out, count);
    const auto codes = Wide::template load<Count, 4>(
        [&](auto lane) FINGERPOST_LAMBDA { return root_place<Form>(view, call.address(lane)); });
    if (Wide::all_ones(codes) != 0)
        return false;
    call.template write<Wide>(rules, codes);
    return true;
}

template <unsigned CodeBytes>
std::uint32_t look_up_one(const index_view& view, std::uint64_t bits) noexcept;

// Looks up single addresses of a block, marked by bits. Returns a mask of the escapes.
template <input_form Form>
FINGERPOST_INLINE std::uint64_t look_up_marked(const index_view& view, const code_view& codes,
                                               const std::byte* in, std::uint32_t* out,
                                               std::uint64_t marked) {
    std::uint64_t escaped = 0;
    with_code_bytes(view, [&](auto code_bytes) FINGERPOST_LAMBDA {
        for (; marked != 0; marked &= marked - 1) {
            const auto i = static_cast<std::size_t>(__builtin_ctzll(marked));
            const std::uint64_t bits = first_bits<Form>(in + i * bytes_of(Form));
            const std::uint32_t code = look_up_one<code_bytes.value>(view, bits);
            out[i] = codes.number_of(code);
            escaped |= std::uint64_t{code == codes.escape} << i;
        }
    });
    return escaped;
}

// Looks up a block by the root alone, for traffic to large unrouted areas. The few addresses that need more
// are looked up one by one. Returns false if the first 4 addresses or many of the first 16 need more.
template <input_form Form, class Wide>
FINGERPOST_INLINE bool look_up_by_root(const index_view& view, const code_rules& rules, const Wide& wide,
                                       const std::byte* in, std::uint32_t* out, std::size_t count) {
    constexpr int few_of_16 = 4;
    static_assert(no_root_code == ~std::uint32_t{0});
    constexpr std::size_t size = bytes_of(Form);
    std::uint32_t common = no_root_code;
    unroll<4>([&](auto lane) FINGERPOST_LAMBDA { common &= root_code<Form>(view, in + lane.value * size); });
    if (common == no_root_code)
        return false;
    std::uint64_t unknown = 0;
    std::uint64_t escaped = 0;
    for (std::size_t next = 0; next < count; next += 16) {
        const std::size_t first = next + 16 <= count ? next : count - 16;
        const auto codes = Wide::template load<16, 4>([&](auto lane) FINGERPOST_LAMBDA {
            return root_place<Form>(view, in + (first + lane.value) * size);
        });
        const std::uint64_t some = Wide::all_ones(codes);
        if (next == 0 && __builtin_popcountll(some) > few_of_16)
            return false;
        unknown |= some << first;
        escaped |= wide.write_16(out + first, codes) << first;
    }
    escaped &= ~unknown; // an escape of four bytes is all ones, too
    if (unknown != 0)
        escaped |= look_up_marked<Form>(view, rules.codes, in, out, unknown);
    if (escaped != 0) [[unlikely]]
        rules.resolve(rules.self, in, out, escaped);
    return true;
}

// Looks up 16 to batch_block addresses, in groups of 16 that take each stage together. The last group may
// overlap the previous one.
template <input_form Form, class Wide>
FINGERPOST_INLINE void look_up_block(const index_view& view, const code_rules& rules, const Wide& wide,
                                     const std::byte* in, std::uint32_t* out, std::size_t count) {
    constexpr std::size_t size = bytes_of(Form);
    using group = stages<Form, 16>;
    if (look_up_by_root<Form>(view, rules, wide, in, out, count))
        return;
    block_state<batch_block> state;
    const auto each_group = [count](auto visit) FINGERPOST_LAMBDA {
        std::size_t first = 0;
        for (; first + 16 <= count; first += 16)
            visit(first);
        if (first < count)
            visit(count - 16);
    };
    const std::byte* const lines = view.lines;
    const auto index = [&](std::size_t first)
                           FINGERPOST_LAMBDA { group::index(view, in + first * size, state.entry + first); };
    if constexpr (Wide::gather_index) {
        if (view.how.gathers)
            each_group([&](std::size_t first) FINGERPOST_LAMBDA {
                Wide::template index_16<Form>(view, in + first * size, state.entry + first);
            });
        else
            each_group(index);
    } else {
        each_group(index);
    }
    std::uint64_t escaped = 0;
    const auto write = [&](std::size_t first, const typename Wide::group& codes)
                           FINGERPOST_LAMBDA { escaped |= wide.write_16(out + first, codes) << first; };
    // The entries of the first group have reached the cache; see side_by_side.inl.hpp.
    if (Wide::goes_on(state, 16) || Wide::goes_on(state, count)) {
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
        // Without vectors, codes are written in another pass, because the code of both is long.
        std::uint32_t code[Wide::are_there ? 1 : batch_block];
        with_code_bytes(view, [&](auto code_bytes) FINGERPOST_LAMBDA {
            each_group([&](std::size_t first) FINGERPOST_LAMBDA {
                const auto place = [&](auto lane) FINGERPOST_LAMBDA {
                    const std::size_t i = first + lane.value;
                    return code_place<code_bytes.value>(lines, state.leaf[i], tree_key<Form>(in + i * size));
                };
                if constexpr (Wide::are_there)
                    write(first, Wide::sum(index_codes<Wide, 16>(state.entry + first),
                                           Wide::template load<16, code_bytes.value>(place)));
                else
                    unroll<16>([&](auto lane) FINGERPOST_LAMBDA {
                        code[first + lane.value] = load_word<word<code_bytes.value>>(place(lane));
                    });
            });
        });
        if constexpr (!Wide::are_there)
            each_group([&](std::size_t first) FINGERPOST_LAMBDA {
                const auto place = [&](auto lane) FINGERPOST_LAMBDA {
                    return reinterpret_cast<const std::byte*>(code + first + lane.value);
                };
                write(first, Wide::sum(index_codes<Wide, 16>(state.entry + first),
                                       Wide::template load<16, 4>(place)));
            });
    } else {
        each_group([&](std::size_t first)
                       FINGERPOST_LAMBDA { write(first, index_codes<Wide, 16>(state.entry + first)); });
    }
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
    // The first address decides whether the root is tried.
    const auto by_root = [&](auto block) FINGERPOST_LAMBDA {
        if constexpr (Wide::are_there)
            return root_code<Form>(view, in) != no_root_code &&
                   look_up_few_by_root<Form, block.value, Wide>(view, rules, in, out, count);
        return false;
    };
    if (count > 8) {
        if (!by_root(constant<16>{}))
            as(constant<16>{});
    } else if (count > 4) {
        if (!by_root(constant<8>{}))
            as(constant<8>{});
    } else if (count > 2)
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
    // Long calls read columns in memory, whose pages the hardware prefetcher finds late. Short calls look up
    // packets, which are in the cache. Reading past the end does no harm.
    constexpr std::size_t ahead = 256;
    const bool is_long = count > 2 * ahead;
    do {
        const std::size_t some = count < block ? count : block;
        if (is_long)
            for (std::size_t i = 0; i < some; i += line_bytes / bytes_of(Form))
                __builtin_prefetch(in + (ahead + i) * bytes_of(Form));
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
