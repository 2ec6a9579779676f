// Routes in any output format of Linux. Of several routes for a prefix, the one in use is kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/best_routes.hpp"
#include "io/format/parts/routing_tables.hpp"

namespace fingerpost::io {

// The columns are next_hop, dev, type, metric and protocol. `next_hop` is the gateway, or all gateways of a
// multipath route, separated by commas; without a gateway, the device; without a device, the next-hop object
// as `nhid 1`; for routes that drop packets, their type.
struct kernel_route {
    std::string where;    // a prefix, an address or `default`
    std::string table;    // `main` if empty, because `ip` leaves it out
    std::string gateways; // separated by commas
    std::string devices;
    std::string next_hop_object; // number of the object
    std::string type;            // `unicast` if empty
    std::string metric;          // 0 if empty
    std::string preference;      // of IPv6 routers: high, medium or low; medium if empty
    std::string protocol;        // `boot` if empty, because `ip` leaves it out
    std::string service;         // the only type of service that the route is for; all if empty
    std::string source;          // prefix of the sources that the route is for; all if empty
    std::optional<family> known; // family of a default route, if a value of the route shows it
    bool has_dead_hop = false;
    std::uint64_t line = 0;

    // Begins a next hop. A multipath route has several.
    void begin_hop();
    void add_gateway(std::string_view gateway);
    void add_device(std::string_view device);
    // Removes the last next hop, whose device is down.
    void drop_hop();
    // Records the family of a value other than a gateway.
    void note_family(std::optional<family> value_family) noexcept {
        if (!known)
            known = value_family;
    }

  private:
    std::size_t gateways_before_ = 0; // sizes of the lists before the last next hop
    std::size_t devices_before_ = 0;
};

class kernel_routes {
  public:
    static expected<kernel_routes, std::string> make(const table_options& options);

    // Adds a route. A default route of unknown family gets the family of the previous route, or of the next
    // one if there is none before.
    std::optional<route_fault> add(const kernel_route& route);

    // Call this at the end, before one of the next two functions. Returns the fault of the input as a whole.
    std::optional<std::string> settle();
    both_tables finish_both(std::uint64_t lines, std::uint64_t bad) &&;
    one_table finish(std::uint64_t lines, std::uint64_t bad) &&;

  private:
    struct waiting_route {
        kernel_route route;
        std::uint64_t number;
    };

    kernel_routes(const table_options& options, best_table table)
        : only_(options.only), tables_(std::move(table), options, main_tables) {}
    std::optional<route_fault> add_as(std::string_view where, const kernel_route& route,
                                      std::uint64_t number);
    void settle_defaults();

    static constexpr std::array<std::string_view, 1> main_tables{"main"};

    std::optional<family> only_;
    routing_tables<best_table> tables_;
    std::optional<family> last_;
    std::uint64_t number_ = 0;           // of the last route
    std::vector<waiting_route> waiting_; // default routes that precede all other routes
};

} // namespace fingerpost::io
