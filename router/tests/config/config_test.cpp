// Reading the configuration file, from defaults to lists of cores, and the samples shipped with the router.
#include "router/config/config.hpp"

#include <any>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <sstream>

#include "router/config/keys/address_checks.hpp"
#include "router/config/text_checks.hpp"
#include "router/routes/fpm/fpm_settings.hpp"

namespace fingerpost::router {
namespace {

const fpm_settings& fpm_of(const config& settings) {
    return std::any_cast<const fpm_settings&>(settings.sources.of(route_feed::fpm));
}

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const std::vector<std::string> schemes{"planb", "poptrie", "dir_24_8"};

const fs::path root = fs::path(__FILE__).parent_path() / "../../..";

std::string content(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char* one_port = "[[port]]\nname = 'a'\ndevice = '0000:3b:00.0'\n";

parsed_config read(const std::string& text) {
    return parse_config(text, "/etc/fingerpost/router.toml", schemes);
}

TEST(Config, OnePortIsEnoughAndTheRestHasDefaults) {
    const parsed_config parsed = read(one_port);
    EXPECT_TRUE(parsed.findings.problems().empty()) << parsed.findings.to_text();
    const config& c = parsed.settings;
    EXPECT_EQ(c.scheme, "");
    EXPECT_EQ(c.routes.feed, route_feed::fpm);
    EXPECT_EQ(fpm_of(c).port, 2620);
    EXPECT_EQ(c.threads.mode, run_mode::complete);
    EXPECT_TRUE(c.threads.placement.automatic);
    ASSERT_EQ(c.ports.size(), 1U);
    EXPECT_EQ(c.ports[0].mtu, 1500U);
    EXPECT_EQ(c.ports[0].tap, "a") << "the interface is called like the port";
}

TEST(Config, EveryKeyReachesItsField) {
    const parsed_config parsed = read(R"(
scheme = "planb"
routes = "kernel"
[[port]]
name = "left"
device = "net_af_packet0,iface=eth0"
queues = 4
descriptors = 512
mtu = 9000
vlans = [100, 7]
promiscuous = true
tap = "tap-left"
[[port]]
name = "right"
device = "3b:00.0,x=1"
[threads]
mode = "pipeline"
receive = 2
lookup = 3
send = 2
burst = 64
ring = 4096
idle = "sleep"
placement = { receive = [1, 2], lookup = [3, 4, 5], send = [5, 6], host = [7], control = [0], share = true }
[kernel]
namespace = "blue"
host_ring = 256
neighbour_queue = 16
icmp_rate = 0
icmp_burst = 7
port_rate = 0
port_burst = 9
[memory]
huge = false
megabytes = 512
mbufs = 100000
[telemetry]
time_one_in = 0
sample_one_in = 77
prometheus = "[2001:db8::1]:9000"
remote = true
[privileges]
user = "nobody"
group = "nogroup"
)");
    ASSERT_EQ(parsed.findings.problems().size(), 1U) << parsed.findings.to_text();
    EXPECT_NE(parsed.findings.to_text().find(":15:10: error: port.device"), std::string::npos)
        << "all but the second device, which is there to see that ports keep their numbers: "
        << parsed.findings.to_text();
    const config& c = parsed.settings;
    EXPECT_EQ(c.scheme, "planb");
    EXPECT_EQ(c.routes.feed, route_feed::kernel);
    ASSERT_EQ(c.ports.size(), 2U);
    EXPECT_EQ(c.ports[0].name, "left");
    EXPECT_EQ(c.ports[0].device, "net_af_packet0,iface=eth0");
    EXPECT_TRUE(c.ports[0].is_virtual());
    EXPECT_EQ(c.ports[0].queues, 4U);
    EXPECT_EQ(c.ports[0].descriptors, 512U);
    EXPECT_EQ(c.ports[0].mtu, 9000U);
    EXPECT_EQ(c.ports[0].vlans, (std::vector<unsigned>{100, 7}));
    EXPECT_TRUE(c.ports[0].promiscuous);
    EXPECT_EQ(c.ports[0].tap, "tap-left");
    EXPECT_EQ(c.ports[1].tap, "right");
    EXPECT_EQ(c.threads.mode, run_mode::pipeline);
    EXPECT_EQ(c.threads.receive, 2U);
    EXPECT_EQ(c.threads.lookup, 3U);
    EXPECT_EQ(c.threads.send, 2U);
    EXPECT_EQ(c.threads.burst, 64U);
    EXPECT_EQ(c.threads.ring, 4096U);
    EXPECT_EQ(c.threads.idle, idle_mode::sleep);
    const placement_config& where = c.threads.placement;
    EXPECT_FALSE(where.automatic);
    EXPECT_EQ(where.receive, (std::vector<unsigned>{1, 2}));
    EXPECT_EQ(where.lookup, (std::vector<unsigned>{3, 4, 5}));
    EXPECT_EQ(where.send, (std::vector<unsigned>{5, 6}));
    EXPECT_EQ(where.host, (std::vector<unsigned>{7}));
    EXPECT_EQ(where.control, (std::vector<unsigned>{0}));
    EXPECT_TRUE(where.share);
    EXPECT_EQ(c.kernel.network_namespace, "blue");
    EXPECT_EQ(c.kernel.host_ring, 256U);
    EXPECT_EQ(c.kernel.neighbour_queue, 16U);
    EXPECT_EQ(c.kernel.icmp_rate, 0U);
    EXPECT_EQ(c.kernel.icmp_burst, 7U);
    EXPECT_EQ(c.kernel.port_rate, 0U);
    EXPECT_EQ(c.kernel.port_burst, 9U);
    EXPECT_FALSE(c.memory.huge);
    EXPECT_FALSE(c.memory.huge_if_there);
    EXPECT_EQ(c.telemetry.time_one_in, 0U);
    EXPECT_EQ(c.telemetry.sample_one_in, 77U);
    EXPECT_EQ(c.memory.megabytes, 512U);
    EXPECT_EQ(c.memory.mbufs, 100000U);
    EXPECT_EQ(endpoint_of(c.telemetry.prometheus).address, "2001:db8::1");
    EXPECT_EQ(endpoint_of(c.telemetry.prometheus).port, 9000);
    EXPECT_TRUE(c.telemetry.remote);
    EXPECT_EQ(c.privileges.user, "nobody");
    EXPECT_EQ(c.privileges.group, "nogroup");
}

TEST(Config, TimesHaveUnits) {
    const parsed_config parsed =
        read(std::string("[fpm]\nlisten = '::1'\nport = 1\nquiet_time = '200ms'\nsweep_limit = '1h'\n"
                         "hold_time = '8760h'\nconverged_percent = 0\n") +
             one_port);
    EXPECT_TRUE(parsed.findings.problems().empty()) << parsed.findings.to_text();
    EXPECT_TRUE(read(std::string("[fpm]\nquiet_time = '60s'\nsweep_limit = '1m'\n") + one_port)
                    .findings.problems()
                    .empty())
        << "the same time twice is no contradiction";
    EXPECT_EQ(fpm_of(parsed.settings).listen, "::1");
    EXPECT_EQ(fpm_of(parsed.settings).port, 1);
    EXPECT_EQ(fpm_of(parsed.settings).quiet_time, 200ms);
    EXPECT_EQ(fpm_of(parsed.settings).sweep_limit, 1h);
    EXPECT_EQ(fpm_of(parsed.settings).hold_time, 8760h);
    EXPECT_EQ(fpm_of(parsed.settings).converged_percent, 0U);
}

TEST(Config, AddressesOfPorts) {
    const parsed_config parsed = read(
        "[[port]]\nname = 'a'\ndevice = 'net_null0'\nvlans = [5]\n"
        "addresses = ['192.0.2.1/24', '2001:db8::1/64', '192.0.2.255/23', '10.0.0.0/31', '10.9.9.9/32@5', "
        "'fe80::1/64@5']\n");
    EXPECT_TRUE(parsed.findings.problems().empty()) << parsed.findings.to_text();
    std::string all;
    for (const port_address& one : parsed.settings.ports.at(0).addresses)
        all += to_text(one) + " ";
    EXPECT_EQ(all, "192.0.2.1/24 2001:db8::1/64 192.0.2.255/23 10.0.0.0/31 10.9.9.9/32@5 fe80::1/64@5 ");
}

TEST(Config, AFileOfRoutesIsFoundFromTheConfigurationFile) {
    EXPECT_EQ(read(std::string("routes = 'table.txt'\n") + one_port).settings.routes.path,
              "/etc/fingerpost/table.txt");
    EXPECT_EQ(read(std::string("routes = '/srv/t.xz'\n") + one_port).settings.routes.path, "/srv/t.xz");
    const auto here = parse_config(std::string("routes = './kernel'\n") + one_port, "r.toml", schemes);
    EXPECT_EQ(here.settings.routes.feed, route_feed::file);
    EXPECT_EQ(here.settings.routes.path, "./kernel");
}

TEST(Config, AFileThatCannotBeReadIsAnError) {
    const parsed_config none = load_config("/nonexistent/router.toml", schemes);
    EXPECT_TRUE(none.findings.has_errors());
    EXPECT_EQ(none.findings.to_text(),
              "/nonexistent/router.toml: error: the file cannot be read: No such file or directory\n");
    EXPECT_EQ(load_config("/", schemes).findings.to_text(),
              "/: error: the file cannot be read: Is a directory\n");
}

TEST(Config, LoopbackIsKnown) {
    for (const char* const address : {"127.0.0.1", "127.9.9.9", "::1"})
        EXPECT_TRUE(is_loopback(address)) << address;
    for (const char* const address : {"0.0.0.0", "128.0.0.1", "::", "::ffff:127.0.0.1", "", "x"})
        EXPECT_FALSE(is_loopback(address)) << address;
}

TEST(Config, EverySampleIsAccepted) {
    std::size_t files = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(root / "router/samples")) {
        if (entry.path().extension() != ".toml")
            continue;
        const parsed_config parsed = load_config(entry.path().string(), schemes);
        EXPECT_TRUE(parsed.findings.problems().empty()) << parsed.findings.to_text();
        ++files;
    }
    EXPECT_GE(files, 3U);
}

// The comment lines right above a key, or above its section if the key is the first one.
bool is_explained(const std::string& sample, const std::string& name) {
    std::istringstream in(sample);
    std::string line;
    bool comment = false;
    while (std::getline(in, line)) {
        if (line.starts_with(name + " = ") && comment)
            return true;
        // Related keys share a comment.
        if (line.empty())
            comment = false;
        else if (line.starts_with("#"))
            comment = true;
    }
    return false;
}

TEST(Config, TheLargeSampleExplainsEveryKey) {
    const std::string sample = content(root / "router/samples/two-25g.toml");
    std::size_t explained = 0;
    for (const key_facts& key : known_keys()) {
        const std::string name = key.name.substr(key.name.rfind('.') + 1);
        const bool by_hand = key.name.starts_with("threads.placement.");
        EXPECT_TRUE(by_hand ? sample.find("#   " + name + " = ") != std::string::npos
                            : is_explained(sample, name))
            << key.name;
        ++explained;
    }
    EXPECT_GE(explained, 40U);
}

// The table that the guide must contain.
std::string table_of_keys() {
    std::string table = "| key | type | default | meaning |\n|---|---|---|---|\n";
    for (const key_facts& key : known_keys())
        table += "| `" + key.name + "` | " + key.type + " | " +
                 (key.preset.empty() ? "required" : "`" + key.preset + "`") + " | " + key.meaning + " |\n";
    return table;
}

TEST(Config, TheGuideHasEveryKeyAsTheParserKnowsIt) {
    const std::string guide = content(root / "docs/use/router-configuration.md");
    EXPECT_NE(guide.find("\n" + table_of_keys() + "\n"), std::string::npos)
        << "docs/use/router-configuration.md should have this table:\n"
        << table_of_keys();
}

// The lines between two fences of the guide.
std::string block(const std::string& guide, const std::string& fence, std::size_t number) {
    std::size_t at = 0;
    for (std::size_t i = 0; i <= number; ++i)
        at = guide.find("\n" + fence + "\n", at) + 1;
    at += fence.size() + 1;
    return guide.substr(at, guide.find("```", at) - at);
}

TEST(Config, TheExamplesOfTheGuideAreTrue) {
    const std::string guide = content(root / "docs/use/router-configuration.md");
    const parsed_config smallest = read(block(guide, "```toml", 0));
    EXPECT_TRUE(smallest.findings.problems().empty()) << smallest.findings.to_text();
    const parsed_config wrong = parse_config(block(guide, "```toml", 1), "router.toml", schemes);
    EXPECT_EQ(wrong.findings.to_text(), block(guide, "```text", 0));
}

TEST(Config, NoTwoKeysAreTheSame) {
    std::set<std::string> names;
    for (const key_facts& key : known_keys()) {
        EXPECT_TRUE(names.insert(key.name).second) << key.name;
        EXPECT_FALSE(key.type.empty()) << key.name;
        EXPECT_FALSE(key.meaning.empty()) << key.name;
    }
}

} // namespace
} // namespace fingerpost::router
