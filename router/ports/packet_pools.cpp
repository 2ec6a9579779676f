// Computes the sizes of the pools and creates them.
#include "router/ports/packet_pools.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <rte_common.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_memzone.h>
#include <rte_ring.h>

#include "router/ports/long_frames.hpp"

namespace fingerpost::router {
namespace {

constexpr unsigned cache_of_thread = 256;
// Bytes in addition to the packet: an Ethernet header and tags.
constexpr unsigned beside_in_buffer = 64;
// A buffer of af_xdp, including DPDK's header. Page sizes of other machines are multiples of it.
constexpr unsigned xdp_frame = 4'096;

struct pool_form {
    std::string_view name;
    bool in_pages = false; // for af_xdp
    bool is_dense = false; // without gaps in ordinary pages
    std::size_t count = 0;
    std::uint16_t room = 0;

    unsigned flags() const noexcept {
        // Device addresses are contiguous when memory is in ordinary pages, so a buffer may cross a page
        // boundary.
        return (is_dense ? RTE_MEMPOOL_F_NO_IOVA_CONTIG : 0U) | (in_pages ? RTE_MEMPOOL_F_NO_SPREAD : 0U);
    }
    unsigned element() const noexcept { return static_cast<unsigned>(sizeof(rte_mbuf)) + room; }
    std::size_t step() const noexcept { return rte_mempool_calc_obj_size(element(), flags(), nullptr); }
};

std::uint16_t room_in_page() {
    rte_mempool_objsz sizes{};
    (void)rte_mempool_calc_obj_size(0, RTE_MEMPOOL_F_NO_SPREAD, &sizes);
    return static_cast<std::uint16_t>(xdp_frame - sizes.header_size - sizeof(rte_mbuf));
}

// A frame of the longest MTU with a VLAN tag, in one segment.
std::uint16_t room_of_longest(const config& settings) {
    unsigned longest = 0;
    for (const port_config& port : settings.ports)
        if (!takes_by_af_xdp(port))
            longest = std::max({longest, port.mtu, ring_frame_bytes(port)});
    return static_cast<std::uint16_t>(
        std::max<unsigned>(RTE_MBUF_DEFAULT_BUF_SIZE, longest + beside_in_buffer + RTE_PKTMBUF_HEADROOM));
}

// Packets go from any port to any other, so each pool has buffers for all.
std::vector<pool_form> forms_of(const config& settings, const wiring& plan) {
    const std::size_t count =
        settings.memory.mbufs != 0 ? settings.memory.mbufs : buffers_needed(settings, plan);
    const auto is_dense = !settings.memory.huge && std::ranges::all_of(settings.ports, [](const auto& port) {
        return port.is_virtual();
    });
    std::vector<pool_form> forms;
    if (!std::ranges::all_of(settings.ports, takes_by_af_xdp))
        forms.push_back({"packets", false, is_dense, count, room_of_longest(settings)});
    if (std::ranges::any_of(settings.ports, takes_by_af_xdp))
        forms.push_back({"af_xdp_packets", true, false, count, room_in_page()});
    return forms;
}

void free_memory(rte_mempool_memhdr*, void* zone) {
    (void)rte_memzone_free(static_cast<const rte_memzone*>(zone));
}

// Fills one piece of memory with the buffers.
bool fill(rte_mempool& pool, const pool_form& form) {
    rte_pktmbuf_pool_private facts{};
    facts.mbuf_data_room_size = form.room;
    if (rte_mempool_set_ops_byname(&pool, rte_mbuf_best_mempool_ops(), nullptr) != 0)
        return false;
    rte_pktmbuf_pool_init(&pool, &facts);
    const std::string name = fmt::format("{}_memory", form.name);
    const rte_memzone* const memory =
        rte_memzone_reserve_aligned(name.c_str(), form.count * form.step(), SOCKET_ID_ANY,
                                    RTE_MEMZONE_1GB | RTE_MEMZONE_SIZE_HINT_ONLY, xdp_frame);
    if (memory == nullptr)
        return false;
    auto* const start = static_cast<char*>(memory->addr);
    auto* const owner = const_cast<rte_memzone*>(memory);
    const int count =
        form.is_dense
            ? rte_mempool_populate_iova(&pool, start, memory->iova, memory->len, free_memory, owner)
            : rte_mempool_populate_virt(&pool, start, memory->len, memory->hugepage_sz, free_memory, owner);
    if (count <= 0)
        (void)rte_memzone_free(memory);
    if (count != static_cast<int>(form.count))
        return false;
    rte_mempool_obj_iter(&pool, rte_pktmbuf_init, nullptr);
    return true;
}

rte_mempool* make(const pool_form& form) {
    const std::string name(form.name);
    const auto count = static_cast<unsigned>(form.count);
    if (!form.in_pages && !form.is_dense)
        return rte_pktmbuf_pool_create(name.c_str(), count, cache_of_thread, 0, form.room, SOCKET_ID_ANY);
    rte_mempool* const pool =
        rte_mempool_create_empty(name.c_str(), count, form.element(), cache_of_thread,
                                 sizeof(rte_pktmbuf_pool_private), SOCKET_ID_ANY, form.flags());
    if (pool == nullptr || fill(*pool, form))
        return pool;
    rte_mempool_free(pool);
    return nullptr;
}

std::size_t memory_by(const config& settings, const wiring& plan) {
    std::size_t bytes = 0;
    for (const pool_form& form : forms_of(settings, plan)) {
        const std::size_t list = rte_align64pow2(form.count + 1) * sizeof(void*);
        bytes += form.count * form.step() + list + sizeof(rte_mempool_cache) * RTE_MAX_LCORE;
    }
    for (const wired_ring& ring : plan.rings)
        bytes += static_cast<std::size_t>(rte_ring_get_memsize(ring.size));
    return bytes;
}

static_assert(xdp_frame - RTE_MEMPOOL_ALIGN - sizeof(rte_mbuf) - RTE_PKTMBUF_HEADROOM >=
              longest_by_af_xdp + beside_in_xdp_frame);

} // namespace

std::size_t packet_memory(const config& settings) {
    std::size_t most = 0;
    for (const wiring& plan : possible_wirings(settings))
        most = std::max(most, memory_by(settings, plan));
    return most;
}

expected<packet_pools, std::string> packet_pools::create(const config& settings, const wiring& plan) {
    packet_pools pools;
    std::vector<pool_form> forms = forms_of(settings, plan);
    for (const pool_form& form : forms) {
        pools.pools_.emplace_back(make(form));
        if (!pools.pools_.back())
            return unexpected{fmt::format("not enough memory for {} packet buffers: raise memory.megabytes "
                                          "or lower queues, rings and descriptors",
                                          form.count)};
    }
    for (const port_config& port : settings.ports) {
        const bool in_pages = takes_by_af_xdp(port);
        const auto form = std::ranges::find(forms, in_pages, &pool_form::in_pages);
        pools.by_port_.push_back(static_cast<std::size_t>(form - forms.begin()));
        pools.longest_.push_back(in_pages ? longest_by_af_xdp
                                          : form->room - RTE_PKTMBUF_HEADROOM - beside_in_buffer);
    }
    return pools;
}

std::size_t packet_pools::size() const noexcept {
    std::size_t sum = 0;
    for (const auto& pool : pools_)
        sum += pool->size;
    return sum;
}

std::size_t packet_pools::in_use() const noexcept {
    std::size_t sum = 0;
    for (const auto& pool : pools_)
        sum += rte_mempool_in_use_count(pool.get());
    return sum;
}

} // namespace fingerpost::router
