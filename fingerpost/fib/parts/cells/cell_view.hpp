// Lookup in a FIB whose front gives each cell of addresses a code, for arrays with any owner: a FIB in memory
// and an image mapped from a file use this code.
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
#include "fingerpost/fib/parts/cells/cell_slots.hpp"
#include "fingerpost/fib/parts/cells/codes.hpp"
#include "fingerpost/fib/parts/cells/packed_lines.hpp"
#include "fingerpost/fib/parts/cells/walk.hpp"
#include "fingerpost/simd/isa.hpp"
#include "fingerpost/simd/tuning.hpp"

namespace fingerpost::cells {

// A long-prefix level: the cells that a finer boundary divides, and their trees with `levels` levels of
// nodes.
template <class A>
struct long_level_arrays {
    std::span<const cell_slot<A>> cells; // in the form that cell_slots needs
    hash_key key;                        // hash key of the cells
    std::span<const std::byte> lines;
    unsigned levels = 0;
};

// All arrays that a lookup reads. Offsets are relative to the start of their array, so each array can be
// anywhere. Lines must be aligned to a cache line.
template <class A, class Front>
struct fib_arrays {
    // Number of first bits that the front and the long-prefix levels above this one distinguish.
    static constexpr unsigned outer_of(std::size_t level) noexcept {
        return Front::bits + static_cast<unsigned>(level) * key_bits;
    }
    static constexpr std::size_t most_long_levels = 3; // 48 + 3 * 32 is more than 128

    unsigned code_bytes = 1;
    typename Front::arrays front;
    std::span<const std::uint32_t> regions; // their answers, and a 0
    std::span<const next_hop> hops;         // see next_hop_decoder
    std::size_t long_level_count = 0;
    std::array<long_level_arrays<A>, most_long_levels> long_levels{};

    code_view codes() const noexcept {
        return {regions.data(), to_u32(regions.size() - 1, "regions"), next_hop_codec::escape_of(code_bytes)};
    }
};

// A plain view that can be copied freely. If the arrays pass validate(), lookups read nothing outside them.
template <class A, class Front>
class fib_view {
    using fib_arrays = cells::fib_arrays<A, Front>;

  public:
    fib_view() = default;
    fib_view(const fib_arrays& parts, simd::isa isa, const simd::tuning& how) noexcept
        : front_(parts.front, parts.code_bytes, isa, how),
          walk_(kernels_of(isa).walk[std::countr_zero(parts.code_bytes)]), codes_(parts.codes()),
          decoder_{parts.hops}, long_level_count_(parts.long_level_count) {
        for (std::size_t i = 0; i < long_level_count_; ++i) {
            const long_level_arrays<A>& from = parts.long_levels[i];
            const unsigned outer = fib_arrays::outer_of(i);
            long_levels_[i] = {outer, from.levels, from.lines.data(), {from.cells, outer, from.key}};
        }
    }

    // Inlined, because one more call takes 1/10 of the time of a lookup in the cache.
    [[gnu::always_inline]] next_hop lookup(A a) const noexcept {
        const std::uint32_t code = front_.code(a);
        std::uint32_t number = codes_.number_of(code);
        if (code == codes_.escape) [[unlikely]]
            descend([&](unsigned) { return a; }, &number, 1);
        return decoder_.decode(number);
    }

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if (in.size() == 1)
            out[0] = lookup(in[0]);
        else
            in_pieces(out.first(in.size()), [&](std::size_t first, std::span<next_hop> piece) {
                lookup_numbers(in.subspan(first, piece.size()), piece);
            });
    }
    // See fib/halves.hpp.
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept
        requires(A::bits > 64)
    {
        in_pieces(out.first(first.size()), [&](std::size_t from, std::span<next_hop> piece) {
            look_up_halves(first.subspan(from, piece.size()), part_of(low, from, piece.size()), piece);
        });
    }

    // Memory in addition to the arrays.
    static std::size_t memory_bytes() noexcept { return 0; }

  private:
    using front_lookups = typename Front::template lookups<A>;

    static constexpr std::size_t near = 1024;
    struct level {
        unsigned outer = 0;
        unsigned levels = 0;
        const std::byte* lines = nullptr;
        cell_slots<A> cells{};
    };

    // The batch of an escape, as passed to kernels, and the whole address of each item.
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
            const auto piece = out.subspan(done, std::min(near, out.size() - done));
            find(done, piece);
            decoder_.decode(piece);
        }
    }
    // Writes numbers, or next_hop::none for no route.
    void lookup_numbers(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if constexpr (front_lookups::takes_addresses) {
            const whole_addresses batch{this};
            front_.batch({codes_, &batch, &resolve<whole_addresses>}, in.data(),
                         reinterpret_cast<std::uint32_t*>(out.data()), in.size());
        } else {
            lookup_keys(in, out);
        }
    }
    void look_up_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                        std::span<next_hop> out) const noexcept {
        const halves batch{this, first, low};
        front_.batch_keys({codes_, &batch, &resolve<halves>}, first.data(),
                          reinterpret_cast<std::uint32_t*>(out.data()), first.size());
    }
    void lookup_keys(std::span<const A> in, std::span<next_hop> out) const noexcept {
        std::array<std::uint64_t, batch_block> first, low;
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
    // Looks up the addresses in(i) for the bits set in `escaped`. There may be many, for example with host
    // routes, so all first lines are prefetched before any lookup waits.
    template <class Addresses>
    void descend(Addresses in, std::uint32_t* numbers, std::uint64_t escaped) const noexcept {
        // The front may still resolve some of them.
        if constexpr (requires { front_.may_answer_escapes(); })
            if (front_.may_answer_escapes())
                escaped = look_again(in, numbers, escaped);
        std::array<std::uint32_t, batch_block> trees; // first the slots of their cells, then the trees
        for (std::size_t depth = 0; depth < long_level_count_ && escaped != 0; ++depth) {
            const level& t = long_levels_[depth];
            each_bit(escaped, [&](unsigned i) { trees[i] = t.cells.prefetch(in(i)); });
            each_bit(escaped, [&](unsigned i) {
                trees[i] = t.cells.find(in(i), trees[i]);
                // In an unmodified tree, the next line to read follows the first node.
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
    // Returns a mask of the addresses that remain unresolved.
    template <class Addresses>
    std::uint64_t look_again(Addresses in, std::uint32_t* numbers, std::uint64_t escaped) const noexcept {
        std::uint64_t deeper = 0;
        each_bit(escaped, [&](unsigned i) {
            const std::uint32_t code = front_.code_of_escaped(in(i));
            numbers[i] = codes_.number_of(code);
            deeper |= std::uint64_t{code == codes_.escape} << i;
        });
        return deeper;
    }
    template <class Each>
    static void each_bit(std::uint64_t set, Each visit) noexcept {
        for (; set != 0; set &= set - 1)
            visit(static_cast<unsigned>(std::countr_zero(set)));
    }

    front_lookups front_;
    walk_kernel walk_ = nullptr;
    code_view codes_;
    next_hop_decoder decoder_;
    std::size_t long_level_count_ = 0;
    std::array<level, fib_arrays::most_long_levels> long_levels_{};
};

} // namespace fingerpost::cells
