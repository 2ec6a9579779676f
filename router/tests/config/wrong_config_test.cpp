// Wrong configurations, each with all of its messages.
#include <gtest/gtest.h>

#include "router/config/config.hpp"

namespace fingerpost::router {
namespace {

const std::vector<std::string> two_schemes{"planb", "poptrie"};

struct wrong_file {
    std::string text;
    std::string said; // without the file name that starts every line
};

// Two valid ports, in lines 1 to 6. The errors come after them.
const std::string ports = "[[port]]\nname = 'a'\ndevice = 'net_null0'\n"
                          "[[port]]\nname = 'b'\ndevice = 'net_null1'\n";

std::string after(const std::string& text) {
    return ports + text;
}
std::string before(const std::string& text) {
    return text + ports;
}
std::string port(const std::string& text) {
    return "[[port]]\nname = 'a'\ndevice = 'net_null0'\n" + text;
}
std::string device(const std::string& text) {
    return "[[port]]\nname = 'a'\ndevice = " + text + "\n";
}

constexpr const char* device_types =
    "allowed: a PCI address like 0000:3b:00.0, or a virtual device like net_tap0";
constexpr const char* endpoint_types = "allowed: ADDRESS:PORT, [ADDRESS]:PORT for IPv6, or \"\"";

std::string line(const std::string& place, const std::string& text, const char* how = "error") {
    return "r.toml:" + place + ": " + how + ": " + text + "\n";
}
constexpr const char* address_types = "allowed: a list of ADDRESS/LENGTH, or ADDRESS/LENGTH@VLAN";
std::string wrong_address(const std::string& place, const std::string& shown, const std::string& hint) {
    return line(place, "port.addresses has " + shown + "; " + address_types + "; " + hint);
}
std::string wrong_device(const std::string& shown, const std::string& hint) {
    return line("3:10", "port.device is " + shown + "; " + device_types + "; " + hint);
}

const std::vector<wrong_file> wrong_files{
    // Syntax errors: only the first is reported.
    {"scheme = \n", "r.toml:1:10: error: "},
    {"[threads\n", "r.toml:1:9: error: "},
    {before("a = 1\na = 2\n"), "r.toml:2:"},
    // Unknown keys.
    {before("shceme = 'planb'\n"),
     line("1:1",
          "shceme is not known; allowed: scheme, routes, fpm, port, vrf, threads, kernel, memory, telemetry, "
          "privileges; did you mean scheme?")},
    {before("burst = 3\n"),
     line("1:1",
          "burst is not known; allowed: scheme, routes, fpm, port, vrf, threads, kernel, memory, telemetry, "
          "privileges; it belongs in [threads]")},
    {before("'a\\nb' = 3\n\"c\\nd\" = 4\n"),
     line("1:1", "\"a\\x5cnb\" is not known; allowed: scheme, routes, fpm, port, vrf, threads, kernel, "
                 "memory, telemetry, "
                 "privileges") +
         line("2:1",
              "\"c\\x0ad\" is not known; allowed: scheme, routes, fpm, port, vrf, threads, kernel, memory, "
              "telemetry, "
              "privileges")},
    {before("scheme = '" + std::string(39, 'x') + "\u00e4'\n"),
     line("1:10", "scheme is \"" + std::string(39, 'x') +
                      "...\"; allowed: the name of a scheme (planb, poptrie); there is no such scheme")},
    {after("[thread]\nburst = 3\n"),
     line("7:2",
          "thread is not known; allowed: scheme, routes, fpm, port, vrf, threads, kernel, memory, telemetry, "
          "privileges; did you mean threads?")},
    {after("[threads]\nbrust = 3\n"),
     line("8:1",
          "threads.brust is not known; allowed: mode, receive, lookup, send, placement, burst, ring, idle; "
          "did you mean burst?")},
    {after("[memory]\nscheme = 'planb'\n"),
     line("8:1",
          "memory.scheme is not known; allowed: huge, megabytes, mbufs; it belongs above the first section")},
    {port("speed = 25\n"),
     line("4:1", "port.speed is not known; allowed: name, device, members, queues, descriptors, "
                 "mtu, vlans, addresses, promiscuous, tap")},
    // Types.
    {before("scheme = 3\n"), line("1:10", "scheme is 3; allowed: the name of a scheme (planb, poptrie)")},
    {before("scheme = 'plamb'\n"),
     line("1:10",
          "scheme is \"plamb\"; allowed: the name of a scheme (planb, poptrie); did you mean planb?")},
    {before("scheme = 'trie of mine'\n"), line("1:10", "scheme is \"trie of mine\"; allowed: the name of a "
                                                       "scheme (planb, poptrie); there is no such scheme")},
    {before("routes = 'kernal'\n"),
     line("1:10", "routes is \"kernal\"; allowed: \"fpm\", \"kernel\" or the path of a file; did you mean "
                  "kernel? Write ./ before the name of a file")},
    {before("routes = ''\n"),
     line("1:10",
          "routes is \"\"; allowed: \"fpm\", \"kernel\" or the path of a file; a source is required")},
    {before("routes = ['fpm']\n"),
     line("1:10", "routes is a list; allowed: \"fpm\", \"kernel\" or the path of a file")},
    {before("threads = 4\n"), line("1:11", "threads is 4; allowed: a section")},
    {"[port]\nname = 'a'\n",
     line(
         "1:1",
         "port is a section; allowed: one or more sections, each headed by its name in [[double brackets]]")},
    {"port = [1]\n",
     line("1:9",
          "port has 1; allowed: one or more sections, each headed by its name in [[double brackets]]")},
    {after("[memory]\nhuge = 'yes'\n"),
     line("8:8", "memory.huge is \"yes\"; allowed: true or false or \"auto\"")},
    {after("[memory]\nmegabytes = 1.5\n"),
     line("8:13", "memory.megabytes is 1.5; allowed: a whole number from 0 to 1048576")},
    {after("[memory]\nmbufs = 2024-01-01\n"),
     line("8:9", "memory.mbufs is 2024-01-01; allowed: a whole number from 0 to 16777215")},
    // Numbers out of range.
    {after("[threads]\nburst = 65\n"),
     line("8:9", "threads.burst is 65; allowed: a whole number from 1 to 64")},
    {after("[threads]\nburst = 0\n"),
     line("8:9", "threads.burst is 0; allowed: a whole number from 1 to 64")},
    {after("[threads]\nring = 1000\n"),
     line("8:8", "threads.ring is 1000; allowed: a power of two from 64 to 32768")},
    {after("[threads]\nreceive = -1\n"),
     line("8:11", "threads.receive is -1; allowed: a whole number from 1 to 64")},
    {after("[kernel]\nneighbour_queue = 9223372036854775807\n"),
     line("8:19", "kernel.neighbour_queue is 9223372036854775807; allowed: a whole number from 1 to 1024")},
    {after("[fpm]\nport = 65536\n"),
     line("8:8", "fpm.port is 65536; allowed: a whole number from 1 to 65535")},
    {port("mtu = 99999\n"), line("4:7", "port.mtu is 99999; allowed: a whole number from 576 to 9600")},
    // Choices and times.
    {after("[threads]\nmode = 'fusd'\n"),
     line("8:8", "threads.mode is \"fusd\"; allowed: \"pipeline\" or \"fused\" or \"complete\"")},
    {after("[threads]\nidle = true\n"), line("8:8", "threads.idle is true; allowed: \"poll\" or \"sleep\"")},
    {after("[fpm]\nquiet_time = 5\n"),
     line("8:14",
          "fpm.quiet_time is 5; allowed: a time from \"100ms\" to \"1h\", as a number with ms, s, m or h")},
    {after("[fpm]\nquiet_time = '5 s'\n"),
     line("8:14", "fpm.quiet_time is \"5 s\"; allowed: a time from \"100ms\" to "
                  "\"1h\", as a number with ms, s, m or h")},
    {after("[fpm]\nhold_time = '-1s'\n"),
     line("8:13",
          "fpm.hold_time is \"-1s\"; allowed: a time from \"0s\" to \"8760h\", as a number with ms, s, "
          "m or h")},
    {after("[fpm]\nconverged_percent = 101\n"),
     line("8:21", "fpm.converged_percent is 101; allowed: a whole number from 0 to 100")},
    {after("[fpm]\nsweep_limit = '25h'\n"),
     line("8:15", "fpm.sweep_limit is \"25h\"; allowed: a time from \"1s\" to "
                  "\"24h\", as a number with ms, s, m or h")},
    // Texts.
    {"[[port]]\nname = 'a port'\ndevice = 'net_null0'\n",
     line("2:8", "port.name is \"a port\"; allowed: 1 to 15 letters, digits and ._-; the kernel does not "
                 "accept this name")},
    {port("tap = 'a-name-of-16-chars'\n"), line("4:7", "port.tap is \"a-name-of-16-chars\"; allowed: 1 to 15 "
                                                       "letters, digits and ._-; it has 18 characters")},
    {device("'3b:00.0'"), wrong_device("\"3b:00.0\"", "did you mean 0000:3b:00.0?")},
    {device("'eth0'"),
     wrong_device("\"eth0\"", "for an interface of the kernel write net_af_xdp0,iface=eth0")},
    {device("'0000:3b:00.8'"), wrong_device("\"0000:3b:00.8\"", "it is neither")},
    {device("'net_'"), wrong_device("\"net_\"", "it is neither")},
    {device("''"), wrong_device("\"\"", "it is neither")},
    {device("\"a\\n\\\"b\""), wrong_device("\"a\\x0a\\x22b\"", "it is neither")},
    {after("[fpm]\nlisten = 'localhost'\n"),
     line("8:10", "fpm.listen is \"localhost\"; allowed: an IPv4 or IPv6 address; it is neither")},
    {after("[telemetry]\nprometheus = '127.0.0.1'\n"),
     line("8:14",
          std::string("telemetry.prometheus is \"127.0.0.1\"; ") + endpoint_types + "; the port is missing")},
    {after("[telemetry]\nprometheus = '::1:9000'\n"),
     line("8:14",
          std::string("telemetry.prometheus is \"::1:9000\"; ") + endpoint_types + "; the port is missing")},
    {after("[telemetry]\nprometheus = '127.0.0.1:0'\n"),
     line("8:14",
          std::string("telemetry.prometheus is \"127.0.0.1:0\"; ") + endpoint_types + "; it is neither")},
    {after("[kernel]\nnamespace = 'netns/blue'\n"),
     line(
         "8:13",
         "kernel.namespace is \"netns/blue\"; allowed: the name of a network namespace or the path of one; a "
         "path begins with a slash")},
    {after("[privileges]\nuser = '1000'\n"),
     line("8:8", "privileges.user is \"1000\"; allowed: the name of a user; a number is not a name")},
    // Lists.
    {port("vlans = 100\n"),
     line("4:9", "port.vlans is 100; allowed: a list of whole numbers from 1 to 4094, each once")},
    {port("vlans = [1, 4095]\n"),
     line("4:13", "port.vlans has 4095; allowed: a list of whole numbers from 1 to 4094, each once")},
    {port("vlans = [7, 'x', 7]\n"),
     line("4:13", "port.vlans has \"x\"; allowed: a list of whole numbers from 1 to 4094, each once") +
         line("4:18", "port.vlans has 7; allowed: a list of whole numbers from 1 to 4094, each once; it is "
                      "listed twice")},
    // Addresses, which are parsed.
    {port("addresses = '192.0.2.1/24'\n"),
     line("4:13", std::string("port.addresses is \"192.0.2.1/24\"; ") + address_types)},
    {port("addresses = ['192.0.2.1', 7, '192.0.2.1/33', '192.0.2.1/x', '192.0.2/24']\n"),
     wrong_address("4:14", "\"192.0.2.1\"", "the length of the network is missing, as in 192.0.2.1/24") +
         line("4:27", std::string("port.addresses has 7; ") + address_types) +
         wrong_address("4:30", "\"192.0.2.1/33\"", "its length must be 1 to 32") +
         wrong_address("4:46", "\"192.0.2.1/x\"", "its length must be a number") +
         wrong_address("4:61", "\"192.0.2/24\"", "the text ends too early")},
    {port("addresses = ['192.0.2.0/24', '192.0.2.255/24', '224.0.0.1/4', '127.0.0.1/8', '::1/128']\n"),
     wrong_address("4:14", "\"192.0.2.0/24\"", "it is the network's own address") +
         wrong_address("4:30", "\"192.0.2.255/24\"", "it is the broadcast address of its network") +
         wrong_address("4:48", "\"224.0.0.1/4\"", "a host cannot have this address") +
         wrong_address("4:63", "\"127.0.0.1/8\"", "a host cannot have this address") +
         wrong_address("4:78", "\"::1/128\"", "a host cannot have this address")},
    {port("addresses = ['2001:db8::/64', 'ff02::1/64', '2001:db8::1/129', '2001:db8::1/0']\n"),
     wrong_address("4:14", "\"2001:db8::/64\"", "it is the network's own address") +
         wrong_address("4:31", "\"ff02::1/64\"", "a host cannot have this address") +
         wrong_address("4:45", "\"2001:db8::1/129\"", "its length must be a number") +
         wrong_address("4:64", "\"2001:db8::1/0\"", "its length must be 1 to 128")},
    {port("addresses = ['192.0.2.1/24@0', '192.0.2.1/24@4095', '192.0.2.1/24@']\n"),
     wrong_address("4:14", "\"192.0.2.1/24@0\"", "the VLAN after @ must be 1 to 4094") +
         wrong_address("4:32", "\"192.0.2.1/24@4095\"", "the VLAN after @ must be 1 to 4094") +
         wrong_address("4:53", "\"192.0.2.1/24@\"", "the VLAN after @ must be 1 to 4094")},
    {port("vlans = [5]\naddresses = ['192.0.2.1/24@6']\n"),
     line("5:14", "port.addresses has 192.0.2.1/24@6, but port.vlans lacks 6")},
    {port("addresses = ['192.0.2.1/24', 'fe80::1/64']\n[[port]]\nname = 'b'\ndevice = 'net_null1'\n"
          "addresses = ['192.0.2.1/25', '192.0.2.7/24', 'fe80::1/64']\n"),
     line("8:14", "port.addresses has 192.0.2.1/25, which line 4 has already") +
         line("8:30",
              "port.addresses has 192.0.2.7/24, in the same network as another interface in line 4; only one "
              "of them will have the network's route",
              "warning")},
    // Interfaces that ports read from.
    {device("'net_af_packet0'"),
     line("3:10",
          "port.device net_af_packet0 does not name its interface; write net_af_packet0,iface=INTERFACE")},
    {device("'net_af_packet0,iface=a'"),
     line("3:10", "port.device takes the packets of interface a, but the TAP has the same name; rename the "
                  "port or set port.tap")},
    {device("'net_af_packet0,iface=eth0'") + "[[port]]\nname = 'b'\ndevice = 'net_pcap0,x=1,rx_iface=eth0'\n",
     line("6:10", "port.device takes the packets of interface eth0, which the port in line 3 takes already")},
    {port("vlans = [5, 100]\ntap = 'fourteen.chars'\n"),
     line("4:9", "port.vlans has 5: its interface name fourteen.chars.5 would be longer than 15 characters; "
                 "choose a shorter port.tap") +
         line("4:9", "port.vlans has 100: its interface name fourteen.chars.100 would be longer than 15 "
                     "characters; choose a shorter port.tap")},
    // Missing keys.
    {"", "r.toml: error: there is no port; add a [[port]] section\n"},
    {"[[port]]\nname = 'a'\n", line("1:1", std::string("port.device is missing; ") + device_types)},
    {"[[port]]\ndevice = 'net_null0'\n",
     line("1:1", "port.name is missing; allowed: 1 to 15 letters, digits and ._-")},
    // Keys that contradict each other.
    {port("[[port]]\nname = 'a'\ndevice = 'net_null1'\n"),
     line("5:8", "port.name a is already used by the port in line 2")},
    {port("[[port]]\nname = 'b'\ndevice = 'net_null0,x=1'\n"),
     line("6:10", "port.device net_null0 is already used by the port in line 3")},
    {port("[[port]]\nname = 'b'\ndevice = 'net_null1'\ntap = 'a'\n"),
     line("7:7", "port.tap a is already used by the port in line 1")},
    {after("[threads]\nlookup = 2\n"), line("8:10", "threads.lookup is not allowed in mode complete: the "
                                                    "threads of threads.receive also look up and send")},
    {after("[threads]\nmode = 'fused'\nsend = 1\n"),
     line("9:8", "threads.send is not allowed in mode fused: the threads of threads.lookup also send")},
    {after("[threads]\nreceive = 3\n"), line("8:11", "threads.receive is 3, but all ports together have 2 "
                                                     "queues; raise port.queues or use fewer threads")},
    {after("[threads]\nmode = 'pipeline'\nsend = 3\n"),
     line("9:8", "threads.send is 3, but there are 2 ports, and only one thread sends on each")},
    {after("[threads]\nplacement = 'here'\n"),
     line("8:13", "threads.placement is \"here\"; allowed: \"auto\", \"lookups-apart\" or a section with "
                  "lists of cores")},
    {after("[threads]\nplacement = {}\n"),
     line("8:13", "threads.placement.receive has length 0; allowed: 1, because each thread has one core")},
    {after("[threads]\nplacement = { receive = [1], lookup = [2] }\n"),
     line("8:39", "threads.placement.lookup has length 1; allowed: 0, because each thread has one core")},
    {after("[threads]\nmode = 'fused'\nplacement = { receive = [1], lookup = [1] }\n"),
     line("9:39", "threads.placement.lookup: core 1 has another thread already; allowed with "
                  "threads.placement.share = true")},
    {after("[threads]\nplacement = { receive = [1], host = [2, 3] }\n"),
     line("8:37", "threads.placement.host has length 2; allowed: up to 1, because each thread has one core")},
    {after("[fpm]\nquiet_time = '1h'\n"), line("8:14", "fpm.quiet_time is longer than fpm.sweep_limit")},
    {after("[telemetry]\nprometheus = '0.0.0.0:9620'\n"),
     line("8:14", "telemetry.prometheus is 0.0.0.0:9620, which other machines can reach; allowed with "
                  "telemetry.remote = true")},
    {after("[privileges]\ngroup = 'x'\n"), line("8:9", "privileges.group needs privileges.user")},
    {device("'net_bonding0'"),
     line("3:10", "port.device is net_bonding0, but port.members does not list its members")},
    {port("members = ['net_null1']\n"),
     line("4:11", "port.members is only allowed for a device like net_bonding0")},
    {device("'net_bonding0'") + "members = ['net_bonding1']\n",
     line("4:12",
          "port.members has \"net_bonding1\"; allowed: a list of devices like port.device; a bonding device "
          "cannot be a member of another one")},
    {device("'net_bonding0'") + "members = ['net_af_xdp0']\n",
     line("4:11", "port.members net_af_xdp0 does not name its interface; write net_af_xdp0,iface=INTERFACE")},
    // Warnings.
    {after("[fpm]\nlisten = '0.0.0.0'\n"), line("8:10",
                                                "fpm.listen is 0.0.0.0: any host that reaches it can change "
                                                "all routes, because FPM has no passwords",
                                                "warning")},
    {before("routes = 'kernel'\nfpm.port = 1\n"),
     line("2:1", "[fpm] is not used, because routes is not \"fpm\"", "warning")},
    {port("mtu = 1000\n"), line("4:7", "port.mtu is 1000; IPv6 needs 1280 or more", "warning")},
    {device("'0000:3b:00.0'") + "[memory]\nhuge = false\n",
     line("5:8", "memory.huge is false; 0000:3b:00.0 may not work without huge pages", "warning")},
};

TEST(WrongConfig, EachIsRefusedInTheseWords) {
    EXPECT_GE(wrong_files.size(), 40U);
    for (const wrong_file& one : wrong_files) {
        const std::string said = parse_config(one.text, "r.toml", two_schemes).findings.to_text();
        // The text of a syntax error comes from the library.
        if (one.said.ends_with('\n')) {
            EXPECT_EQ(said, one.said) << one.text;
        } else {
            EXPECT_TRUE(said.starts_with(one.said)) << one.text << said;
        }
    }
}

TEST(WrongConfig, AllErrorsAreReportedInTheOrderOfTheFile) {
    const std::string text =
        "shceme = 'x'\nroutes = 7\n[memory]\nhuge = 1\n[[port]]\nname = 'a'\nqueues = 0\n";
    const parsed_config parsed = parse_config(text, "r.toml", two_schemes);
    std::vector<std::size_t> lines;
    for (const problem& one : parsed.findings.problems())
        lines.push_back(one.where.line);
    EXPECT_EQ(lines, (std::vector<std::size_t>{1, 2, 4, 5, 7})) << parsed.findings.to_text();
}

TEST(WrongConfig, BytesThatAreNoTextAreRefused) {
    for (const std::string& text : {std::string("a = '\xff'"), std::string("\0", 1),
                                    std::string("\xef\xbb\xbf["), std::string(100'000, '[')}) {
        const parsed_config parsed = parse_config(text, "r.toml", two_schemes);
        EXPECT_TRUE(parsed.findings.has_errors());
        EXPECT_FALSE(parsed.findings.problems().empty());
    }
}

} // namespace
} // namespace fingerpost::router
