// Two ports between which packets circulate forever: a packet sent on either port arrives again at the port
// that is polled next. A benchmark therefore needs no other thread that generates packets, and no such thread
// can limit a router.
//
//   closed  every packet arrives again immediately: a router works as fast as it can
//   open    packets arrive at given times, as from a network with that load. They wait in `queue_length`
//           places, like the descriptors of a card; packets without a place are lost
//
// On its way round, a packet gets the next destination of the trace, a new hop limit, and the MAC address of
// the ports. This happens while its first cache line is in the cache anyway, and costs the same for every
// router. Packets arrive with a hash, as from a card that distributes flows over queues.
//
// One thread sends and one receives. If the circuit is open, they must be the same thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include "fingerpost/base/expected.hpp"
#include "router/bench/packets.hpp"

namespace fingerpost::bench {

inline constexpr unsigned circuit_packets = 4096;
inline constexpr unsigned queue_length = 2048; // of both ports together

// The part that does not depend on the address family: devices, times and counts. Only one can exist in a
// process at a time.
class circuit {
  public:
    virtual ~circuit();
    circuit(const circuit&) = delete;
    circuit& operator=(const circuit&) = delete;

    std::span<const std::uint16_t> devices() const noexcept { return devices_; }
    rte_mempool& pool() noexcept { return *pool_; }

    // Only while no thread receives or sends. Returns all packets to the start.
    void close() noexcept;
    // From the first receive on, `rate` packets arrive per second.
    void open(double rate) noexcept;
    // Closes the circuit at the first address of the trace. Returning packets are compared with `gateways`:
    // the number of the gateway for each address of the trace, up to the length of the list. nullptr ends the
    // comparison.
    void check(const std::vector<std::uint32_t>* gateways) noexcept;

    // May be called by any thread, at any time.
    std::uint64_t sent() const noexcept { return sent_.load(std::memory_order_relaxed); }
    // Only while no thread receives or sends: the number of packets that have left the circuit since close()
    // or open(), of packets without a place, and of packets sent to a wrong gateway.
    unsigned missing() const noexcept;
    std::uint64_t lost() const noexcept { return lost_; }
    std::uint64_t wrong() const noexcept { return wrong_; }
    // Microseconds from arrival to sending, for the first millions of packets.
    std::vector<double> delays_us() const;

  protected:
    circuit() = default;
    errc make();
    virtual void fill(rte_mbuf& packet) noexcept = 0;

    std::atomic<std::uint64_t> sent_{0};
    std::uint32_t next_ = 0; // position in the trace
    const std::vector<std::uint32_t>* gateways_ = nullptr;
    std::uint64_t wrong_ = 0;

    // For packets sent while the circuit is open.
    void note_delays(std::span<rte_mbuf* const> packets) noexcept;
    bool is_open_ = false;

  private:
    struct free_pool {
        void operator()(rte_mempool* pool) const noexcept { rte_mempool_free(pool); }
    };
    struct free_ring {
        void operator()(rte_ring* ring) const noexcept { rte_ring_free(ring); }
    };
    virtual rte_tx_callback_fn turn() const noexcept = 0;
    static std::uint16_t let_in(std::uint16_t device, std::uint16_t queue, rte_mbuf** packets,
                                std::uint16_t count, std::uint16_t most, void* self);
    unsigned due() noexcept;
    void empty() noexcept;
    void remove_gates() noexcept;

    std::unique_ptr<rte_mempool, free_pool> pool_;
    std::unique_ptr<rte_ring, free_ring> ring_;
    std::vector<std::uint16_t> devices_;
    std::vector<const rte_eth_rxtx_callback*> turns_;
    std::array<const rte_eth_rxtx_callback*, 2> gates_{};

    // If open: circulated packets that wait for their time, oldest first.
    std::array<rte_mbuf*, circuit_packets> waiting_{};
    std::uint64_t waiting_first_ = 0;
    std::uint64_t waiting_end_ = 0;
    double cycles_between_ = 0;
    std::uint64_t start_ = 0; // arrival of the first packet
    std::uint64_t come_in_ = 0;
    std::uint64_t lost_ = 0;
    std::vector<std::uint32_t> delays_; // in cycles
};

template <class A>
class circuit_for : public circuit {
  public:
    // Closes the circuit with these destinations. There must be at least one, and is_forwarded() must be true
    // for all.
    virtual void play(std::span<const A> trace) = 0;
};

template <class A>
expected<std::unique_ptr<circuit_for<A>>> make_circuit() noexcept;

} // namespace fingerpost::bench
