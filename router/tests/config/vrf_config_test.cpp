// VRFs in the configuration: the resulting list; messages.cases has the messages about errors.
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

TEST(VrfConfig, ThereAreNotTooMany) {
    std::string vrfs;
    for (int i = 1; i <= 256; ++i)
        vrfs += "[[vrf]]\nname = 'v" + std::to_string(i) + "'\ntable = " + std::to_string(1000 + i) + "\n";
    EXPECT_NE(read_vrfs("routes = 'kernel'\n" + three_ports + vrfs)
                  .findings.to_text()
                  .find("there are 256 VRFs; allowed: up to 255"),
              std::string::npos);
}

} // namespace
} // namespace fingerpost::router
