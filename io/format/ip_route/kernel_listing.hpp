// Routes as Linux lists them, whichever way they are written: of each prefix that with the lowest metric
// counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/best_routes.hpp"

namespace fingerpost::io {

// The columns are next_hop, dev, type, metric and protocol. `next_hop` is the gateway, of several routes all
// of them with commas between; without one the device; for routes that drop packets their type.
struct kernel_route {
    std::string where;    // a prefix, an address or `default`
    std::string gateways; // with commas between
    std::string devices;
    std::string type;            // `unicast` when empty
    std::string metric;          // 0 when empty
    std::string protocol;        // `boot` when empty, as `ip` leaves it out
    std::optional<family> known; // what the gateway tells about the family of a default route
    std::uint64_t line = 0;

    void add_gateway(std::string_view gateway);
    void add_device(std::string_view device);
};

class kernel_routes {
  public:
    static expected<kernel_routes, std::string> make(const table_options& options);

    // A default route whose gateway tells no family is of that of the route before it, or else behind it.
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
