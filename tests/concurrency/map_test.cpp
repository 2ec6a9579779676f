// Threads read a map while another one changes it: the values that they get are alive and complete, and a
// batch sees whole transactions.
//
// Every transaction gives all prefixes of both families values with one stamp. The destructor of a value
// overwrites it, so that a read after destruction shows even without a sanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "fingerpost/map/map.hpp"
#include "tests/support/effort.hpp"

namespace fingerpost::testing::of_live_maps {
namespace {

constexpr std::uint64_t mark = 0x600dc0de;

class stamped_value {
  public:
    explicit stamped_value(std::uint64_t stamp) : stamp_(stamp), check_(stamp ^ mark) {}
    stamped_value(const stamped_value&) = delete;
    stamped_value& operator=(const stamped_value&) = delete;
    ~stamped_value() { check_ = stamp_ = 0; }

    std::uint64_t stamp() const noexcept { return stamp_; }
    bool is_whole() const noexcept { return (stamp_ ^ mark) == check_; }
    friend bool operator==(const stamped_value& a, const stamped_value& b) { return a.stamp_ == b.stamp_; }

  private:
    std::uint64_t stamp_;
    std::uint64_t check_;
};

} // namespace
} // namespace fingerpost::testing::of_live_maps

template <>
struct std::hash<fingerpost::testing::of_live_maps::stamped_value> {
    std::size_t operator()(const fingerpost::testing::of_live_maps::stamped_value& of) const noexcept {
        return of.stamp();
    }
};

namespace fingerpost::testing::of_live_maps {
namespace {

constexpr std::uint32_t prefixes = 48;

ipv4_prefix four(std::uint32_t i) {
    return ipv4_prefix::make({i << 26}, 6 + i % 20);
}
ipv6_prefix six(std::uint32_t i) {
    return ipv6_prefix::make({u128{i} << 122}, 6 + i % 60);
}

template <map_values kept>
class churn {
    using tested = map<stamped_value, kept>;

  public:
    explicit churn(const map_options& options) : of_(std::move(*tested::create(options))) {
        for (std::uint32_t i = 0; i < prefixes; ++i) {
            in4_.push_back(four(i % 64).first());
            in6_.push_back(six(i % 64).first());
        }
        write(1);
    }

    void run(std::uint64_t rounds) {
        std::vector<std::thread> threads;
        threads.emplace_back([this] { read_versions(); });
        threads.emplace_back([this] { read_long(); });
        threads.emplace_back([this] { ask_exactly(); });
        for (std::uint64_t stamp = 2; stamp < rounds + 2; ++stamp) {
            write(stamp);
            if (stamp % 16 == 0)
                std::this_thread::yield();
        }
        over_.store(true);
        for (std::thread& one : threads)
            one.join();
        EXPECT_EQ(of_.publish(), errc::ok);
        of_.reclaim();
        EXPECT_EQ(of_.lookup(in4_[0])->stamp(), is_rolled_back(rounds + 1) ? rounds : rounds + 1);
        EXPECT_GT(batches_.load(), 20U);
        EXPECT_GT(exact_.load(), 20U);
    }

  private:
    static constexpr bool is_rolled_back(std::uint64_t stamp) { return stamp % 7 == 0; }
    void write(std::uint64_t stamp) {
        if (stamp % 5 == 0) { // sometimes by single changes to a prefix that the batches do not query
            EXPECT_TRUE(of_.insert_or_assign(aside_, stamp));
            EXPECT_EQ(of_.erase(aside_), errc::ok);
        }
        auto changes = of_.transaction();
        for (std::uint32_t i = 0; i < prefixes; ++i) {
            EXPECT_EQ(changes.insert_or_assign(four(i), stamp), errc::ok);
            EXPECT_EQ(changes.insert_or_assign(six(i), stamp), errc::ok);
        }
        if (is_rolled_back(stamp))
            changes.rollback();
        EXPECT_TRUE(changes.commit());
    }
    template <class A>
    std::uint64_t check(const map_snapshot<stamped_value, kept>& now, const std::vector<A>& in) {
        std::vector<const stamped_value*> out(in.size());
        now.lookup(in, out);
        for (const stamped_value* one : out) {
            EXPECT_NE(one, nullptr);
            EXPECT_TRUE(one->is_whole());
            EXPECT_EQ(one->stamp(), out[0]->stamp());
        }
        return out[0]->stamp();
    }
    void read_versions() {
        auto reader = of_.reader();
        std::uint64_t last = 0;
        do {
            const auto now = reader->pin();
            const std::uint64_t stamp = check(now, in4_);
            EXPECT_GE(stamp, last);
            EXPECT_EQ(check(now, in6_), stamp);
            EXPECT_EQ(check(now, in4_), stamp);
            last = stamp;
            batches_.fetch_add(1);
        } while (!over_.load() || batches_.load() <= 20);
    }
    // Keeps a snapshot and refreshes it.
    void read_long() {
        auto reader = of_.reader();
        auto now = reader->pin();
        const stamped_value* held = now.lookup(in6_[3]);
        for (std::uint64_t i = 0; !over_.load(); ++i) {
            EXPECT_TRUE(held->is_whole());
            EXPECT_EQ(check(now, in6_), check(now, in4_));
            if (i % 64 == 63 && now.refresh())
                held = now.lookup(in6_[3]);
        }
    }
    void ask_exactly() {
        auto reader = of_.reader();
        do {
            const auto now = reader->pin();
            const auto best = now.match(any_address(in4_[5]));
            const stamped_value* const found = now.find(six(7));
            const auto all = now.covered(ipv4_prefix{});
            const stamped_value* const beside = now.find(aside_);
            std::this_thread::yield();
            EXPECT_TRUE(best && best->value->is_whole());
            EXPECT_TRUE(found != nullptr && found->is_whole());
            EXPECT_TRUE(beside == nullptr || beside->is_whole());
            EXPECT_GE(all.size(), std::size_t{prefixes});
            for (const auto& one : all)
                EXPECT_TRUE(one.value->is_whole());
            exact_.fetch_add(1);
        } while (!over_.load() || exact_.load() <= 20);
    }

    const ipv4_prefix aside_ = ipv4_prefix::make({0xff000000}, 32);
    tested of_;
    std::vector<ipv4_address> in4_;
    std::vector<ipv6_address> in6_;
    std::atomic<bool> over_{false};
    std::atomic<std::uint64_t> batches_{0};
    std::atomic<std::uint64_t> exact_{0};
};

TEST(live_map, shared_values) {
    churn<map_values::shared>({}).run(scaled(2000));
}
TEST(live_map, values_of_their_own) {
    churn<map_values::own>({}).run(scaled(2000));
}
TEST(live_map, rebuilt) {
    map_options options;
    options.update = policy::rebuild;
    churn<map_values::shared>(options).run(scaled(1000));
}
} // namespace
} // namespace fingerpost::testing::of_live_maps
