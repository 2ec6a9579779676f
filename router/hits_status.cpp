// Collects hits and times from the threads' counters, and writes them as metrics.
#include "router/hits_status.hpp"

#include <algorithm>
#include <utility>

#include <rte_cycles.h>

#include "fingerpost/net/text.hpp"
#include "router/status.hpp"

namespace fingerpost::router {
namespace {

// Limits for Prometheus, because each next hop and prefix is a time series.
constexpr std::size_t most_next_hop_metrics = 1'000;
constexpr std::size_t most_prefix_metrics = 20;

next_hop_status status_of_hop(service& in, std::uint32_t number, std::uint64_t packets) {
    next_hop_status status;
    status.number = number;
    status.packets = packets;
    status.via = in.data().tables().hops().describe(number);
    const next_hop_entry& entry = (*in.data().tables().view().hops)[next_hop{number}];
    status.action = name_of(entry.kind);
    if (entry.kind == hop_kind::forward)
        status.port = in.settings().ports[entry.port].name;
    return status;
}

std::string via_of(const service& in, const sampled_prefix& of) {
    if (!of.where)
        return {};
    const forwarding& tables = in.data().tables();
    const vrf_routes& routes = tables.routes_of(of.vrf);
    next_hop hop = next_hop::none;
    if (const auto* const ipv4 = std::get_if<ipv4_prefix>(&*of.where))
        hop = routes.routes<ipv4_address>().get(*ipv4);
    else
        hop = routes.routes<ipv6_address>().get(std::get<ipv6_prefix>(*of.where));
    return hop == next_hop::none ? std::string() : tables.hops().describe(hop.id);
}

void write_stages(system::metrics_writer& out, const hits_status& now) {
    const auto each = [&](std::string_view name, std::string_view help, auto member) {
        out.begin(name, system::metric_kind::counter, help);
        for (const stage_status& stage : now.stages)
            out.sample(
                {{"thread", stage.thread}, {"stage", stage.name}, {"batch", std::to_string(stage.batch)}},
                stage.*member);
    };
    each("fingerpost_timed_bursts_total",
         "Timed bursts, by stage and by size class, named by its smallest size: 1, 2, 4, ... 64.",
         &stage_status::bursts);
    each("fingerpost_timed_packets_total", "Packets in timed bursts.", &stage_status::packets);
    each("fingerpost_timed_cycles_total", "Time stamp counter cycles spent in the stage for timed bursts.",
         &stage_status::cycles);
    out.begin("fingerpost_cycles_per_second", system::metric_kind::gauge,
              "Frequency of the time stamp counter.");
    out.sample({}, now.tsc_hz);
}

} // namespace

std::vector<stage_status> stages_of(const service& from, std::uint32_t first, std::size_t most) {
    constexpr std::size_t in_thread = stage_count * batch_class_count;
    const engine& data = from.data();
    std::vector<stage_status> stages;
    for (std::size_t i = first; i < data.plan().threads.size() * in_thread && stages.size() < most; ++i) {
        const std::size_t thread = i / in_thread;
        const std::size_t which = i % in_thread / batch_class_count;
        const std::size_t size = i % batch_class_count;
        const stage_time& counted = data.counters(thread).stages.by_stage[which][size];
        if (counted.packets.get() != 0)
            stages.push_back({static_cast<std::uint32_t>(i), data.plan().threads[thread].name,
                              stage_names[which], 1U << size, counted.bursts.get(), counted.packets.get(),
                              counted.cycles.get()});
    }
    return stages;
}

std::vector<next_hop_status> next_hops_of(service& from, std::uint32_t first, std::size_t most) {
    std::vector<next_hop_status> next_hops;
    std::as_const(from).data().tables().hops().each(first, [&](std::uint32_t number) {
        if (const std::uint64_t packets = from.data().hits(next_hop{number}); packets != 0)
            next_hops.push_back(status_of_hop(from, number, packets));
        return next_hops.size() < most;
    });
    return next_hops;
}

std::vector<next_hop_status> busiest_next_hops(service& from, std::size_t most) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> candidates;
    std::as_const(from).data().tables().hops().each(0, [&](std::uint32_t number) {
        if (const std::uint64_t packets = from.data().hits(next_hop{number}); packets != 0)
            candidates.emplace_back(packets, number);
        return true;
    });
    const auto count = static_cast<std::ptrdiff_t>(std::min(most, candidates.size()));
    std::partial_sort(candidates.begin(), candidates.begin() + count, candidates.end(), std::greater<>());
    std::vector<next_hop_status> next_hops;
    for (const auto& [packets, number] : std::span(candidates).first(static_cast<std::size_t>(count)))
        next_hops.push_back(status_of_hop(from, number, packets));
    return next_hops;
}

std::vector<prefix_status> prefixes_of(const service& from, std::uint32_t first, std::size_t most) {
    std::vector<prefix_status> prefixes;
    const auto estimates = from.prefixes().estimates(prefix_hits::clock::now(), first + most);
    for (std::size_t i = first; i < estimates.size(); ++i) {
        const prefix_estimate& estimate = estimates[i];
        const std::string& in_vrf = from.data().tables().vrfs()[estimate.of.vrf].name;
        prefixes.push_back({static_cast<std::uint32_t>(i), in_vrf, estimate.of.is_ipv4 ? "IPv4" : "IPv6",
                            estimate.of.where ? to_string(*estimate.of.where) : std::string(),
                            via_of(from, estimate.of), estimate.per_second, estimate.per_second_error,
                            estimate.packets, estimate.error});
    }
    return prefixes;
}

hits_status hits_of(service& from) {
    hits_status now;
    now.tsc_hz = static_cast<double>(rte_get_tsc_hz());
    now.samples = from.prefixes().samples();
    now.lost_samples = from.data().lost_samples();
    now.sample_one_in = from.prefixes().one_in();
    now.stages = stages_of(from, 0, static_cast<std::size_t>(-1));
    now.next_hops = busiest_next_hops(from, most_next_hop_metrics);
    now.prefixes = prefixes_of(from, 0, most_prefix_metrics);
    return now;
}

void write_hits(system::metrics_writer& out, const hits_status& now) {
    write_stages(out, now);
    out.begin("fingerpost_next_hop_packets_total", system::metric_kind::counter,
              "Packets whose lookup led to the next hop. Packets of a group are also counted for their path. "
              "Only the 1,000 busiest next hops.");
    for (const next_hop_status& next_hop : now.next_hops)
        out.sample({{"number", std::to_string(next_hop.number)},
                    {"via", next_hop.via},
                    {"action", next_hop.action},
                    {"port", next_hop.port}},
                   next_hop.packets);
    const auto each = [&](std::string_view name, std::string_view help, auto member) {
        out.begin(name, system::metric_kind::gauge, help);
        for (const prefix_status& prefix : now.prefixes)
            out.sample({{"vrf", prefix.vrf},
                        {"family", prefix.family},
                        {"prefix", prefix.prefix.empty() ? "none" : prefix.prefix}},
                       prefix.*member);
    };
    each("fingerpost_prefix_packets_per_second",
         "Packets per second to the prefix in the last 10 to 20 seconds, estimated from samples. Only the "
         "busiest prefixes.",
         &prefix_status::per_second);
    each("fingerpost_prefix_packets_per_second_error", "Error bound of the estimate in 95 of 100 cases.",
         &prefix_status::per_second_error);
    out.begin("fingerpost_sampled_packets_total", system::metric_kind::counter,
              "Packets sampled to estimate the packets of prefixes.");
    out.sample({}, now.samples);
    out.begin("fingerpost_lost_samples_total", system::metric_kind::counter,
              "Samples discarded because the control thread was too busy.");
    out.sample({}, now.lost_samples);
    out.begin("fingerpost_sample_one_in", system::metric_kind::gauge,
              "Average number of packets for each sampled one; 0: no sampling.");
    out.sample({}, std::uint64_t{now.sample_one_in});
}

} // namespace fingerpost::router
