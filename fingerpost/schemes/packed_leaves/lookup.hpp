// Lookup in packed leaves, whatever owns the arrays: a FIB in memory and an image mapped from a
// file use this code.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/halves.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/packed_leaves/bitmap/code_array.hpp"
#include "fingerpost/schemes/packed_leaves/bitmap/word_versions.hpp"
#include "fingerpost/schemes/packed_leaves/index/index.hpp"
#include "fingerpost/schemes/packed_leaves/long_prefixes/cell_slots.hpp"
#include "fingerpost/schemes/packed_leaves/view.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/isa.hpp"
#include "fingerpost/simd/tuning.hpp"

namespace fingerpost::packed_leaves {

// A long-prefix level: the cells that a finer boundary cuts, and their trees with `levels` levels of nodes.
template <class A>
struct long_level_arrays {
    std::span<const cell_slot<A>> cells; // as cell_slots wants them
    hash_key key;                        // of these
    std::span<const std::byte> lines;
    unsigned levels = 0;
};

// All arrays that a lookup reads. Offsets in them count from the start of their own array, so that each array
// may lie anywhere; lines must be aligned to a cache line.
template <class A>
struct fib_arrays {
    // The number of first bits that the index or the words distinguish, and the bits of each tier after them.
    static constexpr unsigned index_bits(bool uses_bitmaps) noexcept {
        return uses_bitmaps ? cell_bits : index_tables::bits;
    }
    static constexpr unsigned outer_of(bool uses_bitmaps, std::size_t level) noexcept {
        return index_bits(uses_bitmaps) + static_cast<unsigned>(level) * key_bits;
    }
    static constexpr std::size_t most_long_levels = 3; // 48 + 3 * 32 is more than 128

    unsigned code_bytes = 1;
    bool uses_bitmaps = false;
    std::span<const std::uint64_t> root; // 2^8 to 2^16 of them; these four for the form with trees
    std::span<const std::uint32_t> root_codes;
    std::span<const std::uint64_t> pages;
    std::span<const std::byte> lines;
    std::span<const bitmap_word> words; // these two for the form with bitmaps
    std::span<const std::byte> answers;
    word_versions versions;                 // empty if words do not change
    std::span<const std::uint32_t> regions; // their answers, and one 0
    std::span<const next_hop> hops;         // see next_hop_decoder
    std::size_t long_level_count = 0;
    std::array<long_level_arrays<A>, most_long_levels> long_levels{};

    code_view codes() const noexcept {
        return {regions.data(), to_u32(regions.size() - 1, "regions"), next_hop_codec::escape_of(code_bytes)};
    }
};

// A plain view, copied freely. If the arrays satisfy validate(), lookups read nothing outside of them.
template <class A>
class fib_view {
  public:
    fib_view() = default;
    fib_view(const fib_arrays<A>& parts, const kernel_set& kernels, const simd::tuning& how) noexcept
        : codes_(parts.codes()), decoder_{parts.hops}, long_level_count_(parts.long_level_count) {
        const auto width = static_cast<std::size_t>(std::countr_zero(parts.code_bytes));
        walk_ = kernels.walk[width];
        if (parts.uses_bitmaps) {
            bitmaps_ = kernels.bitmap[width];
            bitmap_single_ = kernels.bitmap_single[width];
            words_ = {parts.words.data(), parts.answers.data(), how};
            versions_ = parts.versions;
            code_bytes_ = parts.code_bytes;
        } else {
            const auto root_bits = static_cast<unsigned>(std::countr_zero(parts.root.size()));
            batch_ = kernels.batch[static_cast<std::size_t>(form)];
            single_ = kernels.single[width];
            batch_keys_ = kernels.batch[static_cast<std::size_t>(simd::input_form::key64)];
            index_ = {parts.root.data(),
                      parts.root_codes.data(),
                      parts.pages.data(),
                      parts.lines.data(),
                      64 - root_bits,
                      parts.code_bytes,
                      how};
        }
        for (std::size_t i = 0; i < long_level_count_; ++i) {
            const long_level_arrays<A>& from = parts.long_levels[i];
            const unsigned outer = fib_arrays<A>::outer_of(parts.uses_bitmaps, i);
            long_levels_[i] = {outer, from.levels, from.lines.data(), {from.cells, outer, from.key}};
        }
    }

    next_hop lookup(A a) const noexcept {
        const std::uint32_t code = bitmaps_ != nullptr
                                       ? bitmap_single_(words_, static_cast<std::uint32_t>(a.value))
                                       : single_(index_, top64(a));
        std::uint32_t number = codes_.number_of(code);
        if (code == codes_.escape) [[unlikely]]
            descend([&](unsigned) { return a; }, &number, 1);
        return decoder_.decode(number);
    }

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if (in.size() == 1)
            out[0] = lookup(in[0]);
        else
            in_pieces(out.first(in.size()), [&](std::size_t first, std::span<next_hop> found) {
                lookup_numbers(in.subspan(first, found.size()), found);
            });
    }
    // As in fib/halves.hpp.
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept
        requires(A::bits > 64)
    {
        in_pieces(out.first(first.size()), [&](std::size_t from, std::span<next_hop> found) {
            look_up_halves(first.subspan(from, found.size()), part_of(low, from, found.size()), found);
        });
    }

    // Besides the arrays.
    static std::size_t memory_bytes() noexcept { return 0; }

  private:
    // Kernels read addresses of these widths in place; for others they get the first 64 bits.
    static constexpr bool is_plain = A::bits == 128 || A::bits == 32;
    static constexpr simd::input_form form = A::bits == 128  ? simd::input_form::ipv6
                                             : A::bits == 32 ? simd::input_form::ipv4
                                                             : simd::input_form::key64;
    static constexpr std::size_t near = 1024;
    struct level {
        unsigned outer = 0;
        unsigned levels = 0;
        const std::byte* lines = nullptr;
        cell_slots<A> cells{};
    };

    // The batch that an escape belongs to, as kernels get it, and the whole address of each item.
    struct whole_addresses {
        const fib_view* self;
        A at(const void* addresses, unsigned i) const noexcept { return static_cast<const A*>(addresses)[i]; }
    };
    struct halves {
        const fib_view* self;
        std::span<const std::uint64_t> first;
        std::span<const std::uint64_t> low;
        A at(const void* keys, unsigned i) const noexcept {
            const auto n =
                static_cast<std::size_t>(static_cast<const std::uint64_t*>(keys) - first.data()) + i;
            return from_halves<A>(first[n], low_at(low, n));
        }
    };

    // Decodes numbers while they are still in the cache.
    template <class Find>
    void in_pieces(std::span<next_hop> out, Find find) const noexcept {
        if (decoder_.hops.empty())
            return find(0, out);
        for (std::size_t done = 0; done < out.size(); done += near) {
            const auto found = out.subspan(done, std::min(near, out.size() - done));
            find(done, found);
            decoder_.decode(found);
        }
    }
    // Writes numbers; next_hop::none without a route.
    void lookup_numbers(std::span<const A> in, std::span<next_hop> out) const noexcept {
        auto* const numbers = reinterpret_cast<std::uint32_t*>(out.data());
        const whole_addresses batch{this};
        const code_rules rules{codes_, &batch, &resolve<whole_addresses>};
        if (bitmaps_ != nullptr)
            bitmaps_(words_, rules, in.data(), numbers, in.size());
        else if constexpr (is_plain)
            batch_(index_, rules, in.data(), numbers, in.size());
        else
            lookup_keys(in, out);
    }
    void look_up_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                        std::span<next_hop> out) const noexcept {
        auto* const numbers = reinterpret_cast<std::uint32_t*>(out.data());
        const halves batch{this, first, low};
        batch_keys_(index_, {codes_, &batch, &resolve<halves>}, first.data(), numbers, first.size());
    }
    void lookup_keys(std::span<const A> in, std::span<next_hop> out) const noexcept {
        std::array<std::uint64_t, 64> first, low;
        for (std::size_t done = 0; done < in.size(); done += first.size()) {
            const std::size_t count = std::min(first.size(), in.size() - done);
            for (std::size_t i = 0; i < count; ++i) {
                first[i] = top64(in[done + i]);
                low[i] = bottom64(in[done + i]);
            }
            look_up_halves(std::span<const std::uint64_t>(first).first(count),
                           std::span<const std::uint64_t>(low).first(count), out.subspan(done, count));
        }
    }

    template <class Batch>
    static void resolve(const void* of, const void* addresses, std::uint32_t* numbers,
                        std::uint64_t escaped) noexcept {
        const Batch& batch = *static_cast<const Batch*>(of);
        batch.self->descend([&](unsigned i) { return batch.at(addresses, i); }, numbers, escaped);
    }
    // Looks up those of the addresses in(i) whose bits are set in `escaped`. There may be many, as with host
    // routes, so all first lines are prefetched before any lookup waits.
    template <class Addresses>
    void descend(Addresses in, std::uint32_t* numbers, std::uint64_t escaped) const noexcept {
        if (!versions_.empty())
            escaped = answer_by_version(in, numbers, escaped);
        std::array<std::uint32_t, 64> trees; // and before that the slots of their cells
        for (std::size_t depth = 0; depth < long_level_count_ && escaped != 0; ++depth) {
            const level& t = long_levels_[depth];
            each_bit(escaped, [&](unsigned i) { trees[i] = t.cells.prefetch(in(i)); });
            each_bit(escaped, [&](unsigned i) {
                trees[i] = t.cells.find(in(i), trees[i]);
                // In a tree that was not changed, the next line to read is behind the first node.
                __builtin_prefetch(t.lines + trees[i]);
                __builtin_prefetch(t.lines + trees[i] + line_bytes);
            });
            std::uint64_t deeper = 0;
            each_bit(escaped, [&](unsigned i) {
                const auto key = static_cast<std::uint32_t>(slice(in(i), t.outer, key_bits));
                const std::uint32_t code = walk_(t.lines, trees[i], t.levels, key);
                numbers[i] = codes_.number_of(code);
                deeper |= std::uint64_t{code == codes_.escape} << i;
            });
            escaped = deeper;
        }
    }
    // An escape may come from a redirect mark; such an address then gets its answer here. Returns a mask of
    // those without an answer.
    template <class Addresses>
    std::uint64_t answer_by_version(Addresses in, std::uint32_t* numbers,
                                    std::uint64_t escaped) const noexcept {
        std::uint64_t deeper = 0;
        each_bit(escaped, [&](unsigned i) {
            const auto cell = static_cast<std::uint32_t>(slice(in(i), 0, cell_bits));
            const std::uint32_t code = code_in(versions_.look(words_.words, cell / word_cells), cell);
            numbers[i] = codes_.number_of(code);
            deeper |= std::uint64_t{code == codes_.escape} << i;
        });
        return deeper;
    }
    std::uint32_t code_in(const bitmap_word& word, std::uint32_t cell) const noexcept {
        return get_code(words_.answers + word.slot_of(cell % word_cells) * std::size_t{code_bytes_},
                        code_bytes_);
    }
    template <class Each>
    static void each_bit(std::uint64_t set, Each one) noexcept {
        for (; set != 0; set &= set - 1)
            one(static_cast<unsigned>(std::countr_zero(set)));
    }

    batch_kernel batch_ = nullptr;
    batch_kernel batch_keys_ = nullptr; // of the first 64 bits of addresses
    bitmap_kernel bitmaps_ = nullptr;
    bitmap_single_kernel bitmap_single_ = nullptr;
    single_kernel single_ = nullptr;
    walk_kernel walk_ = nullptr;
    index_view index_;
    bitmap_view words_;
    word_versions versions_;
    unsigned code_bytes_ = 1;
    code_view codes_;
    next_hop_decoder decoder_;
    std::size_t long_level_count_ = 0;
    std::array<level, fib_arrays<A>::most_long_levels> long_levels_{};
};

} // namespace fingerpost::packed_leaves
