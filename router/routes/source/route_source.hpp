// What a source of routes is: its name, its keys of the configuration, how it is started, and what it tells
// of itself.
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

// The kernel's number of an interface, by name.
using interface_numbers = std::function<std::optional<std::uint32_t>(std::string_view name)>;

struct feed_status {
    std::string_view kind; // the name of the source
    std::string detail;    // in words
    bool connected = true;
    bool refreshing = false;
    // Of FPM (see stale_watch.hpp); else complete or returning, and nothing is stale.
    std::string_view state = "complete";
    std::uint64_t stale_routes = 0;
    double stale_seconds = 0; // since the first of them became stale
    std::uint64_t sweeps = 0;
    std::uint64_t errors = 0;
    std::uint64_t refused = 0;      // clients beside the one that is connected
    std::uint64_t other_tables = 0; // messages of FPM for tables that no VRF has
};

// A source at work.
class route_feeder {
  public:
    virtual ~route_feeder() = default;
    // At the start, and again on SIGHUP: reads routes that do not come by themselves. After false the routes
    // are as before, and the reason has been logged.
    virtual bool load() { return true; }
    // Goes on with other settings. False if it cannot: then a feeder with these settings must take its place.
    virtual bool adjust(const std::any&) { return false; }
    virtual feed_status status() const = 0;
};

// The file with the routes of one VRF, for a source that is chosen by a path.
struct vrf_file {
    vrf_number vrf = default_vrf;
    std::string path;
};

// All that is referred to must outlive the feeder.
struct feeder_options {
    system::event_loop& loop;
    route_sink& sink;
    const kernel_mirror& mirror;
    interface_numbers interfaces;
    std::string network_namespace; // empty: the program's own
    std::string path;              // of a source that is chosen by one
    vrf_list vrfs{};
    std::vector<vrf_file> vrf_files{}; // of other VRFs, besides `path`
    // The sink has routes of a former source, which are stale: they stay until this one has its own, for as
    // long as if it had been there and gone away.
    bool takes_over = false;
};

// What can be tried before the start, in the network namespace of the router.
struct machine_trial {
    interface_numbers interfaces;
    // Reports when nothing can listen there.
    std::function<void(std::string_view key, const std::string& address)> listen;
    std::string path;                  // as of feeder_options
    std::vector<vrf_file> vrf_files{}; // likewise
};

// Each folder of a source defines one, which router/routes/list.hpp lists.
struct route_source {
    std::string_view name;    // `routes = "NAME"` chooses it, and [NAME] is its section
    std::string_view meaning; // where its routes come from
    bool is_path = false;     // it is chosen by the path of a file instead; one source at most
    bool is_kernel = false;   // the mirror of the kernel, which the router has anyway, brings its routes
    // The section, if it has one. Settings are of a type of its own; presets() makes them.
    std::any (*presets)() = nullptr;
    void (*read)(const toml::table& section, const incoming& at, std::any& into) = nullptr;
    void (*list)(const std::string& section, std::vector<key_facts>& into) = nullptr;
    void (*tell)(const std::string& section, const std::any& settings, std::vector<setting>& into) = nullptr;
    // What the keys together must be, when this source is chosen.
    void (*check)(const std::any& settings, report& found) = nullptr;
    // What the machine lacks.
    void (*try_machine)(const std::any& settings, const machine_trial& how, report& found) = nullptr;
    // The error is a sentence.
    expected<std::unique_ptr<route_feeder>, std::string> (*open)(const std::any& settings,
                                                                 const feeder_options& options) = nullptr;
};

} // namespace fingerpost::router
