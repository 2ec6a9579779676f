// The rate limit of each port for packets to the kernel.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <rte_cycles.h>

#include "router/tests/data/packets.hpp"
#include "router/tests/data/ring_router.hpp"
#include "router/threads/kernel_limits.hpp"

namespace fingerpost::router {
namespace {

using testing::octets;
using testing::shape;

constexpr unsigned most = 10;

class KernelLimits : public ::testing::TestWithParam<shape>, protected testing::ring_router {
  protected:
    void SetUp() override {
        make(GetParam(), {.to_kernel = {.per_second = 1, .burst = most}});
        add_address(10, "10.0.0.1", 24);
        add_address(11, "10.1.0.1", 24);
        commit();
    }
    void send(std::size_t port, const octets& bytes, unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            ports[port]->put(bytes);
            run();
        }
    }
};

INSTANTIATE_TEST_SUITE_P(forms, KernelLimits,
                         ::testing::Values(shape{run_mode::complete, 1, 1, 1, 2},
                                           shape{run_mode::pipeline, 1, 2, 1, 2}));

TEST_P(KernelLimits, HoldForEachPort) {
    const octets own = testing::ipv4_frame().ip_set(16, "0a000001").summed().bytes;
    const octets arp = testing::ipv4_frame().set(12, "0806").bytes;
    const octets lost = testing::ipv4_frame().ip_set(16, "08080808").summed().bytes;
    const std::uint64_t before = rte_rdtsc();
    send(0, own, most);
    send(0, arp, most);
    const std::size_t came = taps[0]->take().size();
    // One more is allowed per second.
    EXPECT_GE(came, most);
    EXPECT_LE(came, most + 1 + (rte_rdtsc() - before) / rte_get_tsc_hz());
    EXPECT_EQ(dropped(drop_reason::over_kernel_rate), 2 * most - came);
    // Packets that do not go to the kernel are not limited, and other ports are not affected.
    send(0, lost, 2 * most);
    EXPECT_EQ(dropped(drop_reason::no_route), 2 * most);
    send(1, testing::ipv4_frame().set(0, "020000000002").set(12, "0806").bytes, most);
    EXPECT_EQ(taps[1]->take().size(), most);
    EXPECT_EQ(unaccounted(), 0);
}

TEST(SharedBucket, GivesToAllThreadsTogether) {
    constexpr token_rate rate{1'000'000, 1000};
    shared_bucket bucket;
    std::atomic<unsigned> taken{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int tries = 0; tries < 10'000; ++tries)
                taken += bucket.take(rate, 1);
        });
    for (std::thread& one : threads)
        one.join();
    EXPECT_EQ(taken, 1000u);
    EXPECT_TRUE(bucket.take(rate, 1'000'001)) << "the next one comes after its interval";
    EXPECT_FALSE(bucket.take(rate, 1'000'001));
}

} // namespace
} // namespace fingerpost::router
