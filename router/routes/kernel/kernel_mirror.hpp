// Follows the kernel's state by rtnetlink: always links, addresses and neighbours; on request also routes and
// next-hop objects, of the main table and the tables of VRFs.
//
// It starts to listen before it dumps. Changes during a dump wait in the socket and are applied after it in
// order, so that the last message about an object is always the newest. If the kernel had to drop events,
// everything is dumped again, with mark and sweep. The contents of a dump become visible only at its end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <libmnl/libmnl.h>

#include "fingerpost/base/expected.hpp"
#include "router/routes/kernel/kernel_routes.hpp"
#include "router/routes/netlink/netlink_message.hpp"
#include "router/routes/netlink/netlink_request.hpp"
#include "router/routes/sink/interface_sink.hpp"
#include "router/routes/sink/route_sink.hpp"
#include "system/event_loop.hpp"
#include "system/system_failure.hpp"

namespace fingerpost::router {

struct mirror_options {
    // The namespace to follow: a name of `ip netns`, or a path; empty: the program's own.
    std::string network_namespace{};
    // Buffer for events, in bytes; enough for about 60,000 routes. More than the system's limit needs
    // CAP_NET_ADMIN.
    int receive_buffer = 64 << 20;
    // Do not follow addresses, neighbours and routes.
    bool links_only = false;
    vrf_list vrfs{}; // their tables are followed
};

struct mirror_statistics {
    std::uint64_t events = 0;
    std::uint64_t dumps = 0;    // completed dumps, including those of routes only
    std::uint64_t overruns = 0; // number of times that events were lost
    std::uint64_t errors = 0;   // messages that could not be decoded, and failed dumps
    bool synchronised = false;  // a dump has been completed and none is running
};

class kernel_mirror {
  public:
    // `routes` may be null. The other arguments must outlive the mirror. The first dump starts when the loop
    // runs.
    static expected<std::unique_ptr<kernel_mirror>, system::failure> open(system::event_loop& loop,
                                                                          interface_sink& interfaces,
                                                                          route_sink* routes,
                                                                          const mirror_options& options);
    kernel_mirror(const kernel_mirror&) = delete;
    kernel_mirror& operator=(const kernel_mirror&) = delete;
    ~kernel_mirror();

    // Makes the kernel resolve the neighbour's address by ARP or neighbour discovery, as if it had a packet
    // for it. For a stale neighbour, makes it check that the neighbour is still reachable (RFC 4861, 7.3.2).
    // The interface sink reports the result. Never waits.
    std::optional<system::failure> resolve(std::uint32_t interface, const any_address& address);

    // Sets the carrier of a TAP. Without it, addresses stay, but daemons and the kernel see a cut cable.
    std::optional<system::failure> set_carrier(std::uint32_t interface, bool up);

    // Dumps everything again.
    void resynchronise() { request(scope::everything); }

    const mirror_statistics& statistics() const noexcept { return statistics_; }

  private:
    enum class scope : std::uint8_t { nothing, routes, everything };
    struct closer {
        void operator()(mnl_socket* socket) const noexcept { mnl_socket_close(socket); }
    };
    using socket = std::unique_ptr<mnl_socket, closer>;

    kernel_mirror(system::event_loop& loop, interface_sink& interfaces, route_sink* routes,
                  const mirror_options& options);
    std::optional<system::failure> open_sockets();
    std::optional<system::failure> send(const nlmsghdr* message, const char* what);
    std::vector<int> groups() const;
    std::optional<system::failure> watch_events();

    // A refresh is one dump of each kind, repeated if entries may be missing. It is requested, started, read
    // to its end, and concluded when the events of the meantime have been read.
    void request(scope what);
    void start_later();
    void start();
    void send_dump();
    void read_dump();
    bool take_dumped(const netlink_message& message);
    void end_dump(int error);
    void finish();
    void conclude();

    void read_events();
    void take_event(const netlink_message& message);
    void drop_events();
    void apply(const link_message& message);
    void apply(const address_message& message);
    void apply(const neighbour_message& message);
    void apply(const next_hop_message& message);
    void apply_interface(const netlink_message& message);
    // Returns the messages of one read; nothing if there are none, or after an error, which is in errno.
    std::optional<netlink_messages> read(mnl_socket* from);
    void commit();

    system::event_loop& loop_;
    interface_sink& interfaces_;
    route_sink* route_sink_;
    std::optional<kernel_routes> routes_;
    mirror_options options_;
    socket events_;
    socket requests_;
    std::vector<std::uint32_t> buffer_;          // words, because netlink is aligned to four bytes
    std::unordered_map<std::uint32_t, bool> up_; // by link

    scope requested_ = scope::nothing;  // for the next refresh
    scope refreshing_ = scope::nothing; // of the current refresh
    enum class stage : std::uint8_t { waiting, dumping, dumped } stage_ = stage::waiting;
    std::vector<netlink_dump> plan_;
    std::size_t step_ = 0;
    std::uint32_t sequence_ = 0;
    std::uint32_t dump_sequence_ = 0;
    std::uint32_t carrier_sequence_ = 0; // of the last carrier request
    bool interrupted_ = false; // entries may be missing, because something changed during the kernel's dump
    bool failed_ = false;
    unsigned repeats_ = 0; // of the dumps of this refresh
    system::event_loop::clock::time_point started_{};
    system::event_loop::clock::time_point not_before_{};
    system::event_loop::timer_id start_timer_ = system::event_loop::timer_id::none;
    mirror_statistics statistics_;
};

} // namespace fingerpost::router
