// Reads the topology from directory trees like those of the kernel.
#include "system/topology.hpp"

#include <gtest/gtest.h>
#include <numeric>

#include "tests/support/fake_machine.hpp"

namespace fingerpost::system {
namespace {

topology read(const fake_machine& machine) {
    auto found = read_topology(machine.root(), machine.cores());
    EXPECT_TRUE(found.has_value()) << (found ? "" : found.error());
    return found ? *found : topology{};
}

TEST(Topology, OneCore) {
    const topology found = read(fake_machine({.cores = 1}));
    ASSERT_EQ(found.cores.size(), 1U);
    EXPECT_EQ(found.cores[0], (core_facts{0, 0, 0, 0}));
}

TEST(Topology, HyperThreadsAreNamedAfterTheFirst) {
    const topology found = read(fake_machine({.cores = 4, .threads = 2}));
    ASSERT_EQ(found.cores.size(), 8U);
    EXPECT_EQ(found.find(1)->physical, 1U);
    EXPECT_EQ(found.find(5)->physical, 1U) << "core 5 is the second thread of core 1";
    EXPECT_EQ(found.find(7)->cache, 0U);
}

TEST(Topology, CachesAndNodes) {
    const topology found = read(fake_machine({.cores = 16, .cores_per_cache = 4, .cores_per_node = 8}));
    EXPECT_EQ(found.find(3)->cache, 0U);
    EXPECT_EQ(found.find(4)->cache, 4U);
    EXPECT_EQ(found.find(15)->cache, 12U);
    EXPECT_EQ(found.find(7)->node, 0U);
    EXPECT_EQ(found.find(8)->node, 1U);
}

TEST(Topology, TheHighestLevelCountsAndInstructionsDoNot) {
    fake_machine machine({.cores = 2});
    machine.write("cpu0/cache/index0/level", "3");
    machine.write("cpu0/cache/index0/shared_cpu_list", "0-1");
    machine.write("cpu0/cache/index1/level", "1");
    machine.write("cpu0/cache/index1/shared_cpu_list", "0");
    machine.write("cpu1/cache/index2/level", "4");
    machine.write("cpu1/cache/index2/type", "Instruction");
    machine.write("cpu1/cache/index2/shared_cpu_list", "1");
    const topology found = read(machine);
    EXPECT_EQ(found.find(0)->cache, 0U);
    EXPECT_EQ(found.find(1)->cache, 0U);
}

TEST(Topology, WithoutCachesAPackageSharesOne) {
    fake_machine machine({.cores = 2});
    machine.remove("cpu0/cache");
    machine.remove("cpu1/cache");
    machine.write("cpu0/topology/core_siblings_list", "0-1");
    machine.write("cpu1/topology/core_siblings_list", "0-1");
    EXPECT_EQ(read(machine).find(1)->cache, 0U);
}

TEST(Topology, WithoutAnythingEachCoreIsItsOwn) {
    fake_machine machine({.cores = 2});
    machine.remove("cpu1");
    EXPECT_EQ(*read(machine).find(1), (core_facts{1, 1, 1, 0}));
}

TEST(Topology, OnlyCoresThatAreOnlineAndAllowed) {
    fake_machine machine({.cores = 8});
    machine.write("online", "0-5,7");
    const auto found = read_topology(machine.root(), {1, 5, 6, 7, 99});
    ASSERT_TRUE(found.has_value());
    std::vector<unsigned> numbers;
    for (const core_facts& core : (*found).cores)
        numbers.push_back(core.number);
    EXPECT_EQ(numbers, (std::vector<unsigned>{1, 5, 7}));
    const auto none = read_topology(machine.root(), {6});
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error(), "none of the online cores (0-5,7) may be used by this process (6)");
}

TEST(Topology, FilesThatCannotBeUnderstoodAreNamed) {
    for (const char* const file : {"online", "cpu1/topology/thread_siblings_list", "cpu1/cache/index0/level",
                                   "cpu1/cache/index0/shared_cpu_list"}) {
        fake_machine machine({.cores = 2});
        machine.write(file, "0-x");
        const auto found = read_topology(machine.root(), {0, 1});
        ASSERT_FALSE(found.has_value()) << file;
        EXPECT_EQ(found.error(), machine.root() + "/" + file + " cannot be parsed");
    }
    const auto nowhere = read_topology("/nonexistent", {0});
    ASSERT_FALSE(nowhere.has_value());
    EXPECT_EQ(nowhere.error(), "/nonexistent/online cannot be read");
}

TEST(Topology, ListsOfCores) {
    EXPECT_EQ(parse_core_list("0-2,5,4"), (std::vector<unsigned>{0, 1, 2, 4, 5}));
    EXPECT_EQ(parse_core_list(""), std::vector<unsigned>{});
    for (const char* const text : {"x", "1-", "-1", "2-1", "1,,2", "0-99999999", "1 2", "99999999999"})
        EXPECT_FALSE(parse_core_list(text).has_value()) << text;
    EXPECT_EQ(to_core_list({0, 1, 2, 4, 8, 9}), "0-2,4,8-9");
    EXPECT_EQ(to_core_list({}), "");
}

TEST(Topology, ThisMachine) {
    const std::vector<unsigned> allowed = allowed_cores();
    ASSERT_FALSE(allowed.empty());
    const auto found = read_topology(kernel_cores, allowed);
    ASSERT_TRUE(found.has_value()) << found.error();
    EXPECT_LE((*found).cores.size(), allowed.size());
}

} // namespace
} // namespace fingerpost::system
