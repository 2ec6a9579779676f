// The loop, for any table.
#include "router/bench/plain_loop.hpp"

#include <array>
#include <atomic>
#include <cassert>
#include <vector>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_prefetch.h>

#include "lab/competitors/linked/dpdk_fib.hpp"
#include "router/packet/inspect_burst.hpp"

namespace fingerpost::bench {
namespace {

using router::most_in_burst;

constexpr std::uint16_t ports = 2;
constexpr unsigned prefetched = 4; // packets ahead

// How to read a destination, depending on the table's address type.
template <class Address>
struct header;

template <>
struct header<network_bytes> {
    static constexpr rte_be16_t type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
    static network_bytes destination(const std::uint8_t* frame) noexcept {
        network_bytes read;
        std::memcpy(&read, frame + 38, sizeof read);
        return read;
    }
};
template <>
struct header<ipv6_address> {
    static constexpr rte_be16_t type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
    static ipv6_address destination(const std::uint8_t* frame) noexcept {
        std::uint64_t halves[2];
        std::memcpy(halves, frame + 38, sizeof halves);
        return {static_cast<u128>(rte_be_to_cpu_64(halves[0])) << 64 | rte_be_to_cpu_64(halves[1])};
    }
};
template <>
struct header<ipv4_address> {
    static constexpr rte_be16_t type = RTE_BE16(RTE_ETHER_TYPE_IPV4);
    static ipv4_address destination(const std::uint8_t* frame) noexcept {
        rte_be32_t word;
        std::memcpy(&word, frame + 30, sizeof word);
        return {rte_be_to_cpu_32(word)};
    }
};

void count_hop(std::uint8_t* frame, rte_be16_t type) noexcept {
    if (type == RTE_BE16(RTE_ETHER_TYPE_IPV6)) {
        --frame[21];
        return;
    }
    auto* const ip = reinterpret_cast<rte_ipv4_hdr*>(frame + sizeof(rte_ether_hdr));
    --ip->time_to_live;
    ++ip->hdr_checksum;
}

// `Table` has a type `address` and lookup(std::span<const address>, std::uint32_t*), which returns gateways.
template <class Table>
class plain_loop final : public router_competitor {
  public:
    plain_loop(circuit& on, Table table, std::uint32_t gateways, unsigned burst)
        : table_(std::move(table)), burst_(static_cast<std::uint16_t>(burst)) {
        assert(burst <= most_in_burst);
        std::copy_n(on.devices().begin(), ports, devices_.begin());
        for (std::uint32_t i = 0; i < gateways; ++i) {
            auto& macs = macs_.emplace_back();
            const rte_ether_addr to = gateway_mac(i);
            std::memcpy(macs.data(), &to, sizeof to);
            std::memcpy(macs.data() + sizeof to, &port_mac, sizeof port_mac);
        }
    }

    bool start() noexcept override {
        stop_.store(false);
        return rte_eal_remote_launch(run, this, 1) == 0;
    }
    void stop() noexcept override {
        stop_.store(true);
        rte_eal_wait_lcore(1);
    }
    std::size_t memory_bytes() const noexcept override { return table_.memory_bytes(); }

  private:
    using address = typename Table::address;

    static int run(void* self) {
        auto& loop = *static_cast<plain_loop*>(self);
        while (!loop.stop_.load(std::memory_order_relaxed))
            for (const std::uint16_t device : loop.devices_)
                loop.forward(device);
        return 0;
    }
    void forward(std::uint16_t device) noexcept {
        std::array<rte_mbuf*, most_in_burst> packets;
        const unsigned count = rte_eth_rx_burst(device, 0, packets.data(), burst_);
        if (count == 0)
            return;
        std::array<address, most_in_burst> destinations;
        const auto frame_of = [&](unsigned i) { return rte_pktmbuf_mtod(packets[i], std::uint8_t*); };
        for (unsigned i = 0; i < std::min(prefetched, count); ++i)
            rte_prefetch0(frame_of(i));
        for (unsigned i = 0; i < count; ++i) {
            if (i + prefetched < count)
                rte_prefetch0(frame_of(i + prefetched));
            destinations[i] = header<address>::destination(frame_of(i));
        }
        std::array<std::uint32_t, most_in_burst> gateways;
        table_.lookup(std::span<const address>(destinations.data(), count), gateways.data());
        for (unsigned i = 0; i < count; ++i)
            send(packets[i], frame_of(i), gateways[i]);
        for (std::uint16_t port = 0; port < ports; ++port)
            flush(port);
    }
    void send(rte_mbuf* packet, std::uint8_t* frame, std::uint32_t gateway) noexcept {
        rte_be16_t type;
        std::memcpy(&type, frame + 12, sizeof type);
        if (unlikely(type != header<address>::type || gateway >= macs_.size())) {
            rte_pktmbuf_free(packet);
            return;
        }
        std::memcpy(frame, macs_[gateway].data(), 2 * sizeof(rte_ether_addr));
        count_hop(frame, type);
        list& to = lists_[gateway & 1];
        to.packets[to.count++] = packet;
    }
    void flush(std::uint16_t port) noexcept {
        list& from = lists_[port];
        if (from.count == 0)
            return;
        const std::uint16_t sent = rte_eth_tx_burst(devices_[port], 0, from.packets.data(), from.count);
        rte_pktmbuf_free_bulk(from.packets.data() + sent, from.count - sent);
        from.count = 0;
    }

    struct list {
        std::uint16_t count = 0;
        std::array<rte_mbuf*, most_in_burst> packets;
    };

    Table table_;
    std::uint16_t burst_;
    std::array<std::uint16_t, ports> devices_{};
    std::array<list, ports> lists_;
    // By gateway: the first 12 bytes of a frame, padded to 16 so that none crosses a cache line.
    std::vector<std::array<std::uint8_t, 16>> macs_;
    std::atomic<bool> stop_{false};
};

template <class Fib>
struct dpdk_table {
    using address = typename Fib::native;

    void lookup(std::span<const address> in, std::uint32_t* out) const noexcept {
        alignas(64) std::array<std::uint64_t, most_in_burst> wide;
        fib->lookup_native(in, wide.data());
        for (std::size_t i = 0; i < in.size(); ++i)
            out[i] = static_cast<std::uint32_t>(wide[i]);
    }
    std::size_t memory_bytes() const noexcept { return fib->memory_bytes(); }

    std::unique_ptr<Fib> fib;
};
static_assert(most_in_burst <= chunk);

template <class A>
struct scheme_table {
    using address = A;

    void lookup(std::span<const A> in, std::uint32_t* out) const noexcept {
        static_assert(sizeof(next_hop) == sizeof *out);
        std::array<next_hop, most_in_burst> hops;
        fib->lookup(in, hops);
        std::memcpy(out, hops.data(), in.size() * sizeof *out);
    }
    std::size_t memory_bytes() const noexcept { return fib->memory_bytes(); }

    fib_pointer<A> fib;
};

using loop_or_error = expected<std::unique_ptr<router_competitor>, std::string>;

template <class A>
routes<A> table_of(std::span<const route<A>> sorted) {
    return routes<A>(std::vector<route<A>>(sorted.begin(), sorted.end()));
}

template <class Fib, class A>
loop_or_error dpdk_loop(circuit& on, std::span<const route<A>> sorted, std::uint32_t gateways,
                        unsigned burst) {
    auto built = Fib::build(table_of(sorted), {});
    if (!built)
        return unexpected{std::string(message(built.error()))};
    dpdk_table<Fib> table{std::make_unique<Fib>(std::move(*built))};
    return std::unique_ptr<router_competitor>(
        std::make_unique<plain_loop<dpdk_table<Fib>>>(on, std::move(table), gateways, burst));
}

bool has_avx512() {
    return simd::preferred_isa() == simd::isa::avx512;
}

} // namespace

template <>
loop_or_error make_dpdk_loop(circuit& on, std::span<const route<ipv4_address>> sorted, std::uint32_t gateways,
                             unsigned burst) {
    return has_avx512() ? dpdk_loop<dpdk_fib<dir24_8, RTE_FIB_LOOKUP_DIR24_8_VECTOR_AVX512>>(on, sorted,
                                                                                             gateways, burst)
                        : dpdk_loop<dpdk_fib<dir24_8, RTE_FIB_LOOKUP_DIR24_8_SCALAR_MACRO>>(on, sorted,
                                                                                            gateways, burst);
}

template <>
loop_or_error make_dpdk_loop(circuit& on, std::span<const route<ipv6_address>> sorted, std::uint32_t gateways,
                             unsigned burst) {
    return has_avx512()
               ? dpdk_loop<dpdk_fib<trie, RTE_FIB6_LOOKUP_TRIE_VECTOR_AVX512>>(on, sorted, gateways, burst)
               : dpdk_loop<dpdk_fib<trie, RTE_FIB6_LOOKUP_TRIE_SCALAR>>(on, sorted, gateways, burst);
}

template <class A>
loop_or_error make_scheme_loop(circuit& on, std::span<const route<A>> sorted, std::uint32_t gateways,
                               const scheme_entry<A>& scheme, unsigned burst) {
    auto built = scheme.build(table_of(sorted), {});
    if (!built)
        return unexpected{std::string(message(built.error()))};
    return std::unique_ptr<router_competitor>(std::make_unique<plain_loop<scheme_table<A>>>(
        on, scheme_table<A>{std::move(*built)}, gateways, burst));
}

template loop_or_error make_scheme_loop(circuit&, std::span<const route<ipv4_address>>, std::uint32_t,
                                        const scheme_entry<ipv4_address>&, unsigned);
template loop_or_error make_scheme_loop(circuit&, std::span<const route<ipv6_address>>, std::uint32_t,
                                        const scheme_entry<ipv6_address>&, unsigned);

} // namespace fingerpost::bench
