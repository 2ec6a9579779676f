// Routes as Linux lists them, in any of its output forms: of several routes for a prefix, the one with the
// lowest metric counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/best_routes.hpp"

namespace fingerpost::io {

// The columns are next_hop, dev, type, metric and protocol. `next_hop` is the gateway, or all gateways of a
// multipath route, separated by commas; without a gateway, the device; for routes that drop packets, their
// type.
struct kernel_route {
    std::string where;    // a prefix, an address or `default`
    std::string gateways; // separated by commas
    std::string devices;
    std::string type;            // `unicast` if empty
    std::string metric;          // 0 if empty
    std::string protocol;        // `boot` if empty, because `ip` leaves it out
    std::optional<family> known; // the family of a default route, if its gateway tells
    std::uint64_t line = 0;

    void add_gateway(std::string_view gateway);
    void add_device(std::string_view device);
};

class kernel_routes {
  public:
    static expected<kernel_routes, std::string> make(const table_options& options);

    // A default route without a gateway belongs to the family of the previous route, or of the next one if
    // there is none before.
    std::optional<route_fault> add(const kernel_route& route);

    both_tables finish_both(std::uint64_t lines, std::uint64_t bad) &&;
    one_table finish(std::uint64_t lines, std::uint64_t bad) &&;

  private:
    kernel_routes(const table_options& options, best_table made)
        : only_(options.only), made_(std::move(made)) {}
    std::optional<route_fault> add_as(std::string_view where, const kernel_route& route);
    void settle_default();

    std::optional<family> only_;
    best_table made_;
    std::optional<family> last_;
    std::optional<kernel_route> waiting_; // the best default route before any other route
};

} // namespace fingerpost::io
