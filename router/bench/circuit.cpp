// Opens the ports and keeps packets circulating.
#include "router/bench/circuit.hpp"

#include <algorithm>

#include <rte_cycles.h>
#include <rte_eth_ring.h>
#include <rte_mbuf_dyn.h>

#include "fingerpost/base/reason.hpp"

namespace fingerpost::bench {
namespace {

constexpr std::size_t most_delays = std::size_t{1} << 22;
constexpr std::uint16_t room = RTE_PKTMBUF_HEADROOM + 128;

// Where a packet stores its arrival time.
int stamp_offset() {
    static const int offset = [] {
        rte_mbuf_dynfield field{};
        const std::string name = "fingerpost_bench_time";
        name.copy(field.name, sizeof field.name - 1);
        field.size = sizeof(std::uint64_t);
        field.align = alignof(std::uint64_t);
        return rte_mbuf_dynfield_register(&field);
    }();
    return offset;
}

std::uint64_t& stamp_of(rte_mbuf& packet) noexcept {
    return *RTE_MBUF_DYNFIELD(&packet, stamp_offset(), std::uint64_t*);
}

int make_device(const std::string& name, rte_ring* ring, rte_mempool* pool) {
    const int device = rte_eth_from_rings(name.c_str(), &ring, 1, &ring, 1, 0);
    if (device < 0)
        return device;
    const auto number = static_cast<std::uint16_t>(device);
    const rte_eth_conf plain{};
    if (rte_eth_dev_configure(number, 1, 1, &plain) != 0 ||
        rte_eth_rx_queue_setup(number, 0, 512, 0, nullptr, pool) != 0 ||
        rte_eth_tx_queue_setup(number, 0, 512, 0, nullptr) != 0 || rte_eth_dev_start(number) != 0)
        return -1;
    return device;
}

template <class A>
class circuit_of final : public circuit_for<A> {
  public:
    circuit_of() : frame_(make_frame<A>()), trace_(1) {}
    errc open_ports() { return this->make(); }
    void play(std::span<const A> trace) override {
        trace_.clear();
        trace_.reserve(trace.size());
        for (const A a : trace)
            trace_.push_back(on_the_wire(a));
        next_ = 0;
        this->close();
    }

  private:
    using circuit::gateways_;
    using circuit::next_;
    using circuit::sent_;

    void fill(rte_mbuf& packet) noexcept override {
        rte_pktmbuf_reset(&packet);
        packet.data_len = frame_bytes;
        packet.pkt_len = frame_bytes;
        packet.ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
        auto* const bytes = rte_pktmbuf_mtod(&packet, std::uint8_t*);
        std::memcpy(bytes, frame_.data(), frame_bytes);
        send_round(packet, bytes);
    }
    // Turns a sent packet into an arriving one.
    void send_round(rte_mbuf& packet, std::uint8_t* bytes) noexcept {
        trace_[next_].write(bytes);
        write_number(bytes, next_);
        std::memcpy(bytes, &port_mac, sizeof port_mac);
        packet.hash.rss = next_ * 0x9e3779b1;
        next_ = next_ + 1 == trace_.size() ? 0 : next_ + 1;
    }
    rte_tx_callback_fn turn() const noexcept override {
        return [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t count, void* self) {
            static_cast<circuit_of*>(self)->turn_round({packets, count});
            return count;
        };
    }
    void turn_round(std::span<rte_mbuf* const> packets) noexcept {
        if (this->is_open_)
            this->note_delays(packets);
        if (gateways_ != nullptr)
            compare(packets);
        for (rte_mbuf* const packet : packets)
            send_round(*packet, rte_pktmbuf_mtod(packet, std::uint8_t*));
        sent_.store(sent_.load(std::memory_order_relaxed) + packets.size(), std::memory_order_relaxed);
    }
    void compare(std::span<rte_mbuf* const> packets) noexcept {
        for (rte_mbuf* const packet : packets) {
            const auto* const bytes = rte_pktmbuf_mtod(packet, const std::uint8_t*);
            const std::uint32_t number = number_of(bytes);
            this->wrong_ += number < gateways_->size() && gateway_of(bytes) != (*gateways_)[number];
        }
    }

    frame_data frame_;
    std::vector<wire_address<A>> trace_;
};

} // namespace

errc circuit::make() {
    if (stamp_offset() < 0)
        return errc::unsupported;
    pool_.reset(rte_pktmbuf_pool_create("circuit", 2 * circuit_packets - 1, 0, 0, room, SOCKET_ID_ANY));
    ring_.reset(
        rte_ring_create("circuit", 2 * circuit_packets, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ));
    if (!pool_ || !ring_)
        return errc::out_of_memory;
    // DPDK keeps the names of closed devices.
    static std::atomic<unsigned> device_count{0};
    for (int i = 0; i < 2; ++i) {
        const std::string name = "bench" + std::to_string(device_count++);
        const int device = make_device(name, ring_.get(), pool_.get());
        if (device < 0)
            return errc::out_of_memory;
        devices_.push_back(static_cast<std::uint16_t>(device));
        turns_.push_back(rte_eth_add_tx_callback(devices_.back(), 0, turn(), this));
        if (turns_.back() == nullptr)
            return errc::unsupported;
    }
    delays_.reserve(most_delays);
    close();
    return missing() == 0 ? errc::ok : errc::out_of_memory;
}

circuit::~circuit() {
    remove_gates();
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        const std::uint16_t device = devices_[i];
        // Otherwise the next device with this number would have it, too.
        if (turns_[i] != nullptr)
            rte_eth_remove_tx_callback(device, 0, turns_[i]);
        rte_eth_dev_stop(device);
        rte_eth_dev_close(device);
    }
    if (ring_)
        empty();
}

void circuit::empty() noexcept {
    void* packet = nullptr;
    while (rte_ring_dequeue(ring_.get(), &packet) == 0)
        rte_pktmbuf_free(static_cast<rte_mbuf*>(packet));
    while (waiting_first_ != waiting_end_)
        rte_pktmbuf_free(waiting_[waiting_first_++ % circuit_packets]);
}

void circuit::remove_gates() noexcept {
    for (std::size_t i = 0; i < devices_.size(); ++i)
        if (const auto* const gate = std::exchange(gates_[i], nullptr))
            rte_eth_remove_rx_callback(devices_[i], 0, gate);
}

void circuit::close() noexcept {
    remove_gates();
    empty();
    is_open_ = false;
    lost_ = wrong_ = 0;
    for (unsigned i = 0; i < circuit_packets; ++i) {
        rte_mbuf* const packet = rte_pktmbuf_alloc(pool_.get());
        if (packet == nullptr)
            return;
        fill(*packet);
        rte_ring_enqueue(ring_.get(), packet);
    }
}

void circuit::open(double rate) noexcept {
    close();
    is_open_ = true;
    cycles_between_ = static_cast<double>(rte_get_tsc_hz()) / rate;
    start_ = come_in_ = 0;
    delays_.clear();
    for (std::size_t i = 0; i < devices_.size(); ++i)
        gates_[i] = rte_eth_add_rx_callback(devices_[i], 0, let_in, this);
}

void circuit::check(const std::vector<std::uint32_t>* gateways) noexcept {
    gateways_ = gateways;
    next_ = 0;
    close();
}

unsigned circuit::missing() const noexcept {
    const auto there = rte_ring_count(ring_.get()) + static_cast<unsigned>(waiting_end_ - waiting_first_);
    return circuit_packets - std::min(there, circuit_packets);
}

// Number of packets that should be waiting to be received. Packets without a place are counted as lost.
unsigned circuit::due() noexcept {
    const std::uint64_t now = rte_rdtsc();
    if (start_ == 0)
        start_ = now;
    const auto arrived = static_cast<std::uint64_t>(static_cast<double>(now - start_) / cycles_between_);
    const std::uint64_t late = arrived - std::min(arrived, come_in_ + lost_);
    if (late > queue_length)
        lost_ += late - queue_length;
    return static_cast<unsigned>(std::min<std::uint64_t>(late, queue_length));
}

std::uint16_t circuit::let_in(std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t count,
                              std::uint16_t most, void* self) {
    circuit& on = *static_cast<circuit*>(self);
    for (std::uint16_t i = 0; i < count; ++i)
        on.waiting_[on.waiting_end_++ % circuit_packets] = packets[i];
    const auto waiting = static_cast<unsigned>(on.waiting_end_ - on.waiting_first_);
    const unsigned admitted = std::min({on.due(), waiting, unsigned{most}});
    for (unsigned i = 0; i < admitted; ++i) {
        packets[i] = on.waiting_[on.waiting_first_++ % circuit_packets];
        const double place = static_cast<double>(on.lost_ + on.come_in_++) * on.cycles_between_;
        stamp_of(*packets[i]) = on.start_ + static_cast<std::uint64_t>(place);
    }
    return static_cast<std::uint16_t>(admitted);
}

void circuit::note_delays(std::span<rte_mbuf* const> packets) noexcept {
    const std::uint64_t now = rte_rdtsc();
    for (rte_mbuf* const packet : packets) {
        if (delays_.size() == most_delays)
            return;
        const std::uint64_t since = now - std::min(now, stamp_of(*packet));
        delays_.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(since, ~std::uint32_t{0})));
    }
}

std::vector<double> circuit::delays_us() const {
    const double a_microsecond = static_cast<double>(rte_get_tsc_hz()) / 1e6;
    std::vector<double> delays;
    delays.reserve(delays_.size());
    for (const std::uint32_t cycles : delays_)
        delays.push_back(cycles / a_microsecond);
    return delays;
}

template <class A>
expected<std::unique_ptr<circuit_for<A>>> make_circuit() noexcept try {
    auto created = std::make_unique<circuit_of<A>>();
    if (const errc fault = created->open_ports(); fault != errc::ok)
        return unexpected{fault};
    return std::unique_ptr<circuit_for<A>>(std::move(created));
} catch (...) {
    return unexpected{reason_of_exception()};
}

template expected<std::unique_ptr<circuit_for<ipv4_address>>> make_circuit() noexcept;
template expected<std::unique_ptr<circuit_for<ipv6_address>>> make_circuit() noexcept;

} // namespace fingerpost::bench
