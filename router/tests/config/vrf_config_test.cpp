// VRFs in the configuration: the resulting list, and the messages about errors.
#include <gtest/gtest.h>

#include "router/config/config.hpp"
#include "router/config/vrf_plan.hpp"

namespace fingerpost::router {
namespace {

// Three ports, in lines 1 to 11.
const std::string three_ports = "[[port]]\nname = 'a'\ndevice = 'net_null0'\n"
                                "[[port]]\nname = 'b'\ndevice = 'net_null1'\nvlans = [5, 6]\n"
                                "[[port]]\nname = 'c.d'\ndevice = 'net_null2'\nvlans = [5]\n";

parsed_config read_vrfs(const std::string& text) {
    return parse_config(text, "/etc/r.toml", {});
}
std::string said_of(const std::string& vrfs, const std::string& before = "routes = 'kernel'\n") {
    return read_vrfs(before + three_ports + vrfs).findings.to_text();
}
// A message about line 12 or later; the source of routes in line 1 shifts lines by one.
std::string line_of(const std::string& place, const std::string& text, const char* how = "error") {
    return "/etc/r.toml:" + place + ": " + how + ": " + text + "\n";
}

TEST(VrfConfig, PortsVlansAndTables) {
    const parsed_config parsed =
        read_vrfs("routes = 'kernel'\n" + three_ports +
                  "[[vrf]]\nname = 'red'\ntable = 100\nports = ['a', 'b@5']\n"
                  "[[vrf]]\nname = 'blue'\ntable = 4294967295\nports = ['b', 'c.d@5']\n");
    ASSERT_TRUE(parsed.findings.problems().empty()) << parsed.findings.to_text();
    const vrf_list vrfs = vrfs_of(parsed.settings);
    ASSERT_EQ(vrfs.size(), 3U);
    EXPECT_EQ(vrfs[0].name, "default");
    EXPECT_EQ(vrfs.named("red"), 1);
    EXPECT_EQ(vrfs.named("green"), std::nullopt);
    EXPECT_EQ(vrfs.with_table(254), default_vrf);
    EXPECT_EQ(vrfs.with_table(100), 1);
    EXPECT_EQ(vrfs.with_table(4294967295), 2);
    EXPECT_EQ(vrfs.with_table(0), std::nullopt);
    EXPECT_EQ(vrfs.tables(), (std::vector<std::uint32_t>{254, 100, 4294967295}));
    EXPECT_EQ(vrfs.of(0, 0), 1);
    EXPECT_EQ(vrfs.of(1, 0), 2);
    EXPECT_EQ(vrfs.of(1, 5), 1) << "named itself";
    EXPECT_EQ(vrfs.of(1, 6), 2) << "with its port";
    EXPECT_EQ(vrfs.of(2, 0), default_vrf) << "only its VLAN is named";
    EXPECT_EQ(vrfs.of(2, 5), 2);
}

TEST(VrfConfig, WithoutVrfsThereIsTheDefaultOne) {
    const vrf_list vrfs = vrfs_of(read_vrfs(three_ports).settings);
    EXPECT_TRUE(vrfs.has_one());
    EXPECT_EQ(vrfs.of(1, 5), default_vrf);
}

TEST(VrfConfig, FilesAreBesideTheConfiguration) {
    const parsed_config parsed =
        read_vrfs("routes = './all.txt'\n" + three_ports + "[[vrf]]\nname = 'red'\nports = ['a']\n" +
                  "[[vrf]]\nname = 'blue'\nports = ['b']\nroutes = 'blue.txt'\n");
    ASSERT_TRUE(parsed.findings.problems().empty()) << parsed.findings.to_text();
    const auto files = vrf_files_of(parsed.settings);
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files[0].vrf, 2);
    EXPECT_EQ(files[0].path, "/etc/blue.txt");
}

TEST(VrfConfig, AddressesMayBeTheSameInTwoVrfs) {
    const auto with_addresses = [](const std::string& vrfs) {
        return read_vrfs("routes = 'kernel'\n"
                         "[[port]]\nname = 'a'\ndevice = 'net_null0'\naddresses = ['10.0.0.1/24']\n"
                         "[[port]]\nname = 'b'\ndevice = 'net_null1'\nvlans = [5]\n"
                         "addresses = ['10.0.0.1/24@5', '10.0.0.1/24']\n" +
                         vrfs)
            .findings.to_text();
    };
    EXPECT_EQ(with_addresses(""), line_of("10:14", "port.addresses has 10.0.0.1/24@5, which line 5 has already") +
                                      line_of("10:31", "port.addresses has 10.0.0.1/24, which line 5 has already"));
    EXPECT_EQ(with_addresses("[[vrf]]\nname = 'red'\ntable = 100\nports = ['b']\n"),
              line_of("10:31", "port.addresses has 10.0.0.1/24, which line 10 has already"));
    EXPECT_EQ(with_addresses("[[vrf]]\nname = 'red'\ntable = 100\nports = ['b']\n"
                             "[[vrf]]\nname = 'blue'\ntable = 101\nports = ['b@5']\n"),
              "");
}

struct wrong_vrf {
    const char* vrfs;
    std::string said;
};

TEST(VrfConfig, WhatIsWrongIsSaid) {
    const std::string no_table = "the VRF x has no vrf.table, so it only has the routes of its addresses";
    const std::vector<wrong_vrf> all{
        {"[[vrf]]\ntable = 7\n",
         line_of("13:1", "vrf.name is missing; allowed: 1 to 15 letters, digits and ._-")},
        {"[[vrf]]\nname = 'default'\ntable = 7\n",
         line_of("14:8", "vrf.name is default, which is reserved for the VRF of all other ports")},
        {"[[vrf]]\nname = 'x'\ntable = 7\n[[vrf]]\nname = 'x'\ntable = 8\n",
         line_of("17:8", "vrf.name x is already used by the VRF in line 14")},
        {"[[vrf]]\nname = 'x'\ntable = 7\n[[vrf]]\nname = 'y'\ntable = 7\n",
         line_of("18:9", "vrf.table 7 is already used by the VRF in line 15")},
        {"[[vrf]]\nname = 'x'\ntable = 254\n",
         line_of("15:9", "vrf.table 254 is the kernel's table main, which belongs to the default VRF")},
        {"[[vrf]]\nname = 'x'\ntable = 255\n", line_of("15:9", "vrf.table 255 is the kernel's table local")},
        {"[[vrf]]\nname = 'x'\ntable = 4294967296\n",
         line_of("14:8", no_table, "warning") +
             line_of("15:9", "vrf.table is 4294967296; allowed: a whole number from 0 to 4294967295")},
        {"[[vrf]]\nname = 'x'\ntable = 7\nports = ['aa']\n",
         line_of("16:10", "vrf.ports has aa, but there is no port aa")},
        {"[[vrf]]\nname = 'x'\ntable = 7\nports = ['a@5']\n",
         line_of("16:10", "vrf.ports has a@5, but port.vlans of a lacks 5")},
        {"[[vrf]]\nname = 'x'\ntable = 7\nports = ['a@0']\n",
         line_of("16:10", "vrf.ports has \"a@0\"; allowed: a list of PORT, or PORT@VLAN; the VLAN after @ "
                          "must be 1 to 4094")},
        {"[[vrf]]\nname = 'x'\ntable = 7\nports = ['a']\n[[vrf]]\nname = 'y'\ntable = 8\nports = ['b', "
         "'a']\n",
         line_of("20:15", "vrf.ports has a, which line 16 has already")},
        {"[[vrf]]\nname = 'x'\n", line_of("14:8", no_table, "warning")},
        {"[[vrf]]\nname = 'x'\ntable = 7\nroutes = 'x.txt'\n",
         line_of("16:10", "vrf.routes is not used, because routes is \"kernel\"", "warning")},
    };
    for (const wrong_vrf& one : all)
        EXPECT_EQ(said_of(one.vrfs), one.said) << one.vrfs;
}

TEST(VrfConfig, ThereAreNotTooMany) {
    std::string vrfs;
    for (int i = 1; i <= 256; ++i)
        vrfs += "[[vrf]]\nname = 'v" + std::to_string(i) + "'\ntable = " + std::to_string(1000 + i) + "\n";
    EXPECT_NE(said_of(vrfs).find("there are 256 VRFs; allowed: up to 255"), std::string::npos);
}

} // namespace
} // namespace fingerpost::router
