// Routes from a file: a table in any format that the library reads. Its next hops are written as
//
//   192.0.2.1          a gateway, of either family
//   fe80::1%eth0       a gateway on a particular interface
//   eth0, port:eth0    the destinations are neighbours on this interface
//   blackhole, unreachable, prohibit
//
// `port:` is for interfaces whose name looks like an address or equals one of the last three words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/input_error.hpp"
#include "router/routes/sink/destination.hpp"
#include "router/routes/sink/route_sink.hpp"
#include "router/routes/source/route_source.hpp"

namespace fingerpost::router {

// Parses a next hop of a file. The error is the reason why it is invalid.
expected<destination, std::string> parse_destination(std::string_view text,
                                                     const interface_numbers& interfaces);

class file_routes {
  public:
    // The sink must outlive this object. `path`, as in io::load_both, is the file of the default VRF.
    file_routes(route_sink& sink, std::string path, interface_numbers interfaces,
                std::vector<vrf_file> of_vrfs = {});

    // Reads all files, for the first time or again, and replaces the sink's routes in a single commit. After
    // an error nothing has changed.
    std::optional<io::input_error> load();

    // Number of routes in the files when they were last loaded.
    std::size_t routes() const noexcept { return routes_; }

  private:
    struct read_file;
    expected<read_file, io::input_error> read(const vrf_file& file) const;

    route_sink& sink_;
    std::vector<vrf_file> files_;
    interface_numbers interfaces_;
    std::size_t routes_ = 0;
};

} // namespace fingerpost::router
