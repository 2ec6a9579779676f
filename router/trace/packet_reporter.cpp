// Parses headers again, finds the routes of addresses, and traces lookups in the FIB.
#include "router/trace/packet_reporter.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <rte_cycles.h>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/net/text.hpp"
#include "router/packet/icmp.hpp"
#include "router/packet/mac_text.hpp"
#include "router/trace/check_report.hpp"

namespace fingerpost::router {
namespace {

void add(packet_facts& to, const char* name, std::string text) {
    to.emplace_back(name, std::move(text));
}
void add(packet_facts& to, const char* name, std::string_view text) {
    to.emplace_back(name, std::string(text));
}
void add(packet_facts& to, const char* name, std::uint64_t number) {
    to.emplace_back(name, number);
}

void add_link(packet_facts& to, const record_headers& read) {
    if (read.ethernet == nullptr)
        return;
    add(to, "ethernet_source", mac_text(read.ethernet->src_addr.addr_bytes));
    add(to, "ethernet_destination", mac_text(read.ethernet->dst_addr.addr_bytes));
}

void add_addresses(packet_facts& to, const record_headers& read) {
    if (read.ipv4 != nullptr) {
        add(to, "source", to_string(ipv4_from(read.ipv4->src_addr)));
        add(to, "destination", to_string(ipv4_from(read.ipv4->dst_addr)));
        add(to, "protocol", std::uint64_t{read.ipv4->next_proto_id});
        add(to, "ttl", std::uint64_t{read.ipv4->time_to_live});
    } else if (read.ipv6 != nullptr) {
        add(to, "source", to_string(ipv6_from(read.ipv6->src_addr)));
        add(to, "destination", to_string(ipv6_from(read.ipv6->dst_addr)));
        add(to, "protocol", std::uint64_t{read.ipv6->proto});
        add(to, "ttl", std::uint64_t{read.ipv6->hop_limits});
    } else {
        add(to, "ethernet_type", std::uint64_t{rte_be_to_cpu_16(read.type)});
    }
}

// For TCP, UDP and similar protocols, unless the packet is a later fragment.
void add_ports(packet_facts& to, const record_headers& read, const trace_record& record) {
    std::size_t start = read.link + sizeof(rte_ipv6_hdr);
    std::uint8_t protocol = read.ipv6 != nullptr ? read.ipv6->proto : std::uint8_t{0};
    if (read.ipv4 != nullptr) {
        if ((read.ipv4->fragment_offset & RTE_BE16(RTE_IPV4_HDR_OFFSET_MASK)) != 0)
            return;
        start = read.link + rte_ipv4_hdr_len(read.ipv4);
        protocol = read.ipv4->next_proto_id;
    }
    if (!detail::has_ports(protocol) || start + 4 > record.head_bytes)
        return;
    const auto port_at = [&](std::size_t at) {
        return std::uint64_t{rte_be_to_cpu_16(detail::load<rte_be16_t>(record.head.data() + at))};
    };
    add(to, "source_port", port_at(start));
    add(to, "destination_port", port_at(start + 2));
}

std::string_view name_of(icmp_error what) noexcept {
    switch (what) {
    case icmp_error::time_exceeded:
        return "time exceeded";
    case icmp_error::no_route:
        return "no route";
    case icmp_error::host_unreachable:
        return "host unreachable";
    case icmp_error::prohibited:
        return "prohibited";
    case icmp_error::too_big:
        return "too big";
    }
    return "unknown";
}

std::string_view name_of(trace_step_kind what) noexcept {
    switch (what) {
    case trace_step_kind::checked:
        return "checked";
    case trace_step_kind::looked_up:
        return "looked up";
    case trace_step_kind::looked_up_again:
        return "looked up again";
    case trace_step_kind::to_host:
        return "host thread";
    case trace_step_kind::answered:
        return "answered";
    case trace_step_kind::waits:
        return "waits";
    case trace_step_kind::fragmented:
        return "fragmented";
    case trace_step_kind::sent:
        return "sent";
    case trace_step_kind::to_kernel:
        return "to kernel";
    case trace_step_kind::dropped:
        return "dropped";
    }
    return "unknown";
}

void add_reason(packet_facts& to, drop_reason why) {
    add(to, "reason", facts_of(why).name);
    add(to, "sentence", facts_of(why).sentence);
}

lookup_step copy_of(const trace_step& step) {
    return {.part = std::string(step.part),
            .at = reinterpret_cast<std::uintptr_t>(step.at),
            .offset = step.offset,
            .bytes = step.bytes,
            .first_bit = step.first_bit,
            .bits = step.bits,
            .with = step.with,
            .key = step.key,
            .values = {step.values.begin(), step.values.end()},
            .result = step.result,
            .counted = step.counted,
            .matched = step.matched,
            .matched_part = std::string(step.matched ? step.matched->part : std::string_view()),
            .has_best = step.best != next_hop::none};
}

} // namespace

cycle_clock::cycle_clock()
    : begin_cycles_(rte_rdtsc()),
      begin_time_(static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                 std::chrono::system_clock::now().time_since_epoch())
                                                 .count())),
      per_cycle_(1e9 / static_cast<double>(rte_get_tsc_hz())) {}

std::uint64_t cycle_clock::nanoseconds(std::uint64_t cycles) const noexcept {
    return static_cast<std::uint64_t>(static_cast<double>(cycles) * per_cycle_);
}
std::uint64_t cycle_clock::time(std::uint64_t cycles) const noexcept {
    const auto since = static_cast<std::int64_t>(cycles - begin_cycles_);
    return begin_time_ +
           static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<double>(since) * per_cycle_));
}

expected<packet_reporter> packet_reporter::create(engine& of, std::vector<std::string> ports) noexcept try {
    packet_reporter created(of, std::move(ports));
    forwarding_view view = of.tables().view();
    view.others.insert(view.others.begin(), view.routes);
    for (ip_table* const table : view.others) {
        auto by = table->reader();
        if (!by)
            return unexpected{by.error()};
        created.readers_.push_back(std::move(*by));
    }
    created.vrfs_ = view.vrfs;
    return created;
} catch (...) {
    return unexpected{reason_of_exception()};
}

packet_report packet_reporter::describe(const trace_record& record) {
    packet_report result;
    result.facts = facts_of(record);
    const std::uint64_t begin = record.history[0].cycles;
    for (std::size_t i = 0; i < record.events; ++i) {
        const trace_event& event = record.history[i];
        packet_event& entry = result.events.emplace_back();
        entry.what = name_of(event.what);
        entry.thread = engine_->plan().threads[event.thread].name;
        // Counters of different cores may differ by a few cycles.
        entry.after = clock_.nanoseconds(std::max(event.cycles, begin) - begin);
        entry.facts = facts_of(record, event, result);
    }
    return result;
}

packet_facts packet_reporter::facts_of(const trace_record& record) const {
    const record_headers read = headers_of(record.head.data(), record.head_bytes);
    packet_facts facts;
    add(facts, "number", record.number);
    add(facts, "time_ns", clock_.time(record.history[0].cycles));
    add(facts, "port", port_name(record.port));
    add(facts, "queue", std::uint64_t{record.queue});
    add(facts, "length", std::uint64_t{record.length});
    add_link(facts, read);
    add(facts, "vlan", std::uint64_t{record.tag_was_removed ? record.vlan : read.vlan});
    add_addresses(facts, read);
    add_ports(facts, read, record);
    return facts;
}

packet_facts packet_reporter::facts_of(const trace_record& record, const trace_event& event,
                                       packet_report& into) {
    packet_facts facts;
    switch (event.what) {
    case trace_step_kind::checked: {
        const auto what = static_cast<verdict>(event.detail);
        const auto why = what == verdict::drop ? static_cast<drop_reason>(event.first) : drop_reason{};
        const check_report checks = checks_of(record, what, why);
        add(facts, "verdict",
            std::string_view(what == verdict::drop   ? "drop"
                             : what == verdict::host ? "kernel"
                                                     : "forward"));
        add(facts, "passed", checks.passed);
        if (!checks.failed.empty())
            add(facts, "failed", checks.failed);
        if (!checks.why.empty())
            add(facts, "why", checks.why);
        if (what == verdict::forward_ipv4)
            add(facts, "flow_hash", std::uint64_t{record.flow});
        break;
    }
    case trace_step_kind::looked_up:
        add_lookup(record, event, facts, into);
        break;
    case trace_step_kind::looked_up_again:
        add_hop(event, facts);
        break;
    case trace_step_kind::to_host: {
        const auto why = static_cast<host_cause>(event.detail);
        add(facts, "cause",
            why == host_cause::kernel ? std::string_view("for the kernel")
                                      : router::facts_of(reason_of(why)).name);
        break;
    }
    case trace_step_kind::answered:
        add(facts, "icmp", name_of(static_cast<icmp_error>(event.detail)));
        break;
    case trace_step_kind::waits:
        break;
    case trace_step_kind::fragmented:
        add(facts, "port", port_name(event.port));
        add(facts, "fragments", std::uint64_t{event.first});
        break;
    case trace_step_kind::sent: {
        const record_headers read = headers_of(record.after.data(), record.sent_bytes);
        add(facts, "port", port_name(event.port));
        add_link(facts, read);
        add(facts, "vlan", std::uint64_t{read.vlan});
        if (read.ipv4 != nullptr) {
            add(facts, "ttl", std::uint64_t{read.ipv4->time_to_live});
            add(facts, "checksum", std::uint64_t{rte_be_to_cpu_16(read.ipv4->hdr_checksum)});
        } else if (read.ipv6 != nullptr) {
            add(facts, "ttl", std::uint64_t{read.ipv6->hop_limits});
        }
        break;
    }
    case trace_step_kind::to_kernel:
        add(facts, "port", port_name(event.port));
        break;
    case trace_step_kind::dropped:
        add_reason(facts, static_cast<drop_reason>(event.detail));
        break;
    }
    return facts;
}

void packet_reporter::add_lookup(const trace_record& record, const trace_event& event, packet_facts& facts,
                                 packet_report& into) {
    const record_headers read = headers_of(record.head.data(), record.head_bytes);
    const forwarding& tables = engine_->tables();
    const vrf_number vrf = vrfs_->get().of(record.port, record.vlan);
    if (readers_.size() > 1)
        add(facts, "vrf", tables.vrfs()[vrf].name);
    if (read.ipv4 != nullptr)
        add_route(tables.routes_of(vrf).routes<ipv4_address>(), readers_[vrf], ipv4_from(read.ipv4->dst_addr),
                  event, facts, into);
    else if (read.ipv6 != nullptr)
        add_route(tables.routes_of(vrf).routes<ipv6_address>(), readers_[vrf], ipv6_from(read.ipv6->dst_addr),
                  event, facts, into);
    if (event.member != event.first) {
        add(facts, "bucket", std::uint64_t{record.flow % group_buckets});
        add(facts, "buckets", std::uint64_t{group_buckets});
        add(facts, "member", via(next_hop{event.member}));
    }
    if (event.last != event.member)
        add(facts, "neighbour", via(next_hop{event.last}));
    add_hop(event, facts);
}

// The FIB may have changed since the packet was looked up; in that case no steps are reported.
template <class A>
void packet_reporter::add_route(const family_table<A>& routes, ip_reader& by, A address,
                                const trace_event& event, packet_facts& facts, packet_report& into) {
    const next_hop reported_hop{event.first};
    std::vector<lookup_step> steps;
    const auto add_step = [&](const trace_step& step) {
        lookup_step& last = steps.emplace_back(copy_of(step));
        if (last.has_best)
            last.best = via(step.best);
    };
    const next_hop now = by.pin().trace(address, add_step);
    const auto route = routes.match(address);
    const bool is_same = now == reported_hop && (route ? route->hop : next_hop::none) == reported_hop;
    add(facts, "changed", std::uint64_t{!is_same});
    if (!is_same)
        return;
    if (route) {
        add(facts, "prefix", to_string(route->where));
        add(facts, "via", via(reported_hop));
        add(facts, "next_hop", std::uint64_t{reported_hop.id});
    }
    const scheme_entry<A>& scheme = routes.scheme();
    add(facts, "scheme", std::string(scheme.facts.name));
    add(facts, "shows_steps", std::uint64_t{scheme.traceable});
    // Do not expose memory addresses.
    constexpr std::uint64_t line = 64;
    std::uint64_t least = ~std::uint64_t{0};
    for (const lookup_step& step : steps)
        least = std::min(least, step.at / line * line);
    for (lookup_step& step : steps)
        step.at -= least;
    into.steps = std::move(steps);
}

// The exit of the last next hop at that time.
void packet_reporter::add_hop(const trace_event& event, packet_facts& facts) const {
    add(facts, "action", name_of(static_cast<hop_kind>(event.detail)));
    if (static_cast<hop_kind>(event.detail) == hop_kind::forward)
        add(facts, "port", port_name(event.port));
}

std::string packet_reporter::via(next_hop hop) const {
    return hop == next_hop::none ? std::string() : engine_->tables().hops().describe(hop.id);
}

std::string packet_reporter::port_name(std::uint16_t port) const {
    return port < ports_.size() ? ports_[port] : std::to_string(port);
}

} // namespace fingerpost::router
