// The wiring of all modes, numbers of threads and ports: every queue is polled exactly once, and every packet
// can leave.
#include "router/config/wiring.hpp"

#include <gtest/gtest.h>
#include <set>

namespace fingerpost::router {
namespace {

struct wired {
    config settings;
    std::vector<port_queues> ports;
    wiring plan;
};

wired wire(run_mode mode, unsigned receive, unsigned lookup, unsigned send, unsigned ports, unsigned queues,
           unsigned transmit) {
    wired made;
    made.settings.threads.mode = mode;
    made.settings.threads.receive = receive;
    made.settings.threads.lookup = lookup;
    made.settings.threads.send = send;
    made.settings.ports.resize(ports);
    for (port_config& port : made.settings.ports)
        port.queues = queues;
    made.ports.assign(ports, {.receive = queues, .transmit = transmit});
    made.plan = plan_wiring(made.settings, made.ports);
    return made;
}

// Calls run(wired, description) for every mode with 1 to 8 threads per stage, 1 to 4 ports, few and many
// queues.
template <class F>
std::size_t for_all(F run) {
    std::size_t plans = 0;
    const auto one = [&](run_mode mode, unsigned receive, unsigned lookup, unsigned send) {
        for (unsigned ports = 1; ports <= 4; ++ports)
            for (const unsigned queues : {1U, 3U, 8U})
                for (const unsigned transmit : {1U, 2U, 4U, 16U}) {
                    // cross_check() refuses this.
                    if (receive > ports * queues || (mode == run_mode::pipeline && send > ports))
                        continue;
                    const wired made = wire(mode, receive, lookup, send, ports, queues, transmit);
                    SCOPED_TRACE(std::string(name_of(mode)) + ", receive " + std::to_string(receive) +
                                 ", lookup " + std::to_string(lookup) + ", send " + std::to_string(send) +
                                 ", ports " + std::to_string(ports) + ", queues " + std::to_string(queues) +
                                 ", transmit " + std::to_string(transmit));
                    run(made);
                    ++plans;
                }
    };
    for (unsigned receive = 1; receive <= 8; ++receive) {
        one(run_mode::complete, receive, 1, 1);
        for (unsigned lookup = 1; lookup <= 8; ++lookup) {
            one(run_mode::fused, receive, lookup, 1);
            for (unsigned send = 1; send <= 8; ++send)
                one(run_mode::pipeline, receive, lookup, send);
        }
    }
    return plans;
}

TEST(Wiring, EveryReceiveQueueIsPolledOnce) {
    const std::size_t plans = for_all([](const wired& made) {
        std::set<std::pair<std::size_t, unsigned>> polled;
        for (const wired_thread& thread : made.plan.threads) {
            EXPECT_EQ(thread.receives, !thread.polls.empty());
            for (const receive_queue& queue : thread.polls)
                EXPECT_TRUE(polled.emplace(queue.port, queue.queue).second);
        }
        EXPECT_EQ(polled.size(), made.ports.size() * made.ports[0].receive);
    });
    EXPECT_GT(plans, 3'000U);
}

TEST(Wiring, EveryRingHasOneProducerAndOneConsumer) {
    for_all([](const wired& made) {
        std::vector<std::set<std::size_t>> producers(made.plan.rings.size());
        std::vector<unsigned> consumers(made.plan.rings.size());
        for (std::size_t t = 0; t < made.plan.threads.size(); ++t) {
            const wired_thread& thread = made.plan.threads[t];
            std::vector<std::size_t> into = thread.lookup_rings;
            for (const port_exit& exit : thread.exits)
                if (exit.ring)
                    into.push_back(*exit.ring);
            if (thread.to_host)
                into.push_back(*thread.to_host);
            for (const std::size_t ring : into) {
                producers[ring].insert(t);
                EXPECT_EQ(made.plan.rings[ring].producer, t);
            }
            std::vector<std::size_t> from = thread.inputs;
            if (thread.from_host)
                from.push_back(*thread.from_host);
            for (const std::size_t ring : from) {
                ++consumers[ring];
                EXPECT_EQ(made.plan.rings[ring].consumer, t);
            }
        }
        for (std::size_t ring = 0; ring < made.plan.rings.size(); ++ring) {
            EXPECT_EQ(producers[ring].size(), 1U) << ring;
            EXPECT_EQ(consumers[ring], 1U) << ring;
            EXPECT_NE(made.plan.rings[ring].producer, made.plan.rings[ring].consumer);
            EXPECT_GT(made.plan.rings[ring].size, 0U);
        }
    });
}

TEST(Wiring, TransmitQueuesHaveOneThreadAndThereAreEnough) {
    for_all([](const wired& made) {
        for (std::size_t port = 0; port < made.ports.size(); ++port) {
            std::set<unsigned> queues;
            for (const wired_thread& thread : made.plan.threads)
                if (!thread.exits.empty() && thread.exits[port].queue) {
                    EXPECT_TRUE(queues.insert(*thread.exits[port].queue).second);
                    EXPECT_TRUE(thread.sends || thread.name == "host");
                }
            EXPECT_LE(queues.size(), made.ports[port].transmit);
            EXPECT_EQ(queues.size(), made.plan.transmit_queues[port]);
            EXPECT_EQ(*queues.rbegin() + 1, queues.size()) << "queues are numbered without gaps";
        }
    });
}

// From the thread that chose the port to the transmit queue there is at most one ring.
bool leaves(const wiring& plan, std::size_t thread, std::size_t port) {
    const port_exit& exit = plan.threads[thread].exits[port];
    if (exit.queue.has_value() == exit.ring.has_value())
        return false;
    return exit.queue || plan.threads[plan.rings[*exit.ring].consumer].exits[port].queue;
}

TEST(Wiring, FromEveryQueueThereIsAPathToEveryPort) {
    for_all([](const wired& made) {
        const wiring& plan = made.plan;
        for (const wired_thread& thread : plan.threads) {
            if (!thread.receives)
                continue;
            std::vector<std::size_t> searchers;
            for (const std::size_t ring : thread.lookup_rings)
                searchers.push_back(plan.rings[ring].consumer);
            if (thread.looks_up)
                searchers.push_back(static_cast<std::size_t>(&thread - plan.threads.data()));
            ASSERT_FALSE(searchers.empty());
            for (const std::size_t searcher : searchers) {
                EXPECT_TRUE(plan.threads[searcher].looks_up);
                for (std::size_t port = 0; port < made.ports.size(); ++port)
                    EXPECT_TRUE(leaves(plan, searcher, port));
            }
        }
    });
}

TEST(Wiring, EveryThreadThatLooksUpIsFedAndTheSameNumberOfTimes) {
    for_all([](const wired& made) {
        std::set<std::size_t> fed;
        for (const wired_thread& thread : made.plan.threads) {
            std::set<std::size_t> here(thread.lookup_rings.begin(), thread.lookup_rings.end());
            EXPECT_EQ(here.size(), thread.lookup_rings.size())
                << "a flow's hash chooses among different rings";
            if (thread.receives && !thread.looks_up) {
                EXPECT_EQ(here.size(), made.plan.threads[0].lookup_rings.size());
            }
            for (const std::size_t ring : here)
                fed.insert(made.plan.rings[ring].consumer);
        }
        if (made.settings.threads.mode != run_mode::complete) {
            EXPECT_EQ(fed.size(), made.settings.threads.lookup);
        }
    });
}

TEST(Wiring, TheHostHearsFromAllAndReachesEveryPort) {
    for_all([](const wired& made) {
        const wiring& plan = made.plan;
        EXPECT_EQ(plan.threads[plan.host()].name, "host");
        EXPECT_EQ(plan.threads[plan.host()].inputs.size(), plan.host());
        for (std::size_t thread = 0; thread < plan.host(); ++thread) {
            ASSERT_TRUE(plan.threads[thread].to_host);
            EXPECT_EQ(plan.rings[*plan.threads[thread].to_host].consumer, plan.host());
        }
        for (std::size_t port = 0; port < made.ports.size(); ++port)
            EXPECT_TRUE(leaves(plan, plan.host(), port));
    });
}

TEST(Wiring, PipelineOfThePaper) {
    // Two queues, two pipelines: each receive thread has its own lookup thread, and both feed the only send
    // thread.
    const wiring plan = wire(run_mode::pipeline, 2, 2, 1, 2, 1, 4).plan;
    ASSERT_EQ(plan.threads.size(), 6U);
    EXPECT_EQ(plan.threads[0].name, "receive0");
    EXPECT_EQ(plan.threads[3].name, "lookup1");
    EXPECT_EQ(plan.threads[4].name, "send0");
    EXPECT_EQ(plan.threads[0].polls, (std::vector<receive_queue>{{0, 0}}));
    EXPECT_EQ(plan.threads[1].polls, (std::vector<receive_queue>{{1, 0}}));
    ASSERT_EQ(plan.threads[0].lookup_rings.size(), 1U);
    EXPECT_EQ(plan.rings[plan.threads[0].lookup_rings[0]].consumer, 2U);
    EXPECT_EQ(plan.threads[4].inputs.size(), 2U);
    EXPECT_EQ(plan.transmit_queues, (std::vector<unsigned>{2, 2})) << "send0 and the host";
}

TEST(Wiring, AScarceTransmitQueueBelongsToOneThread) {
    const wiring plan = wire(run_mode::complete, 3, 1, 1, 2, 2, 2).plan;
    EXPECT_TRUE(plan.threads[0].exits[0].queue);
    EXPECT_FALSE(plan.threads[0].exits[1].queue);
    EXPECT_TRUE(plan.threads[1].exits[1].queue);
    ASSERT_TRUE(plan.threads[2].exits[0].ring);
    EXPECT_EQ(plan.rings[*plan.threads[2].exits[0].ring].consumer, 0U);
    EXPECT_EQ(plan.threads[0].inputs.size(), 2U) << "both others hand packets over";
    EXPECT_TRUE(plan.threads[3].exits[0].queue) << "the second queue is the host's";
}

TEST(Wiring, WithoutDevicesThereAreAsManyQueuesAsWanted) {
    const wired made = wire(run_mode::fused, 1, 5, 1, 3, 2, 1);
    const wiring plan = plan_wiring(made.settings);
    for (const wired_ring& ring : plan.rings)
        EXPECT_TRUE(ring.use == ring_use::lookup || ring.use == ring_use::to_host);
    EXPECT_EQ(plan.transmit_queues, (std::vector<unsigned>{6, 6, 6}));
}

TEST(Wiring, BuffersForAllThatCanHoldThem) {
    wired made = wire(run_mode::complete, 1, 1, 1, 1, 1, 4);
    const std::size_t plain = buffers_needed(made.settings, made.plan);
    EXPECT_GE(plain, 1'024U * 3 + 1'024U) << "a receive and two transmit queues, and the ring to the host";
    made.settings.ports[0].descriptors = 2'048;
    EXPECT_EQ(buffers_needed(made.settings, made.plan), plain + 1'024U * 3);
}

} // namespace
} // namespace fingerpost::router
