// Renders hits as DPDK telemetry data.
#include "router/telemetry_hits.hpp"

#include <string>

#include "router/telemetry_data.hpp"

namespace fingerpost::router {
namespace {

// Limits that always fit into a DPDK answer: it has at most 16 KiB and silently drops the rest.
constexpr std::size_t stages_an_answer = 100;
constexpr std::size_t others_an_answer = 40;
// Number of next hops that fit on a page of `fingerpost router top`.
constexpr std::size_t busiest_of_page = 10;

// DPDK cuts text at 127 characters. The text of a group with many paths is cut earlier, with `...` at its
// end.
std::string cut(const std::string& text) {
    constexpr std::size_t most = 120;
    return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

} // namespace

std::vector<stage_status> collect_stages(service& of, std::uint32_t first) {
    return stages_of(of, first, stages_an_answer);
}
std::vector<next_hop_status> collect_next_hops(service& of, std::uint32_t first) {
    return next_hops_of(of, first, others_an_answer);
}
std::vector<next_hop_status> collect_busiest_next_hops(service& of, std::uint32_t) {
    return busiest_next_hops(of, busiest_of_page);
}
std::vector<prefix_status> collect_prefixes(service& of, std::uint32_t first) {
    return prefixes_of(of, first, others_an_answer);
}

void render_stages(const std::vector<stage_status>& now, rte_tel_data* to) {
    for (const stage_status& stage : now)
        add_group(to, std::to_string(stage.number), [&](rte_tel_data* in) {
            add(in, "thread", stage.thread);
            add(in, "stage", stage.name);
            add(in, "batch", std::uint64_t{stage.batch});
            add(in, "bursts", stage.bursts);
            add(in, "packets", stage.packets);
            add(in, "cycles", stage.cycles);
        });
}

void render_next_hops(const std::vector<next_hop_status>& now, rte_tel_data* to) {
    for (const next_hop_status& next_hop : now)
        add_group(to, std::to_string(next_hop.number), [&](rte_tel_data* in) {
            add(in, "via", cut(next_hop.via));
            add(in, "action", next_hop.action);
            add(in, "port", next_hop.port);
            add(in, "packets", next_hop.packets);
        });
}

void render_prefixes(const std::vector<prefix_status>& now, rte_tel_data* to) {
    for (const prefix_status& prefix : now)
        add_group(to, std::to_string(prefix.number), [&](rte_tel_data* in) {
            add(in, "vrf", prefix.vrf);
            add(in, "family", prefix.family);
            add(in, "prefix", prefix.prefix);
            add(in, "via", cut(prefix.via));
            add(in, "per_second", prefix.per_second);
            add(in, "per_second_error", prefix.per_second_error);
            add(in, "packets", prefix.packets);
            add(in, "error", prefix.error);
        });
}

} // namespace fingerpost::router
