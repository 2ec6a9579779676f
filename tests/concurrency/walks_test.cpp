// Exact queries concurrent with a writer: copies of all routes are consistent, and neither side starves the
// other.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "fingerpost/table/fair_lock.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/live.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing::of_walks {
namespace {

// Threads that repeat an action until they are stopped.
class busy_threads {
  public:
    template <class F>
    busy_threads(std::size_t count, F act) {
        for (std::size_t i = 0; i < count; ++i)
            threads_.emplace_back([this, act] {
                while (!stops_)
                    act();
            });
    }
    ~busy_threads() {
        stops_ = true;
        for (std::thread& one : threads_)
            one.join();
    }

  private:
    std::atomic<bool> stops_{false};
    std::vector<std::thread> threads_;
};

// Every transaction subtracts one from a route's next hop and adds one to another's, withdraws a route and
// announces one. So the number of routes and the sum of their next hops never change. Now and then the whole
// table is replaced by itself.
template <class A>
class balanced {
    static constexpr unsigned length = 24;
    static constexpr std::uint32_t routes = 3000; // out of twice as many possible ones
    static constexpr std::uint32_t each = 1000;

  public:
    explicit balanced(live_table<A>& live) : live_(live) {
        std::vector<route<A>> all;
        for (std::uint32_t i = 0; i < 2 * routes; i += 2) {
            all.push_back({where(i), {each}});
            hops_.push_back({i, each});
        }
        EXPECT_TRUE(live_.assign(std::move(all)));
    }
    void change(random_numbers& random) {
        auto& from = hops_[random.below(routes)];
        auto& to = hops_[random.below(routes)];
        auto& moved = hops_[random.below(routes)];
        auto changes = live_.begin();
        --from.hop;
        ++to.hop;
        EXPECT_EQ(changes.withdraw(where(moved.at)), errc::ok);
        moved.at ^= 1; // moves to the free neighbouring prefix
        for (const auto& one : {from, to, moved})
            EXPECT_EQ(changes.announce(where(one.at), {one.hop}), errc::ok);
        EXPECT_TRUE(changes.commit());
        if (random.below(500) == 0) {
            EXPECT_TRUE(live_.assign(live_.copy_routes()));
        }
    }
    static void expect_balance(const std::vector<route<A>>& all) {
        ASSERT_EQ(all.size(), routes);
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            sum += all[i].hop.id;
            ASSERT_TRUE(i == 0 || all[i - 1].where < all[i].where);
        }
        ASSERT_EQ(sum, std::uint64_t{routes} * each);
    }

  private:
    struct held {
        std::uint32_t at;
        std::uint32_t hop;
    };
    static prefix<A> where(std::uint32_t i) { return leading<A>(0x100000 + i, length); }

    live_table<A>& live_;
    std::vector<held> hops_;
};

template <class A>
class Walks : public ::testing::Test {};
using widths = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(Walks, widths);

TYPED_TEST(Walks, CopiesAreOfOneMoment) {
    using A = TypeParam;
    auto live = live_table<A>::create();
    ASSERT_TRUE(live);
    balanced<A> all(*live);
    std::atomic<std::size_t> copies{0};
    std::atomic<std::size_t> of_other_moments{0};
    std::size_t changes = 0;
    {
        std::mutex one_fails;
        const busy_threads walkers(2, [&] {
            const auto before = live->version();
            const std::vector<route<A>> found = live->copy_routes();
            of_other_moments += live->version() != before ? 1 : 0;
            const std::lock_guard guard(one_fails);
            balanced<A>::expect_balance(found);
            ++copies;
        });
        random_numbers random(5);
        const std::size_t wanted = scaled(2000);
        while ((copies < wanted || of_other_moments < wanted / 2) && !::testing::Test::HasFailure()) {
            all.change(random);
            ++changes;
        }
    }
    EXPECT_GE(changes, scaled(500));
    this->RecordProperty("copies", std::to_string(copies));
    this->RecordProperty("changes", std::to_string(changes));
}

TYPED_TEST(Walks, CopiesOfAPart) {
    using A = TypeParam;
    auto live = live_table<A>::create();
    ASSERT_TRUE(live);
    random_numbers random(9);
    const table<A> all = clustered_table<A>(random, 4000, 9);
    ASSERT_TRUE(live->assign(all));
    EXPECT_EQ(live->copy_routes(), all);
    for (std::size_t i = 0; i < all.size(); i += 97) {
        std::vector<route<A>> right;
        for (const route<A>& r : all)
            if (all[i].where.covers(r.where))
                right.push_back(r);
        ASSERT_EQ(live->covered(all[i].where), right);
    }
}

// The writer gets the lock while threads query continuously. The test hangs with a lock that lets readers
// overtake waiting writers.
TYPED_TEST(Walks, TheWriterComesThrough) {
    using A = TypeParam;
    auto live = live_table<A>::create();
    ASSERT_TRUE(live);
    balanced<A> all(*live);
    const busy_threads walkers(2, [&] { (void)live->covered(prefix<A>{}); });
    const busy_threads askers(2, [&] { (void)live->match(A::last()); });
    random_numbers random(6);
    for (std::size_t i = 0; i < scaled(1000); ++i)
        all.change(random);
    balanced<A>::expect_balance(live->copy_routes());
}

// Between the writer's call and its turn, each reader enters at most once more. The system sometimes suspends
// the writer just before the call, so the test uses the median of many turns. With std::shared_mutex the test
// hangs, because some reader always holds the lock.
TEST(FairLock, ReadersDoNotPassAWaitingWriter) {
    constexpr std::size_t readers = 4;
    detail::fair_lock lock;
    std::atomic<std::uint64_t> entries{0};
    std::uint64_t written = 0; // of the writer, read while the lock is held
    std::vector<std::uint64_t> passed;
    {
        std::atomic<bool> torn{false};
        const busy_threads all(readers, [&] {
            const std::shared_lock guard(lock);
            ++entries;
            const std::uint64_t first = written;
            // Holds the lock long enough to overlap with other readers.
            for (unsigned i = 0; i < 200; ++i)
                (void)entries.load();
            torn = torn || first % 2 != 0 || first != written;
        });
        // Readers can starve a writer only when all of them are running.
        while (entries < 1000)
            std::this_thread::yield();
        for (std::size_t i = 0; i < scaled(5000); ++i) {
            const std::uint64_t before = entries;
            const std::unique_lock guard(lock);
            passed.push_back(entries - before);
            ++written;
            std::atomic_signal_fence(std::memory_order_seq_cst);
            ++written;
        }
        EXPECT_FALSE(torn);
        // Readers get the lock too.
        for (const std::uint64_t before = entries; entries < before + 1000;)
            std::this_thread::yield();
    }
    std::sort(passed.begin(), passed.end());
    EXPECT_LE(passed[passed.size() / 2], 2 * readers);
}

} // namespace
} // namespace fingerpost::testing::of_walks
