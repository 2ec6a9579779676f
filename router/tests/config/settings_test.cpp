// Differences between two configurations, and single settings applied to one.
#include <gtest/gtest.h>

#include <algorithm>
#include <any>
#include <string>
#include <vector>

#include "router/config/changes/assignments.hpp"
#include "router/config/changes/settings.hpp"
#include "router/routes/fpm/fpm_settings.hpp"

namespace fingerpost::router {
namespace {

const std::vector<std::string> schemes{"planb", "poptrie", "dir_24_8"};

constexpr const char* two_ports = R"(scheme = "planb"
[[port]]
name = "lan"
device = "net_af_packet0,iface=eth0"
addresses = ["192.0.2.1/24", "2001:db8::1/64"]
[[port]]
name = "wan.5"
device = "net_af_packet1,iface=eth1"
[threads]
idle = "sleep"
)";

parsed_config read(const std::string& text) {
    return parse_config(text, "/etc/fingerpost/router.toml", schemes);
}
std::string with(std::string text, const std::string& old, const std::string& now) {
    const auto at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return text.replace(at, old.size(), now);
}
std::vector<std::string> texts(const std::vector<setting_change>& changes) {
    std::vector<std::string> all;
    for (const setting_change& one : changes)
        all.push_back(one.to_text() + (one.at_once ? "" : " (restart)"));
    return all;
}
std::vector<std::string> changes(const std::string& before, const std::string& after) {
    const parsed_config old = read(before), next = read(after);
    EXPECT_FALSE(old.findings.has_errors()) << old.findings.to_text();
    EXPECT_FALSE(next.findings.has_errors()) << next.findings.to_text();
    return texts(changes_between(old.settings, next.settings));
}
using lines = std::vector<std::string>;

TEST(Settings, EveryKeyIsToldAsTheFileHasIt) {
    const auto told = settings_of(read(two_ports).settings);
    const auto has = [&](const std::string& key, const std::string& value) {
        return std::count(told.begin(), told.end(), setting{key, value}) == 1;
    };
    EXPECT_TRUE(has("scheme", "\"planb\""));
    EXPECT_TRUE(has("routes", "\"fpm\""));
    EXPECT_TRUE(has("fpm.hold_time", "\"5m\""));
    EXPECT_TRUE(has("port.lan.addresses", "[\"192.0.2.1/24\", \"2001:db8::1/64\"]"));
    EXPECT_TRUE(has("port.wan.5.mtu", "1500"));
    EXPECT_TRUE(has("threads.idle", "\"sleep\""));
    EXPECT_TRUE(has("threads.placement", "\"auto\""));
    EXPECT_TRUE(has("memory.huge", "\"auto\""));
    // Every key of the documentation, those of ports twice, without VRFs and lists of cores.
    std::size_t keys = 0;
    for (const key_facts& one : known_keys())
        if (!one.name.starts_with("threads.placement.") && !one.name.starts_with("vrf."))
            keys += one.name.starts_with("port.") ? 2 : 1;
    EXPECT_EQ(told.size(), keys);
}

TEST(Settings, WhatIsReadFromItsOwnTextDoesNotDiffer) {
    EXPECT_EQ(changes(two_ports, two_ports), lines{});
    EXPECT_EQ(changes(two_ports, with(two_ports, "idle = \"sleep\"", "idle = \"sleep\"\nburst = 32")),
              lines{})
        << "a default that is written down is no change";
}

TEST(Settings, DifferencesSayWhatNeedsARestart) {
    EXPECT_EQ(changes(two_ports, with(two_ports, "planb", "poptrie")),
              lines{"scheme: \"planb\", now \"poptrie\""});
    EXPECT_EQ(changes(two_ports, "routes = \"kernel\"\n[fpm]\nhold_time = \"9s\"\n" +
                                     with(two_ports, "scheme = \"planb\"\n", "")),
              (lines{"fpm.hold_time: \"5m\", now \"9s\"", "routes: \"fpm\", now \"kernel\"",
                     "scheme: \"planb\", now \"\""}));
    EXPECT_EQ(changes(two_ports, with(two_ports, "iface=eth1\"", "iface=eth1\"\nmtu = 9000\nqueues = 2")),
              (lines{"port.wan.5.mtu: 1500, now 9000", "port.wan.5.queues: 1, now 2 (restart)"}));
    EXPECT_EQ(changes(two_ports, with(two_ports, "[threads]", "[memory]\nhuge = true\n[threads]")),
              lines{"memory.huge: \"auto\", now true (restart)"});
    EXPECT_EQ(changes(two_ports, with(two_ports, ", \"2001:db8::1/64\"", "")),
              lines{"port.lan.addresses: [\"192.0.2.1/24\", \"2001:db8::1/64\"], now [\"192.0.2.1/24\"]"});
    EXPECT_EQ(changes(two_ports, with(two_ports, "idle = \"sleep\"", "placement = { receive = [1] }")),
              (lines{"threads.idle: \"sleep\", now \"poll\"", "threads.placement.control: none, now []",
                     "threads.placement.host: none, now []", "threads.placement.lookup: none, now []",
                     "threads.placement.receive: none, now [1]", "threads.placement.send: none, now []",
                     "threads.placement.share: none, now false", "threads.placement: \"auto\", now none"}));
}

TEST(Settings, PortsThatComeAndGoAreOneChangeEach) {
    const std::string other = with(two_ports, "name = \"lan\"", "name = \"dmz\"");
    EXPECT_EQ(changes(two_ports, other), (lines{"port.dmz: new (restart)", "port.lan: gone (restart)"}));
}

TEST(Settings, OnlyWhatChangesAtOnceIsMixedIn) {
    const config now = read(two_ports).settings;
    std::string text = with(two_ports, "planb", "dir_24_8");
    text = with(text, "iface=eth1\"", "iface=eth1\"\nmtu = 1400\nqueues = 2\npromiscuous = true");
    text = with(text, "sleep", "poll");
    const config wanted = read(text).settings;
    const config mixed = with_changes_at_once(now, wanted);
    for (const setting_change& one : changes_between(now, mixed))
        EXPECT_TRUE(one.at_once) << one.key;
    for (const setting_change& one : changes_between(mixed, wanted))
        EXPECT_FALSE(one.at_once) << one.key;
    EXPECT_EQ(changes_between(now, mixed).size(), 3u);
    EXPECT_TRUE(has_other_threads(now, mixed));
    EXPECT_FALSE(has_other_threads(now, now));
    EXPECT_EQ(changes_between(mixed, wanted).size(), 2u);
}

parsed_config assigned(const lines& assignments) {
    const parsed_config base = read(two_ports);
    return assign_settings(base.settings, base.findings, assignments, schemes);
}
std::string faults_of(const lines& assignments) {
    return assigned(assignments).findings.to_text();
}
lines changes_by(const lines& assignments) {
    const parsed_config next = assigned(assignments);
    EXPECT_FALSE(next.findings.has_errors()) << next.findings.to_text();
    return texts(changes_between(read(two_ports).settings, next.settings));
}
TEST(Assignments, ValuesAreAsInTheFileOrPlainer) {
    EXPECT_EQ(changes_by({"scheme=poptrie"}), lines{"scheme: \"planb\", now \"poptrie\""});
    EXPECT_EQ(changes_by({"scheme=\"poptrie\""}), lines{"scheme: \"planb\", now \"poptrie\""});
    EXPECT_EQ(changes_by({"scheme="}), lines{"scheme: \"planb\", now \"\""});
    EXPECT_EQ(changes_by({"port.wan.5.mtu=9000", "port.lan.promiscuous=true", "fpm.hold_time=10s"}),
              (lines{"fpm.hold_time: \"5m\", now \"10s\"", "port.lan.promiscuous: false, now true (restart)",
                     "port.wan.5.mtu: 1500, now 9000"}));
    EXPECT_EQ(changes_by({"threads.placement=lookups-apart", "threads.mode=fused"}),
              (lines{"threads.mode: \"complete\", now \"fused\"",
                     "threads.placement: \"auto\", now \"lookups-apart\""}));
    EXPECT_NE(faults_of({"threads.placement.share=true"}).find("threads.placement.receive has length 0"),
              std::string::npos)
        << "lists instead of auto";
    EXPECT_EQ(changes_by({"routes=routes.txt"}),
              lines{"routes: \"fpm\", now \"/etc/fingerpost/routes.txt\""});
}

TEST(Assignments, ListsAreReplacedExtendedAndShortened) {
    EXPECT_EQ(changes_by({"port.wan.5.addresses=198.51.100.1/24,2001:db8:1::1/64"}),
              lines{"port.wan.5.addresses: [], now [\"198.51.100.1/24\", \"2001:db8:1::1/64\"]"});
    EXPECT_EQ(changes_by({"port.lan.addresses=[\"198.51.100.1/24\"]"}),
              lines{"port.lan.addresses: [\"192.0.2.1/24\", \"2001:db8::1/64\"], now [\"198.51.100.1/24\"]"});
    EXPECT_EQ(changes_by({"port.lan.addresses-=192.0.2.1/24", "port.lan.addresses+=192.0.2.2/24",
                          "port.lan.addresses+=192.0.2.2/24"}),
              lines{"port.lan.addresses: [\"192.0.2.1/24\", \"2001:db8::1/64\"], now [\"2001:db8::1/64\", "
                    "\"192.0.2.2/24\"]"});
    EXPECT_EQ(changes_by({"port.lan.addresses="}),
              lines{"port.lan.addresses: [\"192.0.2.1/24\", \"2001:db8::1/64\"], now []"});
}

TEST(Assignments, EveryFaultIsReportedWithItsReason) {
    EXPECT_EQ(faults_of({"nonsense"}), "router set: error: 'nonsense' is not a setting; write KEY=VALUE\n");
    EXPECT_EQ(faults_of({"shceme=planb"}), "router set: error: shceme is not known; did you mean scheme?\n");
    EXPECT_EQ(faults_of({"port.lna.mtu=9000"}),
              "router set: error: there is no port lna; did you mean lan?\n");
    EXPECT_EQ(faults_of({"port.mtu=9000"}), "router set: error: port.mtu is not known; a port's key is "
                                            "port.NAME.KEY\n");
    EXPECT_EQ(faults_of({"scheme+=planb"}), "router set: error: scheme is not a list; write scheme=planb\n");
    EXPECT_EQ(faults_of({"port.lan.addresses-=10.0.0.1/8"}),
              "router set: error: port.lan.addresses does not contain 10.0.0.1/8\n");
    const std::string several =
        faults_of({"port.lan.mtu=99999", "scheme=plan", "port.lan.addresses+=10.0.0.1"});
    EXPECT_NE(several.find("port.mtu is 99999; allowed: a whole number from 576 to 9600"), std::string::npos)
        << several;
    EXPECT_NE(several.find("scheme is \"plan\""), std::string::npos) << several;
    EXPECT_NE(several.find("port.addresses has \"10.0.0.1\""), std::string::npos) << several;
    EXPECT_EQ(std::count(several.begin(), several.end(), '\n'), 3);
}

TEST(Assignments, WhatContradictsTheRestIsAFault) {
    const std::string twice = faults_of({"port.wan.5.addresses+=192.0.2.1/24"});
    EXPECT_EQ(twice, "router set: error: port.addresses has 192.0.2.1/24, which line 5 has already\n");
    EXPECT_NE(faults_of({"port.lan.addresses+=10.0.0.1/8@7"}).find("port.vlans lacks 7"), std::string::npos);
}

} // namespace
} // namespace fingerpost::router
