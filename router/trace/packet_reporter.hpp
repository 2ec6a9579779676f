// Describes the record of a trace, using the current tables. For the control thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "router/threads/engine.hpp"
#include "router/trace/packet_report.hpp"
#include "router/watch/trace_record.hpp"

namespace fingerpost::router {

// Converts cycles of the time stamp counter to times.
class cycle_clock {
  public:
    cycle_clock();
    // Nanoseconds since 1970.
    std::uint64_t time(std::uint64_t cycles) const noexcept;
    std::uint64_t nanoseconds(std::uint64_t cycles) const noexcept;

  private:
    std::uint64_t begin_cycles_;
    std::uint64_t begin_time_; // nanoseconds since 1970
    double per_cycle_;         // nanoseconds
};

class packet_reporter {
  public:
    // Fails with errc::out_of_memory. `ports` are the names of the ports. The engine must outlive this
    // object.
    static expected<packet_reporter> create(engine& of, std::vector<std::string> ports) noexcept;

    // Throws std::bad_alloc.
    packet_report describe(const trace_record& record);
    std::string port_name(std::uint16_t port) const;
    const cycle_clock& clock() const noexcept { return clock_; }

  private:
    packet_reporter(engine& of, std::vector<std::string> ports) : engine_(&of), ports_(std::move(ports)) {}

    packet_facts facts_of(const trace_record& record) const;
    packet_facts facts_of(const trace_record& record, const trace_event& event, packet_report& into);
    void add_lookup(const trace_record& record, const trace_event& event, packet_facts& facts,
                    packet_report& into);
    template <class A>
    void add_route(const family_table<A>& routes, ip_reader& by, A address, const trace_event& event,
                   packet_facts& facts, packet_report& into);
    void add_hop(const trace_event& event, packet_facts& facts) const;
    std::string via(next_hop hop) const;

    engine* engine_;
    std::vector<std::string> ports_;
    std::vector<ip_reader> readers_; // by VRF number
    const newest<vrf_map>* vrfs_ = nullptr;
    cycle_clock clock_;
};

} // namespace fingerpost::router
