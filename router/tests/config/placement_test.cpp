// The places of threads on machines of all shapes.
#include "router/config/placement.hpp"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "router/config/auto_placement.hpp"
#include "router/config/plan.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/fake_machine.hpp"

namespace fingerpost::router {
namespace {

// A file with four ports of eight queues and these threads.
std::string file_with(const std::string& threads) {
    std::string text = "[threads]\n" + threads + "\n";
    for (const char* const name : {"a", "b", "c", "d"})
        text += std::string("[[port]]\nname = '") + name + "'\ndevice = 'net_null" + name + "'\nqueues = 8\n";
    return text;
}

start_plan plan_of(const std::string& threads, const system::topology& machine) {
    return make_plan(parse_config(file_with(threads), "r.toml", {}), machine);
}

std::string pipeline(unsigned receive, unsigned lookup, unsigned send) {
    return "mode = 'pipeline'\nreceive = " + std::to_string(receive) +
           "\nlookup = " + std::to_string(lookup) + "\nsend = " + std::to_string(send);
}

using lines = std::vector<std::string>;

// The options of a run are the machine, and the node of its ports.
TEST(Placement, ThreadsAreWhereThePageHasThem) {
    const auto shown = [](const std::string& threads, const std::string& options) {
        std::map<std::string, unsigned> facts;
        std::istringstream words(options);
        for (std::string name; words >> name;)
            words >> facts[name];
        const system::topology machine = system::fake_machine({facts["cores"], std::max(facts["threads"], 1U),
                                                               facts["per-cache"], facts["per-node"]})
                                             .read();
        const auto node = facts.contains("node") ? std::optional(facts["node"]) : std::nullopt;
        const start_plan plan = make_plan(parse_config(file_with(threads), "r.toml", {}), machine, node);
        std::string text = plan.findings.to_text();
        for (const std::string& line : plan.threads.lines)
            text += line + "\n";
        return text;
    };
    EXPECT_GE(testing::expect_page(std::filesystem::path(__FILE__).parent_path() / "placement.cases", shown),
              20U);
    const start_plan wrong =
        make_plan(parse_config("x = 1", "r.toml", {}), system::fake_machine({.cores = 2}).read());
    EXPECT_TRUE(wrong.findings.has_errors());
    EXPECT_TRUE(wrong.queues.threads.empty());
}

TEST(Placement, TheNodeOfThePortsIsOneOrNone) {
    const system::fake_machine fake({.cores = 1});
    fake.write("0000:3b:00.0/numa_node", "1");
    fake.write("0000:3b:00.1/numa_node", "1");
    fake.write("0000:af:00.0/numa_node", "0");
    fake.write("0000:00:03.0/numa_node", "-1");
    const auto node_of = [&](const std::vector<std::string>& devices) {
        config settings;
        for (const std::string& device : devices)
            settings.ports.push_back({.name = "", .device = device, .vlans = {}, .tap = ""});
        return node_of_ports(settings, fake.root());
    };
    EXPECT_EQ(node_of({"0000:3b:00.0", "net_null0", "0000:3B:00.1,x=1"}), 1U);
    EXPECT_EQ(node_of({"0000:3b:00.0", "0000:af:00.0"}), std::nullopt) << "on both";
    EXPECT_EQ(node_of({"0000:3b:00.0", "0000:00:03.0"}), std::nullopt) << "the kernel does not know";
    EXPECT_EQ(node_of({"0000:ff:00.0"}), std::nullopt) << "there is no such device";
    EXPECT_EQ(node_of({"net_null0"}), std::nullopt);
}

TEST(Placement, ManySmallCachesOfOneSocket) {
    // Eight groups of four cores, as processors of AMD have them.
    const system::topology machine =
        system::fake_machine({.cores = 32, .cores_per_cache = 4, .cores_per_node = 16}).read();
    const start_plan plan = plan_of("mode = 'fused'\nreceive = 4\nlookup = 12", machine);
    ASSERT_TRUE(plan.findings.problems().empty()) << plan.findings.to_text();
    EXPECT_EQ(distant_pairs(plan.queues, machine, plan.threads.cores), 0U);
    std::set<unsigned> caches;
    for (std::size_t thread = 0; thread < plan.queues.host(); ++thread)
        caches.insert(machine.find(plan.threads.cores[thread])->cache);
    EXPECT_EQ(caches.size(), 4U) << "each pipeline of four threads has a cache of its own";
    EXPECT_EQ(plan.threads.control, 0U);
}

TEST(Placement, PipelinesShareACacheThatHasRoomForAll) {
    // The process may use few cores of most caches, where one pipeline alone would fit.
    const system::fake_machine fake({.cores = 32, .cores_per_cache = 8});
    const system::topology machine =
        *system::read_topology(fake.root(), {0, 1, 2, 8, 9, 10, 16, 17, 18, 24, 25, 26, 27, 28, 29, 30, 31});
    const start_plan plan = plan_of(pipeline(2, 2, 2), machine);
    EXPECT_EQ(plan.threads.lines,
              (lines{"cache of cores 0-2: control on 0, host on 1",
                     "cache of cores 24-31: receive0 on 24, receive1 on 27, lookup0 on 25, lookup1 on "
                     "28, send0 on 26, send1 on 29"}));
}

TEST(Placement, PipelinesStayWholeWhereNoCacheHasRoomForAll) {
    const system::topology machine = system::fake_machine({.cores = 16, .cores_per_cache = 4}).read();
    const start_plan plan = plan_of("mode = 'fused'\nreceive = 2\nlookup = 4", machine);
    EXPECT_EQ(distant_pairs(plan.queues, machine, plan.threads.cores), 0U);
}

TEST(Placement, APipelineThatFillsCachesStaysOnItsNode) {
    const system::topology machine =
        system::fake_machine({.cores = 16, .cores_per_cache = 2, .cores_per_node = 8}).read();
    const start_plan plan = make_plan(parse_config(file_with(pipeline(1, 3, 1)), "r.toml", {}), machine, 1U);
    for (std::size_t thread = 0; thread < plan.queues.host(); ++thread)
        EXPECT_EQ(machine.find(plan.threads.cores[thread])->node, 1U) << thread;
}

// For every machine and every mode: each data thread has a core of its own, physical ones first, and the
// other threads run elsewhere.
TEST(Placement, WhatHoldsOnEveryMachine) {
    const system::machine_shape shapes[] = {{1, 1, 0, 0}, {2, 1, 0, 0},  {2, 2, 0, 0},  {8, 1, 0, 0},
                                            {8, 2, 4, 4}, {12, 1, 3, 6}, {16, 2, 8, 8}, {6, 1, 1, 0}};
    std::size_t plans = 0;
    for (const system::machine_shape& shape : shapes) {
        const system::topology machine = system::fake_machine(shape).read();
        for (unsigned receive = 1; receive <= 4; ++receive)
            for (unsigned lookup = 1; lookup <= 6; ++lookup)
                for (unsigned send = 1; send <= 3; ++send) {
                    const start_plan plan = plan_of(pipeline(receive, lookup, send), machine);
                    const std::size_t threads = receive + lookup + send;
                    if (threads > machine.cores.size()) {
                        EXPECT_TRUE(plan.findings.has_errors());
                        continue;
                    }
                    SCOPED_TRACE(plan.threads.lines[0]);
                    std::set<unsigned> cores;
                    std::set<unsigned> physical;
                    for (std::size_t thread = 0; thread < threads; ++thread) {
                        cores.insert(plan.threads.cores[thread]);
                        physical.insert(machine.find(plan.threads.cores[thread])->physical);
                    }
                    EXPECT_EQ(cores.size(), threads);
                    EXPECT_EQ(physical.size(), std::min<std::size_t>(threads, shape.cores));
                    if (threads < shape.cores) {
                        EXPECT_FALSE(physical.contains(machine.find(plan.threads.control)->physical));
                        EXPECT_FALSE(physical.contains(machine.find(plan.threads.cores.back())->physical));
                    }
                    ++plans;
                }
    }
    EXPECT_GT(plans, 250U);
}

// On every machine with two caches no thread shares one with a thread that looks up, and data threads share
// cores only where there are too few.
TEST(Placement, LookupsApartHoldsOnEveryMachine) {
    const system::machine_shape shapes[] = {
        {8, 2, 4, 4}, {12, 1, 3, 6}, {16, 2, 8, 8}, {16, 1, 2, 8}, {2, 1, 1, 0}};
    for (const system::machine_shape& shape : shapes) {
        const system::topology machine = system::fake_machine(shape).read();
        for (unsigned lookup = 1; lookup <= 6; ++lookup)
            for (const bool fused : {false, true}) {
                const std::string threads =
                    fused ? "mode = 'fused'\nreceive = 1\nlookup = " + std::to_string(lookup)
                          : pipeline(1, lookup, 1);
                const start_plan plan =
                    plan_of(threads + "\nidle = 'sleep'\nplacement = 'lookups-apart'", machine);
                SCOPED_TRACE(plan.threads.lines[0] + ", " + std::to_string(lookup) + " look up");
                EXPECT_TRUE(plan.findings.problems().empty()) << plan.findings.to_text();
                std::set<unsigned> own, other{machine.find(plan.threads.control)->cache,
                                              machine.find(plan.threads.cores.back())->cache};
                for (std::size_t thread = 0; thread < plan.queues.host(); ++thread)
                    (plan.queues.threads[thread].looks_up ? own : other)
                        .insert(machine.find(plan.threads.cores[thread])->cache);
                std::vector<unsigned> both;
                std::ranges::set_intersection(own, other, std::back_inserter(both));
                EXPECT_TRUE(both.empty());
            }
    }
}

TEST(Placement, PipelinesAreThreadsThatFeedEachOther) {
    const system::topology machine = system::fake_machine({.cores = 16}).read();
    const start_plan apart = plan_of(pipeline(2, 4, 1), machine);
    EXPECT_EQ(pipelines_of(apart.queues), (std::vector<std::vector<std::size_t>>{{0, 2, 4, 6}, {1, 3, 5}}));
    const start_plan joined = plan_of(pipeline(2, 3, 1), machine);
    EXPECT_EQ(pipelines_of(joined.queues).size(), 1U);
    const start_plan complete = plan_of("receive = 3", machine);
    EXPECT_EQ(pipelines_of(complete.queues), (std::vector<std::vector<std::size_t>>{{0}, {1}, {2}}));
}

} // namespace
} // namespace fingerpost::router
