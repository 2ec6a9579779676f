// The router process: opens everything that the configuration names, and runs until it is stopped.
//
// The thread that calls run() becomes the control thread. Only this thread uses the state that changes; other
// threads access it through call().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "router/config/plan.hpp"
#include "router/measure/prefix_hits.hpp"
#include "router/ports/carriers.hpp"
#include "router/ports/deaf_ports.hpp"
#include "router/ports/interface_claim.hpp"
#include "router/ports/packet_pools.hpp"
#include "router/ports/port.hpp"
#include "router/ports/ring_losses.hpp"
#include "router/routes/kernel/interface_changes.hpp"
#include "router/routes/kernel/kernel_mirror.hpp"
#include "router/routes/source/route_source.hpp"
#include "router/threads/engine.hpp"
#include "router/trace/watch_sessions.hpp"
#include "system/call_queue.hpp"
#include "system/event_loop.hpp"
#include "system/notify.hpp"

namespace fingerpost::router {

class service {
  public:
    // Opens devices, TAPs and route sources. The error is a sentence.
    static expected<std::unique_ptr<service>, std::string> open(start_plan plan);
    ~service();
    service(const service&) = delete;
    service& operator=(const service&) = delete;

    // Runs until SIGTERM or SIGINT. Returns nothing after a normal end, else the reason.
    std::optional<std::string> run();

    // For other threads: runs `ask` in the control thread. Returns false if the control thread has ended or
    // does not run it within `longest`; then it never runs.
    bool call(std::function<void()> ask, std::chrono::milliseconds longest = std::chrono::seconds(2)) {
        return calls_->call(std::move(ask), longest);
    }

    // The following functions are for the control thread.
    const config& settings() const noexcept { return plan_.settings; }
    const start_plan& plan() const noexcept { return plan_; }
    const engine& data() const noexcept { return *engine_; }
    engine& data() noexcept { return *engine_; }
    watch_sessions& watching() noexcept { return *watching_; }
    const std::vector<open_device>& ports() const noexcept { return ports_; }
    // Number of packets that the kernel lost before they reached a port.
    std::uint64_t lost_in_ring(std::size_t port) const noexcept { return rings_[port].read(); }
    // True if the port receives nothing while packets for it are lost.
    bool is_deaf(std::size_t port) const noexcept { return deaf_.is_deaf(port); }
    const packet_pools& packets() const noexcept { return packets_; }
    const route_feeder& feeder() const noexcept { return *feeder_; }
    const kernel_mirror* mirror() const noexcept { return mirror_.get(); }
    const prefix_hits& prefixes() const noexcept { return prefixes_; }
    const port_carriers& carriers() const noexcept { return *carriers_; }
    // Number of requests to the kernel to confirm a neighbour in use.
    std::uint64_t confirmations() const noexcept { return confirmations_; }
    std::chrono::steady_clock::time_point started() const noexcept { return started_; }

    // Applies a configuration that differs only in settings that can change without a restart
    // (router/config/changes). `read` is the report of its file. `built` holds the tables of its scheme if
    // the scheme changes. With `load_again` a file of routes is read even if its name is the same. On an
    // error, which is a sentence, nothing changes.
    std::optional<std::string> change(const config& target, const report& read, scheme_exchange* built,
                                      bool load_again);
    // True if the buffers of a port are long enough for this MTU.
    bool has_room_for_mtu(std::size_t port, unsigned mtu) const noexcept;
    // Runs `run` on SIGHUP instead of loading routes again.
    void on_hangup(std::function<void()> run) { hung_up_ = std::move(run); }

  private:
    explicit service(start_plan plan)
        : plan_(std::move(plan)), prefixes_(plan_.settings.telemetry.sample_one_in),
          notify_(system::notifier::from_environment()) {}

    std::optional<std::string> open_loop();
    std::optional<std::string> open_ports();
    std::optional<std::string> claim_interfaces();
    std::optional<std::string> open_taps();
    std::optional<std::string> open_engine();
    static thread_options threads_of(const config& settings, const wiring& plan);
    std::optional<std::string> open_routes();
    std::optional<std::string> open_carriers();
    std::optional<std::string> keep_taps();
    std::optional<std::string> drop_root();
    ring_losses losses_before(const port_config& port, const open_device& opened) const;
    void count_samples();
    expected<std::unique_ptr<kernel_mirror>, std::string> open_mirror(route_feed feed);
    expected<std::unique_ptr<route_feeder>, std::string>
    open_feeder(const config& settings, const kernel_mirror& mirror, bool takes_over);
    using undo_list = std::vector<std::function<void()>>;
    std::optional<std::string> change_ports(const config& target, undo_list& undo);
    std::optional<std::string> change_mtu_of(std::size_t port, unsigned mtu, undo_list& undo);
    std::optional<std::string> change_addresses(std::size_t port, const port_config& target, undo_list& undo);
    std::optional<std::string> change_threads(const config& target, undo_list& undo);
    std::optional<std::string> change_scheme(scheme_exchange& built, undo_list& undo);
    std::optional<std::string> change_routes(const config& target, bool load_again);
    std::optional<std::string> replace_source(const config& target);
    void ask_for_neighbours();
    void confirm_neighbours();
    bool ask_kernel(const neighbour_key& about);
    void look_for_deaf_ports();
    void follow_carrier(std::size_t port, bool up);
    bool is_synchronised() const noexcept;
    std::optional<std::uint32_t> find_interface(std::string_view name) const;

    start_plan plan_;
    prefix_hits prefixes_;
    system::notifier notify_;
    std::optional<system::event_loop> loop_;
    std::unique_ptr<system::call_queue> calls_;
    std::vector<interface_claim> claims_;
    packet_pools packets_;
    std::vector<open_device> ports_;
    std::vector<open_device> taps_;
    std::vector<tap_file> new_taps_;                // files of the TAPs that this process created
    bool has_run_ = false;                          // TAPs then outlive the process
    std::vector<unsigned> transmit_queues_;         // for each port: queues that its device was opened with
    std::vector<unsigned> frame_bytes_;             // for each port: longest frame that its device accepts
    std::unique_ptr<interface_changes> interfaces_; // kernel interfaces of the ports
    std::function<void()> hung_up_;
    std::optional<std::string> ended_by_; // why the router cannot continue
    mutable std::vector<ring_losses>
        rings_; // for each port; mutable because reading the kernel's counts resets them
    deaf_ports deaf_;
    std::unique_ptr<engine> engine_;
    std::unique_ptr<watch_sessions> watching_;
    std::unique_ptr<kernel_mirror> mirror_;
    std::unique_ptr<port_carriers> carriers_;
    std::unique_ptr<kernel_mirror> port_links_; // ports that are kernel interfaces
    std::unique_ptr<route_feeder> feeder_;
    std::chrono::steady_clock::time_point started_{};
    std::uint64_t confirmations_ = 0;
};

} // namespace fingerpost::router
