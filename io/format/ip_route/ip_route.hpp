// Reads tables as `ip route show`, `ip -6 route show` and `ip -j route` print them.
//
//     default via 10.0.0.254 dev eth0 proto static metric 100
//     10.9.0.0/16
//             nexthop via 10.0.0.2 dev eth0 weight 1
//             nexthop via 10.0.1.2 dev eth1 weight 1
//     blackhole 192.168.0.0/16
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "io/format/ip_route/kernel_listing.hpp"
#include "io/format/parts/json/object_reader.hpp"
#include "io/format/parts/line_reader.hpp"

namespace fingerpost::io {

// Whether `word` is a route type that precedes the prefix, such as `blackhole`.
bool is_route_type(std::string_view word) noexcept;
// Whether `word` is a key that follows the prefix and precedes its value, such as `via`.
bool is_route_key(std::string_view word) noexcept;

class ip_route_reader : private line_reader {
  public:
    ip_route_reader(std::string file, const table_options& options);

    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take_line(std::string_view line);
    void take_words(std::string_view rest);
    void take_gateway(std::string_view& rest);
    void take_key(std::string_view key, std::string_view& rest);
    bool add_route();
    std::optional<input_error> complete();

    std::optional<kernel_routes> routes_;
    std::optional<kernel_route> route_; // may continue on the next line
};

class ip_route_json_reader : private object_reader {
  public:
    ip_route_json_reader(std::string file, const table_options& options);

    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take_object();
    std::optional<input_error> complete();

    std::optional<kernel_routes> routes_;
};

} // namespace fingerpost::io
