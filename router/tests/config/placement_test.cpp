// Placement of threads on machines of all shapes.
#include "router/config/placement.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "router/config/auto_placement.hpp"
#include "router/config/plan.hpp"
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

TEST(Placement, OneCoreHasRoomForThreadsThatSleep) {
    const system::topology machine = system::fake_machine({.cores = 1}).read();
    const start_plan refused = plan_of(pipeline(1, 1, 1), machine);
    EXPECT_EQ(refused.findings.to_text(), "r.toml:1:1: error: 3 threads poll, but the router may use 1 core "
                                          "(0); use fewer threads, or idle = \"sleep\"\n");
    const start_plan slept = plan_of(pipeline(1, 1, 1) + "\nidle = 'sleep'", machine);
    EXPECT_TRUE(slept.findings.problems().empty()) << slept.findings.to_text();
    EXPECT_EQ(slept.threads.cores, (std::vector<unsigned>{0, 0, 0, 0}));
    EXPECT_EQ(slept.threads.lines[0],
              "cache of cores 0: control on 0, host on 0, receive0 on 0, lookup0 on 0, send0 on 0");
}

TEST(Placement, OneThreadOnOneCoreMayPoll) {
    const start_plan plan = plan_of("", system::fake_machine({.cores = 1}).read());
    EXPECT_TRUE(plan.findings.problems().empty()) << plan.findings.to_text();
    EXPECT_EQ(
        plan.threads.lines,
        (lines{"cache of cores 0: control on 0, host on 0, complete0 on 0", "control and host share core 0",
               "control and complete0 share core 0", "host and complete0 share core 0"}));
}

TEST(Placement, TwoCoresKeepTheDataThreadApart) {
    const start_plan plan = plan_of("", system::fake_machine({.cores = 2}).read());
    EXPECT_EQ(plan.threads.lines, (lines{"cache of cores 0-1: control on 0, host on 0, complete0 on 1",
                                         "control and host share core 0"}));
}

TEST(Placement, EightCoresWithOneCache) {
    const start_plan plan = plan_of(pipeline(2, 2, 2), system::fake_machine({.cores = 8}).read());
    EXPECT_EQ(
        plan.threads.lines,
        (lines{"cache of cores 0-7: control on 0, host on 1, receive0 on 2, receive1 on 5, lookup0 on 3, "
               "lookup1 on 6, send0 on 4, send1 on 7"}));
}

TEST(Placement, TwoSocketsAPipelineStaysOnOne) {
    const system::topology machine =
        system::fake_machine({.cores = 8, .cores_per_cache = 4, .cores_per_node = 4}).read();
    const start_plan one = plan_of(pipeline(1, 2, 1), machine);
    EXPECT_EQ(one.threads.lines,
              (lines{"cache of cores 0-3: control on 0, host on 1",
                     "cache of cores 4-7: receive0 on 4, lookup0 on 5, lookup1 on 6, send0 on 7"}));
    // Two pipelines of three threads leave room for the control and host threads on both sockets.
    const start_plan two = plan_of("mode = 'fused'\nreceive = 2\nlookup = 4", machine);
    EXPECT_EQ(two.threads.lines,
              (lines{"cache of cores 0-3: control on 0, receive0 on 1, fused0 on 2, fused2 on 3",
                     "cache of cores 4-7: host on 4, receive1 on 5, fused1 on 6, fused3 on 7"}));
    // Seven threads do not fit, and a line of the log reports it.
    const start_plan large = plan_of(pipeline(1, 5, 1), machine);
    EXPECT_EQ(large.threads.lines.back(), "5 of the rings between data threads connect different caches");
}

TEST(Placement, DataThreadsAreOnTheNodeOfThePorts) {
    const system::fake_machine fake({.cores = 8, .cores_per_cache = 4, .cores_per_node = 4});
    const system::topology machine = fake.read();
    const auto placed_at = [&](unsigned node) {
        return make_plan(parse_config(file_with(pipeline(1, 1, 1)), "r.toml", {}), machine, node)
            .threads.lines;
    };
    EXPECT_EQ(placed_at(0),
              (lines{"cache of cores 0-3: control on 0, receive0 on 1, lookup0 on 2, send0 on 3",
                     "cache of cores 4-7: host on 4"}));
    EXPECT_EQ(placed_at(1), (lines{"cache of cores 0-3: control on 0, host on 1",
                                   "cache of cores 4-7: receive0 on 4, lookup0 on 5, send0 on 6"}));
    const auto full = make_plan(parse_config(file_with(pipeline(1, 4, 1)), "r.toml", {}), machine, 1U);
    EXPECT_EQ(std::count(full.threads.lines.begin(), full.threads.lines.end(),
                         "2 of 6 data threads are not on the ports' node 1"),
              1);
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
    // Eight groups of four cores, as in AMD processors.
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

TEST(Placement, TheOthersMakeRoomInEachCache) {
    const system::topology machine = system::fake_machine({.cores = 8, .cores_per_cache = 4}).read();
    const start_plan plan = plan_of("mode = 'fused'\nreceive = 2\nlookup = 4", machine);
    EXPECT_EQ(plan.threads.lines,
              (lines{"cache of cores 0-3: control on 0, receive0 on 1, fused0 on 2, fused2 on 3",
                     "cache of cores 4-7: host on 4, receive1 on 5, fused1 on 6, fused3 on 7"}));
}

TEST(Placement, PipelinesShareACacheThatHasRoomForAll) {
    // The process may use few cores of most caches, where a single pipeline would fit.
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

TEST(Placement, HyperThreadsComeLast) {
    const system::topology machine = system::fake_machine({.cores = 4, .threads = 2}).read();
    const start_plan fits = plan_of(pipeline(1, 1, 1), machine);
    EXPECT_EQ(fits.threads.lines,
              (lines{"cache of cores 0-7: control on 0, host on 0, receive0 on 1, lookup0 on 2, send0 on 3",
                     "control and host share core 0"}));
    const start_plan full = plan_of(pipeline(1, 2, 1), machine);
    EXPECT_EQ(full.threads.lines, (lines{"cache of cores 0-7: control on 4, host on 5, receive0 on 0, "
                                         "lookup0 on 1, lookup1 on 2, send0 on "
                                         "3",
                                         "control and receive0 are hyper-threads of the same core",
                                         "host and lookup0 are hyper-threads of the same core"}));
    const start_plan over = plan_of(pipeline(2, 4, 2), machine);
    EXPECT_TRUE(over.findings.problems().empty()) << "eight polling threads on eight hyper-threads";
    const std::set<unsigned> used(over.threads.cores.begin(), over.threads.cores.end() - 1);
    EXPECT_EQ(used.size(), 8U);
}

// On every machine and in every mode, each data thread has its own core, physical ones first, and the other
// threads run elsewhere.
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

TEST(Placement, LookupsApartHaveACacheOfTheirOwn) {
    const system::topology machine = system::fake_machine({.cores = 8, .cores_per_cache = 4}).read();
    const start_plan plan = plan_of(pipeline(1, 3, 1) + "\nplacement = 'lookups-apart'", machine);
    EXPECT_TRUE(plan.findings.problems().empty()) << plan.findings.to_text();
    EXPECT_EQ(plan.threads.lines,
              (lines{"cache of cores 0-3: lookup0 on 0, lookup1 on 1, lookup2 on 2",
                     "cache of cores 4-7: control on 4, host on 5, receive0 on 6, send0 on 7",
                     "6 of the rings between data threads connect different caches"}));
    const start_plan together = plan_of(pipeline(1, 1, 1) + "\nplacement = 'auto'", machine);
    EXPECT_EQ(distant_pairs(together.queues, machine, together.threads.cores), 0U);
}

// On every machine with two caches, no thread shares a cache with a lookup thread, and data threads share
// cores only if there are too few.
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

TEST(Placement, LookupsApartIsAutoWhereItCannotBe) {
    const system::topology one = system::fake_machine({.cores = 4}).read();
    const start_plan pipelined = plan_of(pipeline(1, 1, 1) + "\nplacement = 'lookups-apart'", one);
    EXPECT_EQ(pipelined.findings.to_text(), "r.toml:6:13: warning: lookups-apart is the same as auto here: "
                                            "all cores that the router may use share one cache\n");
    EXPECT_EQ(pipelined.threads.lines, plan_of(pipeline(1, 1, 1), one).threads.lines);
    const system::topology two = system::fake_machine({.cores = 8, .cores_per_cache = 4}).read();
    const start_plan complete = plan_of("receive = 2\nplacement = 'lookups-apart'", two);
    EXPECT_EQ(complete.findings.to_text(), "r.toml:3:13: warning: lookups-apart is the same as auto here: in "
                                           "mode \"complete\" every thread looks up\n");
    EXPECT_EQ(complete.threads.lines, plan_of("receive = 2", two).threads.lines);
}

TEST(Placement, ByHandIsTakenAsItIs) {
    const system::topology machine = system::fake_machine({.cores = 8}).read();
    const start_plan plan = plan_of(
        pipeline(1, 2, 1) + "\nplacement = { receive = [7], lookup = [5, 6], send = [2], control = [4] }",
        machine);
    EXPECT_TRUE(plan.findings.problems().empty()) << plan.findings.to_text();
    EXPECT_EQ(plan.threads.cores, (std::vector<unsigned>{7, 5, 6, 2, 0})) << "the host takes a free core";
    EXPECT_EQ(plan.threads.control, 4U);
}

TEST(Placement, ByHandTheOthersAvoidHyperThreadsOfDataThreads) {
    const system::topology machine = system::fake_machine({.cores = 4, .threads = 2}).read();
    const start_plan plan = plan_of("receive = 2\nplacement = { receive = [0, 1] }", machine);
    EXPECT_EQ(plan.threads.control, 2U);
    EXPECT_EQ(plan.threads.cores.back(), 3U);
}

TEST(Placement, ByHandIsCheckedAgainstTheMachine) {
    const system::topology machine = system::fake_machine({.cores = 2}).read();
    const start_plan unknown = plan_of("placement = { receive = [2], host = [9] }", machine);
    EXPECT_EQ(
        unknown.findings.to_text(),
        "r.toml:2:25: error: threads.placement.receive: there is no core 2 that the router may use; allowed: "
        "0-1\n"
        "r.toml:2:37: error: threads.placement.host: there is no core 9 that the router may use; allowed: "
        "0-1\n");
    const start_plan shared = plan_of("receive = 2\nplacement = { receive = [1, 1], share = true }", machine);
    EXPECT_EQ(shared.findings.to_text(),
              "r.toml:3:13: warning: core 1 has several polling threads; consider idle = \"sleep\"\n");
}

TEST(Placement, TooFewBuffersAreToldAndWrongFilesAreNotPlaced) {
    const system::topology machine = system::fake_machine({.cores = 2}).read();
    const start_plan few =
        make_plan(parse_config("[memory]\nmbufs = 3000\n" + file_with(""), "r.toml", {}), machine);
    EXPECT_FALSE(few.findings.has_errors());
    EXPECT_TRUE(few.findings.to_text().starts_with("r.toml:2:9: warning: memory.mbufs is 3000; "))
        << few.findings.to_text();
    const start_plan none =
        make_plan(parse_config("[memory]\nmbufs = 1000\n" + file_with(""), "r.toml", {}), machine);
    EXPECT_EQ(none.findings.to_text(), "r.toml:2:9: error: memory.mbufs is 1000; the minimum is 2560, "
                                       "because devices take 2048 at the start\n");
    const start_plan wrong = make_plan(parse_config("x = 1", "r.toml", {}), machine);
    EXPECT_TRUE(wrong.findings.has_errors());
    EXPECT_TRUE(wrong.queues.threads.empty());
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
