// The lanes of a lookup from the host: chunk n takes lane n modulo their number, after its last chunk.
#include "gpu/host_lanes.hpp"

#include <algorithm>
#include <cstring>

namespace fingerpost::gpu {

host_lanes::~host_lanes() {
    release();
}

void host_lanes::prepare() {
    if (is_ready_)
        return;
    release(); // an earlier attempt may have failed halfway
    for (lane& each : lanes_) {
        each.in = create_stream();
        each.addresses = allocate(chunk * widest);
        each.hops = allocate(chunk * sizeof(next_hop));
        each.pinned_addresses = allocate_pinned(chunk * widest);
        each.pinned_hops = allocate_pinned(chunk * sizeof(next_hop));
    }
    is_ready_ = true;
}
void host_lanes::release() noexcept {
    for (lane& each : lanes_) {
        if (each.in != nullptr)
            destroy_stream(each.in);
        gpu::release(each.addresses);
        gpu::release(each.hops);
        release_pinned(each.pinned_addresses);
        release_pinned(each.pinned_hops);
        each = {};
    }
}

// Waits for the last chunk of a lane, and writes its results.
void host_lanes::finish(lane& of) {
    if (of.count == 0)
        return;
    const std::size_t count = std::exchange(of.count, 0);
    wait_for_stream(of.in);
    if (of.out != nullptr)
        std::memcpy(of.out, of.pinned_hops, count * sizeof(next_hop));
}

void host_lanes::run(const void* addresses, std::size_t address_bytes, next_hop* out, std::size_t count,
                     const lookup& look_up) try {
    prepare();
    const auto* const from = static_cast<const std::byte*>(addresses);
    const bool is_direct_in = is_pinned(addresses), is_direct_out = is_pinned(out);
    for (std::size_t first = 0, number = 0; first < count; first += chunk, ++number) {
        lane& with = lanes_[number % lanes_.size()];
        finish(with);
        const std::size_t part = std::min(chunk, count - first), bytes = part * address_bytes;
        const void* source = from + first * address_bytes;
        if (!is_direct_in) {
            std::memcpy(with.pinned_addresses, source, bytes);
            source = with.pinned_addresses;
        }
        with.count = part;
        with.out = is_direct_out ? nullptr : out + first;
        copy_to_device(with.addresses, source, bytes, with.in);
        look_up(with.addresses, static_cast<next_hop*>(with.hops), part, with.in);
        copy_to_host(is_direct_out ? out + first : with.pinned_hops, with.hops, part * sizeof(next_hop),
                     with.in);
    }
    for (lane& each : lanes_)
        finish(each);
} catch (...) {
    // Destroying the streams waits for copies that still write to the caller's memory.
    release();
    is_ready_ = false;
    throw;
}

} // namespace fingerpost::gpu
