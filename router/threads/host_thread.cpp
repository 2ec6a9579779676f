// Handles rare packets: to and from the kernel, ICMP errors, and packets whose neighbour is not resolved yet.
#include "router/threads/host_thread.hpp"

#include <algorithm>
#include <utility>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "fingerpost/base/reason.hpp"
#include "router/packet/notes.hpp"
#include "router/packet/rewrite.hpp"
#include "router/threads/drop.hpp"
#include "router/threads/worker_rounds.hpp"

namespace fingerpost::router {
namespace {

constexpr std::chrono::milliseconds between_polls{1};

std::vector<rte_ring*> rings_of(const wiring& plan, std::span<rte_ring* const> rings) {
    std::vector<rte_ring*> exits;
    for (const port_exit& exit : plan.threads[plan.host()].exits)
        exits.push_back(exit.ring ? rings[*exit.ring] : nullptr);
    return exits;
}

} // namespace

expected<std::unique_ptr<host_thread>> host_thread::create(host_context on, const wiring& plan,
                                                           std::span<rte_ring* const> rings,
                                                           thread_counters& counts) noexcept try {
    auto stage = lookup_stage::create(on.tables, on.flows, counts);
    if (!stage)
        return unexpected{stage.error()};
    return std::unique_ptr<host_thread>(
        new host_thread(std::move(on), plan, rings, counts, std::move(*stage)));
} catch (...) {
    return unexpected{reason_of_exception()};
}

host_thread::host_thread(host_context on, const wiring& plan, std::span<rte_ring* const> rings,
                         thread_counters& counts, lookup_stage looking_up)
    : on_(std::move(on)), counts_(&counts), number_(static_cast<std::uint32_t>(plan.host())),
      out_(queues_of(plan.threads[plan.host()], on_.devices), rings_of(plan, rings), counts),
      sending_(out_, *on_.packets, counts), looking_up_(std::move(looking_up)),
      limiter_(rte_get_tsc_hz(), on_.rates), neighbours_(on_.neighbour_packets) {
    for (std::size_t i = 0; i < plan.rings.size(); ++i)
        if (plan.rings[i].use == ring_use::to_host)
            inputs_.push_back(rings[i]);
}

void host_thread::run() noexcept {
    run_rounds(*on_.stop, *on_.grace, number_, *counts_, {true, 0, {0, 20'000}}, [this] { return round(); });
}

std::size_t host_thread::round() noexcept {
    const std::size_t count = take_from_threads() + take_from_kernel();
    poll_neighbours();
    out_.flush();
    waiting_count_.store(neighbours_.packets(), std::memory_order_relaxed);
    return count;
}

std::size_t host_thread::drain() noexcept {
    const std::size_t count = take_from_threads();
    out_.flush();
    return count;
}

std::size_t host_thread::take_from_threads() noexcept {
    std::size_t total = 0;
    for (rte_ring* const ring : inputs_) {
        packet_list packets;
        const unsigned count =
            rte_ring_dequeue_burst(ring, reinterpret_cast<void**>(packets.data()), most_in_burst, nullptr);
        for (unsigned i = 0; i < count; ++i)
            handle(packets.data()[i]);
        total += count;
    }
    return total;
}

std::size_t host_thread::take_from_kernel() noexcept {
    std::size_t total = 0;
    for (std::size_t port = 0; port < on_.taps.size(); ++port) {
        packet_list frames;
        const std::uint16_t count = rte_eth_rx_burst(on_.taps[port], 0, frames.data(), most_in_burst);
        counts_->from_kernel.add(count);
        for (unsigned i = 0; i < count; ++i)
            out_.add(static_cast<std::uint16_t>(port), frames.data()[i]);
        total += count;
    }
    return total;
}

void host_thread::handle(rte_mbuf* packet) noexcept {
    const host_cause why = cause_of(*packet);
    counts_->watch.note(*packet, trace_step_kind::to_host, static_cast<std::uint8_t>(why));
    if (why == host_cause::kernel)
        return give_to_kernel(packet);
    note_flow(*packet, on_.flows);
    switch (why) {
    case host_cause::unresolved:
        route(packet);
        break;
    default:
        answer(packet, why);
        drop(packet, reason_of(why));
    }
}

void host_thread::give_to_kernel(rte_mbuf* packet) noexcept {
    const std::uint16_t port = ingress_port(*packet);
    packet_trace* const trace = counts_->watch.trace();
    trace_record* const record = trace == nullptr ? nullptr : trace->record_of(*packet);
    if (port < on_.taps.size() && put_tag_back(*packet) && does_kernel_take(port, packet)) {
        counts_->to_kernel.add(1);
        if (record != nullptr)
            trace->finish(*record, counts_->watch.event(trace_step_kind::to_kernel, 0, port));
    } else {
        drop(packet, drop_reason::host_refused);
    }
}

// If true, the packet has been consumed.
bool host_thread::does_kernel_take(std::uint16_t port, rte_mbuf* packet) noexcept {
    if (packet->pkt_len <= longest_of_tap_driver)
        return rte_eth_tx_burst(on_.taps[port], 0, &packet, 1) == 1;
    const bool written = port < on_.tap_files.size() && on_.tap_files[port].write(*packet);
    if (written)
        rte_pktmbuf_free(packet);
    return written;
}

void host_thread::route(rte_mbuf* packet) noexcept {
    const resolved_hop out = resolve(*packet);
    note_next_hop(*packet, out.hop);
    trace_looked_up_again(*packet, out);
    switch (out.entry->kind) {
    case hop_kind::forward: {
        packet_list refused;
        sending_.run(std::span(&packet, 1), std::span(&out.entry, 1), refused);
        for (rte_mbuf* const rejected : refused.span()) {
            answer(rejected, cause_of(*rejected));
            drop(rejected, reason_of(cause_of(*rejected)));
        }
        break;
    }
    case hop_kind::unresolved:
    case hop_kind::connected:
        if (!may_hop(*packet)) {
            answer(packet, host_cause::ttl_expired);
            drop(packet, drop_reason::ttl_expired);
        } else {
            wait_for_neighbour(packet, *out.entry, false);
        }
        break;
    case hop_kind::local:
        give_to_kernel(packet);
        break;
    case hop_kind::blackhole:
        drop(packet, drop_reason::blackhole);
        break;
    default:
        answer(packet, cause_of(out.entry->kind));
        drop(packet, reason_of(cause_of(out.entry->kind)));
    }
}

resolved_hop host_thread::resolve(const rte_mbuf& packet) noexcept {
    return is_ipv4(packet) ? looking_up_.find(ipv4_from(ipv4_header(packet).dst_addr), packet)
                           : looking_up_.find(ipv6_from(ipv6_header(packet).dst_addr), packet);
}

void host_thread::answer(rte_mbuf* packet, host_cause why) noexcept {
    if (is_ipv4(*packet))
        answer(packet, why, ipv4_from(ipv4_header(*packet).src_addr));
    else
        answer(packet, why, ipv6_from(ipv6_header(*packet).src_addr));
}

// Sources are those of Linux: an IPv4 error comes from an address of the interface that it leaves by, an IPv6
// error from an address of the interface that the packet arrived on.
template <class A>
links_view::sources host_thread::sources_of_error(const rte_mbuf& packet, A to) noexcept {
    const links_view& links = on_.links->get();
    std::uint32_t interface = 0;
    if constexpr (A::bits == 32) {
        interface = looking_up_.find(to, packet).entry->interface;
    } else {
        const auto known = links.by_port_and_vlan.find({ingress_port(packet), vlan_of(packet)});
        if (known != links.by_port_and_vlan.end())
            interface = known->second;
    }
    const auto from = links.by_interface.find(interface);
    return from == links.by_interface.end() ? links_view::sources{} : from->second;
}

template <class A>
void host_thread::answer(rte_mbuf* packet, host_cause why, A to) noexcept {
    const auto what = error_about(reason_of(why), A::bits == 32);
    if (!what || !on_.icmp_errors || !may_answer(*packet))
        return;
    const links_view::sources from = sources_of_error(*packet, to);
    const std::uint16_t mtu =
        why == host_cause::too_big ? (*on_.tables.hops)[next_hop_of(*packet)].out.mtu : std::uint16_t{0};
    const auto make = [&]() -> rte_mbuf* {
        if constexpr (A::bits == 32) {
            if (!from.ipv4 || !is_allowed(*packet, why))
                return nullptr;
            const auto created = make_icmpv4_error(*packet, *what, mtu, *from.ipv4, *on_.packets);
            return created ? *created : nullptr;
        } else {
            if (!from.ipv6 || !is_allowed(*packet, why))
                return nullptr;
            const auto created = make_icmpv6_error(*packet, *what, mtu, *from.ipv6, *on_.packets);
            return created ? *created : nullptr;
        }
    };
    rte_mbuf* const error = make();
    if (error == nullptr)
        return;
    counts_->generated.add(1);
    counts_->watch.note(*packet, trace_step_kind::answered, static_cast<std::uint8_t>(*what));
    route_own(error);
}

bool host_thread::is_allowed(rte_mbuf& packet, host_cause why) noexcept {
    const std::uint64_t now = rte_rdtsc();
    if (why == host_cause::too_big)
        return limiter_.allow_too_big(now);
    return is_ipv4(packet) ? limiter_.allow(ipv4_from(ipv4_header(packet).src_addr), now)
                           : limiter_.allow(ipv6_from(ipv6_header(packet).src_addr), now);
}

void host_thread::route_own(rte_mbuf* packet) noexcept {
    const resolved_hop out = resolve(*packet);
    if (out.entry->kind == hop_kind::forward) {
        replace_link(*packet, out.entry->out.header);
        out.entry->used.set();
        out_.add(out.entry->port, packet);
    } else if (out.entry->kind == hop_kind::unresolved || out.entry->kind == hop_kind::connected) {
        wait_for_neighbour(packet, *out.entry, true);
    } else if (out.entry->kind == hop_kind::local) {
        // The sender of the packet used an address of the router.
        drop(packet, drop_reason::martian_source);
    } else {
        drop(packet, reason_of(cause_of(out.entry->kind)));
    }
}

void host_thread::wait_for_neighbour(rte_mbuf* packet, const next_hop_entry& unresolved, bool own) noexcept {
    neighbour_key key{unresolved.interface, {}};
    if (unresolved.kind == hop_kind::connected) {
        if (is_ipv4(*packet))
            key.address = ipv4_from(ipv4_header(*packet).dst_addr);
        else
            key.address = ipv6_from(ipv6_header(*packet).dst_addr);
    } else if (unresolved.ipv6_gateway) {
        key.address = unresolved.gateway();
    } else {
        key.address = ipv4_address{static_cast<std::uint32_t>(unresolved.gateway().value)};
    }
    auto done = neighbour_queue::outcome::refused;
    (void)or_reason([&] {
        done = neighbours_.add(key, {packet, own}, neighbour_queue::clock::now());
        if (done == neighbour_queue::outcome::queued_first)
            on_.requests->add(key);
        return errc::ok;
    });
    if (done == neighbour_queue::outcome::refused)
        drop(packet, drop_reason::neighbour_queue_full);
    else
        counts_->watch.note(*packet, trace_step_kind::waits);
}

void host_thread::poll_neighbours() noexcept {
    const auto now = neighbour_queue::clock::now();
    if (neighbours_.empty() || now - polled_ < between_polls)
        return;
    polled_ = now;
    const auto is_resolved = [this](const neighbour_key& key) {
        return std::visit([&](auto a) { return on_.tables.neighbours->find(key.interface, a); },
                          key.address) != next_hop::none;
    };
    const auto release = [this](const std::vector<waiting_packet>& packets) {
        for (const waiting_packet& waiting : packets)
            if (waiting.own)
                route_own(waiting.packet);
            else
                route(waiting.packet);
    };
    const auto give_up = [this](const std::vector<waiting_packet>& packets) {
        for (const waiting_packet& waiting : packets) {
            if (!waiting.own) {
                count_hop(*waiting.packet); // like Linux, quote the packet as it would have been forwarded
                answer(waiting.packet, host_cause::unresolved);
            }
            drop(waiting.packet, drop_reason::unresolved_neighbour);
        }
    };
    (void)or_reason([&] {
        neighbours_.poll(now, is_resolved, release, give_up,
                         [this](const neighbour_key& key) { on_.requests->add(key); });
        return errc::ok;
    });
}

void host_thread::trace_looked_up_again(const rte_mbuf& packet, const resolved_hop& out) noexcept {
    if (packet_trace* const trace = counts_->watch.trace(); unlikely(trace != nullptr))
        if (trace_record* const record = trace->record_of(packet)) {
            trace_event event = counts_->watch.event(trace_step_kind::looked_up_again,
                                                     static_cast<std::uint8_t>(out.entry->kind));
            event.last = out.hop.id;
            event.port = out.entry->port;
            record->add(event);
        }
}

void host_thread::drop(rte_mbuf* packet, drop_reason why) noexcept {
    router::drop(packet, why, *counts_);
}

} // namespace fingerpost::router
