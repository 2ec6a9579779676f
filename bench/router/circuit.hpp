// Two ports that packets go round through for ever: what is sent by either comes in again, at whichever port
// is polled next. So a benchmark needs no other thread that makes packets, and none is between a router and
// its limits.
//
//      closed   every packet comes in again at once: a router works as fast as it can
//      open     packets come in at given times, as from a network of that load. They wait in `queue_length`
//               places, as in the descriptors of a card; what finds no place is lost
//
// On the way round a packet gets the destination that is next in the trace, a new hop limit, and the MAC
// address of the ports. That is done while its first cache line is in the cache anyway, and costs every
// router the same. Packets come in with a hash, as a card that spreads flows over queues gives them one.
//
// One thread sends and one receives. Open, these two are one.
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

#include "bench/router/packets.hpp"
#include "fingerpost/base/expected.hpp"

namespace fingerpost::bench {

inline constexpr unsigned circuit_packets = 4096;
inline constexpr unsigned queue_length = 2048; // of both ports together

// Without a family: devices, times and counts. One at a time in a process.
class circuit {
  public:
    virtual ~circuit();
    circuit(const circuit&) = delete;
    circuit& operator=(const circuit&) = delete;

    std::span<const std::uint16_t> devices() const noexcept { return devices_; }
    rte_mempool& pool() noexcept { return *pool_; }

    // While nobody receives or sends. Brings all packets back to the start.
    void close() noexcept;
    // From the first time that somebody receives on, `rate` packets a second.
    void open(double rate) noexcept;
    // Closes the circuit from the first address of the trace on. What comes round is compared with
    // `gateways`: the gateway's number for each address of the trace, as far as it goes. nullptr ends it.
    void check(const std::vector<std::uint32_t>* gateways) noexcept;

    // By any thread, at any time.
    std::uint64_t sent() const noexcept { return sent_.load(std::memory_order_relaxed); }
    // While nobody receives or sends: packets that are not in the circuit any more since close() or open(),
    // those that found no place, and those that went to another gateway than they should have.
    unsigned missing() const noexcept;
    std::uint64_t lost() const noexcept { return lost_; }
    std::uint64_t wrong() const noexcept { return wrong_; }
    // Microseconds from when each packet came in to when it was sent, for the first millions of them.
    std::vector<double> delays_us() const;

  protected:
    circuit() = default;
    errc make();
    virtual void fill(rte_mbuf& packet) noexcept = 0;

    std::atomic<std::uint64_t> sent_{0};
    std::uint32_t next_ = 0; // in the trace
    const std::vector<std::uint32_t>* gateways_ = nullptr;
    std::uint64_t wrong_ = 0;

    // Of packets that have been sent while the circuit is open.
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

    // Open: packets that have been round and wait for their time, oldest first.
    std::array<rte_mbuf*, circuit_packets> waiting_{};
    std::uint64_t waiting_first_ = 0;
    std::uint64_t waiting_end_ = 0;
    double cycles_between_ = 0;
    std::uint64_t start_ = 0; // when the first packet came in
    std::uint64_t come_in_ = 0;
    std::uint64_t lost_ = 0;
    std::vector<std::uint32_t> delays_; // cycles
};

template <class A>
class circuit_for : public circuit {
  public:
    // Closes the circuit with these destinations, all of which is_forwarded() is true of; at least one.
    virtual void play(std::span<const A> trace) = 0;
};

template <class A>
expected<std::unique_ptr<circuit_for<A>>> make_circuit() noexcept;

} // namespace fingerpost::bench
