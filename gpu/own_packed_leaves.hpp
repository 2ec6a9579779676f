// Packed leaves with the index in shared memory, as far as it fits. That of tier1-v6 takes 107 KB without the
// codes of the root, which only shorten lookups.
#pragma once

#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"
#include "gpu/lookup.hpp"

namespace fingerpost::gpu {

template <class A>
struct own_kernel<A, cells::fib_arrays<A, packed_leaves::index_front>> {
    static constexpr unsigned threads = 1024;
    static constexpr unsigned shared = 112 << 10; // the rest of the 164 or 228 KB is the L1 cache
    using arrays = cells::fib_arrays<A, packed_leaves::index_front>;

    template <class Block>
    static void run(Block block, const arrays& in, const address_array& addresses, next_hop* out,
                    std::size_t count) {
        packed_leaves::index_arrays front = in.front;
        front.root_codes = {};
        front.root = block.share(front.root);
        front.pages = block.share(front.pages);
        block.wait();
        block.each(count, [&](std::size_t i) {
            plain_reads read;
            out[i] = cells::find(read, in, front, addresses.template address<A>(i));
        });
    }
};

} // namespace fingerpost::gpu
