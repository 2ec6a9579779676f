// Defines a route source: its name, its configuration keys, how it is started, and its status.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "router/config/keys/config_key.hpp"
#include "router/config/keys/report.hpp"
#include "router/routes/sink/route_sink.hpp"
#include "router/routes/sink/vrf_list.hpp"
#include "system/event_loop.hpp"

namespace fingerpost::router {

class kernel_mirror;

// Returns the kernel's number of an interface by name.
using interface_numbers = std::function<std::optional<std::uint32_t>(std::string_view name)>;

struct feed_status {
    std::string_view kind; // name of the source
    std::string detail;    // for people
    bool connected = true;
    bool refreshing = false;
    // For FPM see stale_watch.hpp; otherwise complete or returning, and no route is stale.
    std::string_view state = "complete";
    std::uint64_t stale_routes = 0;
    double stale_seconds = 0; // since the first of them became stale
    std::uint64_t sweeps = 0;
    std::uint64_t errors = 0;
    std::uint64_t refused = 0;      // clients refused because another one is connected
    std::uint64_t other_tables = 0; // FPM messages for tables that no VRF uses
};

// A running source.
class route_feeder {
  public:
    virtual ~route_feeder() = default;
    // Called at the start and on SIGHUP: reads routes that do not arrive by themselves. Returns false if this
    // fails; then the routes have not changed, and the reason has been logged.
    virtual bool load() { return true; }
    // Applies other settings. Returns false if that is impossible; a new feeder must then replace this one.
    virtual bool adjust(const std::any&) { return false; }
    virtual feed_status status() const = 0;
};

// The file with the routes of one VRF, for a source that is selected by a path.
struct vrf_file {
    vrf_number vrf = default_vrf;
    std::string path;
};

// Objects referred to must outlive the feeder.
struct feeder_options {
    system::event_loop& loop;
    route_sink& sink;
    const kernel_mirror& mirror;
    interface_numbers interfaces;
    std::string network_namespace; // empty: the program's own
    std::string path;              // for a source that is selected by a path
    vrf_list vrfs{};
    std::vector<vrf_file> vrf_files{}; // of other VRFs, in addition to `path`
    // The sink has stale routes of a former source. They stay until this source has announced its own, for as
    // long as if this source had been connected and gone away.
    bool takes_over = false;
};

// Means for a source to check the machine before the start, in the router's network namespace.
struct machine_trial {
    interface_numbers interfaces;
    // Reports an address that cannot be listened on.
    std::function<void(std::string_view key, const std::string& address)> listen;
    std::string path;                  // see feeder_options
    std::vector<vrf_file> vrf_files{}; // see feeder_options
};

// Each source's folder defines one, and router/routes/list.hpp lists it.
struct route_source {
    std::string_view name;    // selected by `routes = "NAME"`; [NAME] is its section
    std::string_view meaning; // origin of its routes, for the documentation
    bool is_path = false;     // selected by the path of a file instead; at most one source
    bool is_kernel = false;   // its routes come from the kernel mirror, which the router always has
    // The section, if it has one. Settings have a type defined by the source; presets() creates them.
    std::any (*presets)() = nullptr;
    void (*read)(const toml::table& section, const incoming& at, std::any& into) = nullptr;
    void (*list)(const std::string& section, std::vector<key_facts>& into) = nullptr;
    void (*list_values)(const std::string& section, const std::any& settings,
                        std::vector<setting>& into) = nullptr;
    // Checks the keys together, if this source is selected.
    void (*check)(const std::any& settings, report& findings) = nullptr;
    // Reports missing properties of the machine.
    void (*try_machine)(const std::any& settings, const machine_trial& how, report& findings) = nullptr;
    // The error is a sentence.
    expected<std::unique_ptr<route_feeder>, std::string> (*open)(const std::any& settings,
                                                                 const feeder_options& options) = nullptr;
};

} // namespace fingerpost::router
