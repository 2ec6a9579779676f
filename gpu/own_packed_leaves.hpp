// Packed leaves with the index in shared memory, or with one thread for each key of a line.
#pragma once

#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"
#include "gpu/lookup.hpp"

namespace fingerpost::gpu {

template <class A>
using index_fib = cells::fib_arrays<A, packed_leaves::index_front>;

// The index of tier1-v6 takes 107 KB without the codes of the root, which only shorten lookups.
template <class A>
struct own_kernel<technique::shared, A, index_fib<A>> {
    static constexpr unsigned threads = 1024;
    static constexpr unsigned shared = 112 << 10; // the rest of the 164 or 228 KB is the L1 cache

    template <class Block>
    static void run(Block block, const index_fib<A>& in, const address_array& addresses, next_hop* out,
                    std::size_t count) {
        packed_leaves::index_arrays front = in.front;
        front.root_codes = {};
        front.root = block.share(front.root);
        front.pages = block.share(front.pages);
        block.wait();
        block.each(count, [&](std::size_t i) {
            plain_reads read;
            const A a = addresses.template address<A>(i);
            out[i] = cells::answer_of(read, in, front.find(read, a, in.code_bytes), a);
        });
    }
};

// Each thread walks the index for an address of its own. Then 16 threads read the lines of their 16 addresses
// together. Addresses that the index has answered walk the lines at offset 0, which add a code of 0.
template <class A>
struct own_kernel<technique::groups, A, index_fib<A>> {
    static constexpr unsigned threads = 256, shared = 0;
    static constexpr unsigned size = cells::node_shape::keys + 1; // the last thread reads the child offset

    template <class Block>
    static void run(Block block, const index_fib<A>& in, const address_array& addresses, next_hop* out,
                    std::size_t count) {
        block.template each_group<size>(count, [&](const auto& lanes, std::size_t first) {
            look_up_group(lanes, in, addresses, out, first, count);
        });
    }

  private:
    template <class Lanes>
    static void look_up_group(const Lanes& lanes, const index_fib<A>& in, const address_array& addresses,
                              next_hop* out, std::size_t first, std::size_t count) {
        plain_reads read;
        const auto address_of = [&](unsigned lane) {
            return addresses.template address<A>(std::min(first + lane, count - 1));
        };
        typename Lanes::template values<std::uint32_t> codes{}, offsets{}, keys{};
        lanes.each([&](unsigned lane) {
            const A a = address_of(lane);
            const std::uint64_t entry = in.front.find_entry(read, a);
            codes[lane] = packed_leaves::last_entry::code_of(entry);
            offsets[lane] = packed_leaves::last_entry::tree_of(entry);
            keys[lane] = static_cast<std::uint32_t>(slice(a, packed_leaves::key_begin, cells::key_bits));
        });
        const cells::leaf_shape leaf = cells::leaf_shape_of(in.code_bytes);
        walk_lines(lanes, in.front.lines.data(), leaf, in.code_bytes, keys, offsets);
        lanes.each([&](unsigned lane) {
            if (first + lane >= count)
                return;
            const std::byte* const at = in.front.lines.data() + offsets[lane];
            const std::uint32_t code = codes[lane] + cells::get_code(at, in.code_bytes);
            out[first + lane] = cells::answer_of(read, in, code, address_of(lane));
        });
    }

    // Replaces the offset of each lane's tree by that of its code.
    template <class Lanes, class Values>
    static void walk_lines(const Lanes& lanes, const std::byte* lines, const cells::leaf_shape& leaf,
                           unsigned code_bytes, const Values& keys, Values& offsets) {
        std::array<std::uint32_t, size> at, sought;
        simd::unroll<size>([&](auto i) FINGERPOST_LAMBDA {
            at[i.value] = lanes.get(offsets, i.value);
            sought[i.value] = lanes.get(keys, i.value);
        });
        const auto descend = [&](unsigned slots, auto step) FINGERPOST_LAMBDA {
            std::array<Values, size> words; // of the lines. Their loads overlap.
            simd::unroll<size>([&](auto i) FINGERPOST_LAMBDA {
                lanes.each([&](unsigned lane) {
                    words[i.value][lane] = cells::get_word<std::uint32_t>(lines + at[i.value] + lane * 4);
                });
            });
            simd::unroll<size>([&](auto i) FINGERPOST_LAMBDA {
                Values& line = words[i.value];
                const unsigned below = lanes.count([&](unsigned lane) {
                    return lane < slots && simd::stored_key(line[lane]) < sought[i.value];
                });
                at[i.value] = step(at[i.value], below, line);
            });
        };
        for (unsigned level = 0; level < packed_leaves::node_levels; ++level)
            descend(size - 1, [&](std::uint32_t, unsigned child, const Values& line) {
                return lanes.get(line, size - 1) + child * cells::line_bytes;
            });
        descend(leaf.keys, [&](std::uint32_t line_at, unsigned interval, const Values&) {
            return line_at + leaf.codes_at + interval * code_bytes;
        });
        lanes.each([&](unsigned lane) {
            simd::unroll<size>(
                [&](auto i) { offsets[lane] = lane == i.value ? at[i.value] : offsets[lane]; });
        });
    }
};

} // namespace fingerpost::gpu
