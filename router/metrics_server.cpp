// Defines the metrics and answers requests for them.
#include "router/metrics_server.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "system/http/http_server.hpp"
#include "system/log.hpp"
#include "system/metrics.hpp"
#include "system/tcp_listener.hpp"

namespace fingerpost::router {
namespace {

void write_totals(system::metrics_writer& out, const router_status& now) {
    const auto total = [&](std::string_view name, std::string_view help, std::uint64_t value) {
        out.begin(name, system::metric_kind::counter, help);
        out.sample({}, value);
    };
    total("fingerpost_received_packets_total", "Packets received from ports.", now.received);
    total("fingerpost_sent_packets_total", "Packets sent by ports.", now.sent);
    total("fingerpost_to_kernel_packets_total", "Packets given to the kernel.", now.to_kernel);
    total("fingerpost_from_kernel_packets_total", "Packets taken from the kernel.", now.from_kernel);
    total("fingerpost_made_packets_total", "ICMP errors and additional fragments.", now.generated);
    out.begin("fingerpost_waiting_packets", system::metric_kind::gauge, "Packets that wait for a neighbour.");
    out.sample({}, now.waiting);
    out.begin("fingerpost_buffers", system::metric_kind::gauge, "Packet buffers.");
    out.sample({}, now.buffers);
    out.begin("fingerpost_buffers_in_use", system::metric_kind::gauge,
              "Packet buffers that hold packets, or that devices hold for packets to come.");
    out.sample({}, now.buffers_in_use);
    out.begin("fingerpost_uptime_seconds", system::metric_kind::gauge,
              "Time since the router began to forward.");
    out.sample({}, now.uptime);
    out.begin("fingerpost_next_hops", system::metric_kind::gauge, "Next hops, groups and aliases in use.");
    out.sample({}, now.next_hops);
    out.begin("fingerpost_dropped_packets_total", system::metric_kind::counter,
              "Packets dropped, by reason.");
    for (const drop_reason_facts& why : drop_reasons)
        out.sample({{"reason", why.name}}, now.drops[index_of(why.reason)]);
}

void write_neighbours(system::metrics_writer& out, const router_status& now) {
    out.begin("fingerpost_neighbours", system::metric_kind::gauge,
              "Neighbours, by what the kernel says of them.");
    for (const std::string_view state : {"resolved", "stale", "unresolved", "failed"}) {
        const auto has_state = [state](const neighbour_status& neighbour) {
            return neighbour.state == state;
        };
        out.sample({{"state", state}},
                   static_cast<std::uint64_t>(std::ranges::count_if(now.neighbours, has_state)));
    }
    out.begin("fingerpost_neighbour_confirmations_total", system::metric_kind::counter,
              "Times that the kernel was asked whether a stale neighbour in use is still there.");
    out.sample({}, now.confirmations);
}

void write_ports(system::metrics_writer& out, const router_status& now) {
    const auto each = [&](std::string_view name, system::metric_kind kind, std::string_view help,
                          auto member) {
        out.begin(name, kind, help);
        for (const port_status& port : now.ports)
            out.sample({{"port", port.name}}, std::uint64_t{port.*member});
    };
    each("fingerpost_port_up", system::metric_kind::gauge, "Whether the port has a link.", &port_status::up);
    each("fingerpost_port_received_packets_total", system::metric_kind::counter,
         "Packets, as the device counts them.", &port_status::received_packets);
    each("fingerpost_port_received_bytes_total", system::metric_kind::counter,
         "Bytes, as the device counts them.", &port_status::received_bytes);
    each("fingerpost_port_sent_packets_total", system::metric_kind::counter,
         "Packets, as the device counts them.", &port_status::sent_packets);
    each("fingerpost_port_sent_bytes_total", system::metric_kind::counter,
         "Bytes, as the device counts them.", &port_status::sent_bytes);
    each("fingerpost_port_missed_packets_total", system::metric_kind::counter,
         "Packets that found the ring of the port full, as the threads were too late.", &port_status::missed);
    each("fingerpost_port_no_buffer_packets_total", system::metric_kind::counter,
         "Packets for which there was no buffer.", &port_status::no_buffer);
    each("fingerpost_port_receive_errors_total", system::metric_kind::counter,
         "Packets that came in damaged.", &port_status::receive_errors);
    each("fingerpost_port_send_errors_total", system::metric_kind::counter,
         "Packets that the device took and did not send.", &port_status::send_errors);
    each("fingerpost_port_taken_packets_total", system::metric_kind::counter,
         "Packets that the router's threads took from the device.", &port_status::taken_packets);
    each("fingerpost_port_given_packets_total", system::metric_kind::counter,
         "Packets that the router's threads gave to the device.", &port_status::given_packets);
    each("fingerpost_port_refused_packets_total", system::metric_kind::counter,
         "Packets that the device did not take because its queue was full.", &port_status::refused);
}

void write_threads(system::metrics_writer& out, const router_status& now) {
    out.begin("fingerpost_thread_busy_ratio", system::metric_kind::gauge,
              "Share of the time in rounds that found packets, since the start.");
    for (const thread_status& thread : now.threads)
        out.sample({{"thread", thread.name}}, thread.busy);
    out.begin("fingerpost_thread_mean_batch", system::metric_kind::gauge,
              "Packets that are looked up at once.");
    for (const thread_status& thread : now.threads)
        out.sample({{"thread", thread.name}}, thread.mean_batch);
}

void write_tables(system::metrics_writer& out, const router_status& now) {
    const auto each = [&](std::string_view name, system::metric_kind kind, std::string_view help,
                          auto value) {
        out.begin(name, kind, help);
        for (const vrf_status& vrf : now.vrfs)
            for (const table_status& table : vrf.tables)
                // With a single VRF, the metrics have no VRF label.
                if (now.vrfs.size() == 1)
                    out.sample({{"family", table.family}, {"scheme", table.scheme}},
                               std::uint64_t{value(table)});
                else
                    out.sample({{"vrf", vrf.name}, {"family", table.family}, {"scheme", table.scheme}},
                               std::uint64_t{value(table)});
    };
    each("fingerpost_routes", system::metric_kind::gauge, "Routes in the table.",
         [](const auto& t) { return t.routes; });
    each("fingerpost_fib_bytes", system::metric_kind::gauge, "Memory of the FIB.",
         [](const auto& t) { return t.bytes; });
    each("fingerpost_pending_changes", system::metric_kind::gauge, "Changes that packets do not follow yet.",
         [](const auto& t) { return t.pending; });
    each("fingerpost_announced_routes_total", system::metric_kind::counter, "Routes announced by the source.",
         [](const auto& t) { return t.counts.announced; });
    each("fingerpost_withdrawn_routes_total", system::metric_kind::counter, "Routes withdrawn by the source.",
         [](const auto& t) { return t.counts.withdrawn; });
    each("fingerpost_swept_routes_total", system::metric_kind::counter,
         "Stale routes withdrawn after a refresh.", [](const auto& t) { return t.counts.swept; });
    each("fingerpost_refused_routes_total", system::metric_kind::counter,
         "Routes for which there was no memory or no number.",
         [](const auto& t) { return t.counts.refused; });
    out.begin("fingerpost_source_connected", system::metric_kind::gauge,
              "Whether the source of routes is there.");
    out.sample({{"source", now.feed.kind}}, std::uint64_t{now.feed.connected});
    out.begin("fingerpost_stale_routes", system::metric_kind::gauge,
              "Routes that packets follow while their source is away or has not announced them again.");
    out.sample({{"source", now.feed.kind}}, now.feed.stale_routes);
    out.begin("fingerpost_stale_seconds", system::metric_kind::gauge,
              "Time since the first of them became stale.");
    out.sample({{"source", now.feed.kind}}, now.feed.stale_seconds);
    out.begin("fingerpost_refused_clients_total", system::metric_kind::counter,
              "Clients of FPM that were refused, as another one was connected.");
    out.sample({{"source", now.feed.kind}}, now.feed.refused);
    out.begin("fingerpost_other_table_routes_total", system::metric_kind::counter,
              "Routes of FPM that were left out, as no VRF has their table.");
    out.sample({{"source", now.feed.kind}}, now.feed.other_tables);
}

} // namespace

std::string metrics_of(const router_status& now, const hits_status& hits) {
    system::metrics_writer out;
    write_totals(out, now);
    write_neighbours(out, now);
    write_ports(out, now);
    write_threads(out, now);
    write_tables(out, now);
    write_hits(out, hits);
    return std::move(out).text();
}

// Answers requests in the server's thread with data from the control thread.
class metrics_server::handler final : public system::http_handler {
  public:
    explicit handler(service& of) : of_(of) {}

    std::optional<system::http_answer> refuse_head(const system::http_request&) override {
        return std::nullopt;
    }
    system::http_answer refuse(const system::http_refusal& why) override {
        return {.code = why.code, .type = "text/plain", .body = why.words + '\n'};
    }
    system::http_answer answer(const system::http_request& request) override {
        const auto path = request.path();
        if (path != "/metrics" && path != "/healthz" && path != "/routes")
            return refuse({404, "there is /metrics, /healthz and /routes"});
        if (request.method != "GET" && !request.is_head()) {
            system::http_answer refusal = refuse({405, "the path is not asked by this method"});
            refusal.fields.emplace_back("Allow", "GET, HEAD");
            return refusal;
        }
        const auto vrf = vrf_of(request.query());
        if (path == "/routes" && !vrf)
            return refuse({404, "there is no such VRF; ?vrf=NAME names one"});
        if (auto answered = path == "/metrics" ? metrics() : path == "/healthz" ? health() : routes(*vrf))
            return std::move(*answered);
        return refuse({503, "the router does not answer"});
    }

  private:
    std::optional<system::http_answer> metrics() {
        router_status now;
        hits_status hits;
        const auto ask = [&] {
            now = status_of(of_);
            hits = hits_of(of_);
        };
        if (!of_.call(ask))
            return std::nullopt;
        return system::http_answer{.type = system::metrics_content_type, .body = metrics_of(now, hits)};
    }
    std::optional<system::http_answer> health() {
        std::string faults;
        const auto ask = [&] {
            for (std::size_t i = 0; i < of_.ports().size(); ++i)
                if (of_.is_deaf(i))
                    faults += fmt::format("port {} receives nothing, and packets for it are lost\n",
                                          of_.settings().ports[i].name);
        };
        if (!of_.call(ask))
            return std::nullopt;
        return faults.empty() ? system::http_answer{.type = "text/plain", .body = "ok\n"}
                              : system::http_answer{.code = 503, .type = "text/plain", .body = faults};
    }
    // The VRF in the query of /routes. The set of VRFs never changes while the router runs.
    std::optional<vrf_number> vrf_of(std::string_view query) {
        constexpr std::string_view key = "vrf=";
        if (query.empty())
            return default_vrf;
        return query.starts_with(key) ? of_.data().tables().vrfs().named(query.substr(key.size()))
                                      : std::nullopt;
    }
    std::optional<system::http_answer> routes(vrf_number vrf) {
        auto text = routes_text(of_, vrf);
        if (!text)
            return std::nullopt;
        return system::http_answer{.type = "text/plain", .body = std::move(*text)};
    }

    service& of_;
};

metrics_server::metrics_server(std::unique_ptr<handler> answers, std::unique_ptr<system::http_server> server)
    : handler_(std::move(answers)), server_(std::move(server)) {}

expected<std::unique_ptr<metrics_server>, std::string> metrics_server::open(service& of,
                                                                            const std::string& listen) {
    endpoint where = endpoint_of(listen);
    auto listener = system::listen_tcp(where.address, where.port);
    if (!listener)
        return unexpected{fmt::format("metrics: {}: {}", listen, listener.error().reason)};
    // A metrics client sends a short request every few seconds. A client that opens connections without
    // sending requests loses its oldest ones, so that others do not have to wait.
    system::http_rules rules{.idle = std::chrono::seconds(5), .connections = 64, .evicts = true};
    rules.sizes.body_bytes = 0;
    rules.hosts.checks = system::is_loopback_address(where.address);
    auto answers = std::make_unique<handler>(of);
    auto server = system::http_server::open(
        std::move(*listener), std::move(rules), 1, *answers,
        [](const std::string& words) { system::log(system::log_level::warning, "metrics: {}", words); });
    if (!server)
        return unexpected{"metrics: " + server.error().reason};
    return std::unique_ptr<metrics_server>(new metrics_server(std::move(answers), std::move(*server)));
}

metrics_server::~metrics_server() = default;

} // namespace fingerpost::router
