// PlanB with one thread for each key of a node. A group of threads reads a node in one access, counts the
// keys below an address with one vote, and so looks up as many addresses side by side as it has threads.
#pragma once

#include "fingerpost/schemes/planb/planb.hpp"
#include "gpu/lookup.hpp"

namespace fingerpost::gpu {

template <class A>
struct own_kernel<technique::groups, A, planb::fib<A>> {
    static constexpr unsigned threads = 256, shared = 0;
    using key = planb::key_of<A>;
    using number = std::make_signed_t<key>;
    static constexpr unsigned keys = planb::line_keys<key>;

    template <class Block>
    static void run(Block block, const planb::fib<A>& fib, const address_array& addresses, next_hop* out,
                    std::size_t count) {
        block.template each_group<keys>(count, [&](const auto& lanes, std::size_t first) {
            look_up_group(lanes, fib, addresses, out, first, count);
        });
    }

  private:
    template <class Lanes>
    static void look_up_group(const Lanes& lanes, const planb::fib<A>& fib, const address_array& addresses,
                              next_hop* out, std::size_t first, std::size_t count) {
        const planb::tree_view<key>& tree = fib.tree();
        // Threads after the last address repeat it, because votes need all threads of a warp.
        const auto address_of = [&](unsigned lane) {
            return addresses.template address<A>(std::min(first + lane, count - 1));
        };
        typename Lanes::template values<key> own{};
        lanes.each([&](unsigned lane) { own[lane] = simd::stored_key(planb::key_for(address_of(lane))); });
        std::array<number, keys> sought;
        std::array<std::uint32_t, keys> at{}; // trees have less than 2^32 keys
        simd::unroll<keys>([&](auto i) { sought[i.value] = static_cast<number>(lanes.get(own, i.value)); });
        // Replaces at[i] by step(at[i], rank of address i in this node). The loads come before the votes, so
        // that they overlap.
        const auto descend = [&](auto step) FINGERPOST_LAMBDA {
            std::array<typename Lanes::template values<number>, keys> nodes;
            simd::unroll<keys>([&](auto i) FINGERPOST_LAMBDA {
                lanes.each([&](unsigned lane) {
                    nodes[i.value][lane] = static_cast<number>(tree.keys[at[i.value] + lane]);
                });
            });
            simd::unroll<keys>([&](auto i) FINGERPOST_LAMBDA {
                const auto is_below = [&](unsigned lane) { return nodes[i.value][lane] < sought[i.value]; };
                at[i.value] = step(at[i.value], lanes.count(is_below));
            });
        };
        for (unsigned level = 0; level < tree.levels; ++level)
            descend([](std::uint32_t node, unsigned rank) { return node * (keys + 1) + (rank + 1) * keys; });
        descend([](std::uint32_t leaf, unsigned rank) { return leaf + rank; });
        lanes.each([&](unsigned lane) {
            if (first + lane >= count)
                return;
            std::uint32_t leaf_key = 0; // at[lane], with constant indices so that it stays in registers
            simd::unroll<keys>([&](auto i) { leaf_key = lane == i.value ? at[i.value] : leaf_key; });
            out[first + lane] = fib.answer_in(plain_reads{}, leaf_key - tree.leaf_offset, address_of(lane));
        });
    }
};

} // namespace fingerpost::gpu
