// Readers during updates, for every scheme and policy: they see only published versions, whatever other
// readers do.
//
// Every transaction gives all routes its number as next hop. So two numbers in one batch mean that half a
// transaction was visible, and a number that decreases from one pin to the next means that an old version
// came back.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "tests/support/effort.hpp"
#include "tests/support/live.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing::of_table {
namespace {

// The minimum time for which the threads run concurrently.
std::chrono::milliseconds shortened(std::chrono::milliseconds least) {
    return all_samples() ? least : least / 5;
}

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// A prefix in which no transaction changes routes.
template <class A>
prefix<A> aside() {
    return leading<A>(0x18, 6);
}
// Enough of these routes for the form that the default scheme uses for large IPv4 tables. Its two FIBs share
// memory.
table<ipv4_address> many_aside() {
    table<ipv4_address> all;
    for (std::uint32_t i = 0; i < 140'000; ++i)
        all.push_back({{ipv4_address{aside<ipv4_address>().base.value + (i << 8)}, 24}, {40'000 + i % 7}});
    return all;
}
// Calls test(options, aside) for every kind of table.
template <class A, class F>
void for_each_table(F test) {
    for_each_kind<A>([&](const table_options& options) { test(options, table<A>()); });
    if constexpr (A::bits == 32)
        if (is_chosen(default_scheme<A>().facts.name)) {
            SCOPED_TRACE("many routes");
            test(table_options{}, many_aside());
        }
}

// A table whose routes cover the whole space, and the addresses to query.
template <class A>
class stamped {
  public:
    explicit stamped(const table_options& options, table<A> beside = {}) : live_(make(options)) {
        random_numbers random(3);
        for (const route<A>& r : clustered_table<A>(random, 120, 1))
            if (!aside<A>().covers(r.where))
                routes_.push_back(r);
        routes_.push_back({prefix<A>{}, {0}});
        routes_ = sorted(std::move(routes_));
        for (const route<A>& r : routes_)
            for (const A at : {r.where.first(), r.where.last()})
                if (!aside<A>().contains(at))
                    addresses_.push_back(at);
        const bool is_counted = !beside.empty();
        beside.insert(beside.end(), routes_.begin(), routes_.end());
        EXPECT_TRUE(live_.assign(beside));
        EXPECT_TRUE(!is_counted || live_.memory().fib > (std::size_t{4} << 20));
    }
    live_table<A>& live() { return live_; }
    const std::vector<A>& addresses() const { return addresses_; }
    std::uint32_t announced() const { return announced_.load(); }
    bool over() const { return over_.load(); }

    // Runs one transaction. Returns whether it was published.
    bool stamp() {
        const std::uint32_t number = announced_.fetch_add(1) + 1;
        auto changes = live_.begin();
        for (const route<A>& r : routes_)
            EXPECT_EQ(changes.announce(r.where, {number}), errc::ok);
        const auto done = changes.commit();
        EXPECT_TRUE(done);
        return done && done->state == publish_state::published;
    }
    // Runs transactions until `enough` holds: at least a minimum number, and for at most a few seconds.
    void churn(std::chrono::milliseconds least, const std::function<bool()>& enough) {
        const auto start = clock::now();
        std::size_t published = 0;
        while ((clock::now() - start < shortened(least) || published < 4 || !enough()) &&
               clock::now() - start < 60s)
            published += stamp() ? 1 : 0;
        over_.store(true);
        EXPECT_GE(published, 4u);
    }

  private:
    static live_table<A> make(const table_options& options) {
        auto made = live_table<A>::create(options);
        EXPECT_TRUE(made);
        return std::move(*made);
    }

    live_table<A> live_;
    table<A> routes_;
    std::vector<A> addresses_;
    std::atomic<std::uint32_t> announced_{0};
    std::atomic<bool> over_{false};
};

// Checks everything that one reader sees, batch by batch.
template <class A>
class witness {
  public:
    witness(stamped<A>& in, bool whole) : in_(in), whole_(whole), out_(in.addresses().size()) {
        last_.resize(out_.size());
    }
    void check(const snapshot<A>& now) {
        now.lookup(in_.addresses(), out_);
        const std::uint32_t newest = in_.announced();
        for (std::size_t i = 0; i < out_.size(); ++i) {
            if (whole_ && out_[i] != out_[0])
                ++torn;
            if (out_[i].id < last_[i])
                ++backwards;
            if (out_[i].id > newest)
                ++unknown;
            last_[i] = out_[i].id;
        }
        if (now.lookup(in_.addresses()[0]) != out_[0] && whole_)
            ++torn;
        if (now.version() < version_)
            ++backwards;
        if (now.version() != version_)
            ++versions;
        version_ = now.version();
        ++batches;
    }
    std::size_t torn = 0, backwards = 0, unknown = 0, versions = 0, batches = 0;

    void expect_clean() const {
        EXPECT_EQ(torn, 0u);
        EXPECT_EQ(backwards, 0u);
        EXPECT_EQ(unknown, 0u);
    }

  private:
    stamped<A>& in_;
    bool whole_;
    std::vector<next_hop> out_;
    std::vector<std::uint32_t> last_;
    std::uint64_t version_ = 0;
};

template <class A>
class LiveTable : public over_schemes<A> {};
using widths = ::testing::Types<address<32>, address<128>>;
TYPED_TEST_SUITE(LiveTable, widths);

TYPED_TEST(LiveTable, ReadersSeeWholeVersionsInOrder) {
    using A = TypeParam;
    for_each_table<A>([](const table_options& options, const table<A>& beside) {
        stamped<A> in(options, beside);
        const bool whole = options.update != policy::in_place;
        std::vector<witness<A>> seen(3, witness<A>(in, whole));
        std::vector<std::atomic<std::size_t>> progress(seen.size());
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < seen.size(); ++t)
            threads.emplace_back([&, t] {
                auto by = in.live().reader();
                ASSERT_TRUE(by);
                // The first reader keeps its snapshot and refreshes it; the others pin for each batch.
                std::optional<snapshot<A>> held;
                if (t == 0)
                    held.emplace(by->pin());
                while (!in.over()) {
                    if (held)
                        (void)held->refresh();
                    held ? seen[t].check(*held) : seen[t].check(by->pin());
                    progress[t].store(seen[t].versions);
                }
            });
        in.churn(60ms, [&] {
            return std::all_of(progress.begin(), progress.end(), [](const auto& p) { return p.load() >= 3; });
        });
        for (std::thread& t : threads)
            t.join();
        for (const witness<A>& one : seen) {
            one.expect_clean();
            EXPECT_GE(one.versions, 3u);
        }
    });
}

TYPED_TEST(LiveTable, ThreadsComeAndGo) {
    using A = TypeParam;
    for_each_kind<A>([](const table_options& options) {
        stamped<A> in(options);
        std::atomic<std::size_t> lives{0}, faults{0};
        std::vector<std::thread> nurseries;
        for (unsigned n = 0; n < 2; ++n)
            nurseries.emplace_back([&] {
                while (!in.over()) {
                    std::vector<std::thread> brood;
                    for (unsigned i = 0; i < 4; ++i)
                        brood.emplace_back([&] {
                            auto by = in.live().reader();
                            ASSERT_TRUE(by);
                            witness<A> seen(in, options.update != policy::in_place);
                            for (unsigned batch = 0; batch < 3; ++batch)
                                seen.check(by->pin());
                            faults += seen.torn + seen.backwards + seen.unknown;
                            ++lives;
                        });
                    for (std::thread& t : brood)
                        t.join();
                }
            });
        in.churn(40ms, [&] { return lives.load() >= 24; });
        for (std::thread& t : nurseries)
            t.join();
        EXPECT_EQ(faults.load(), 0u);
        EXPECT_GE(lives.load(), 24u);
        // Reader slots are reused: 8 readers at a time fit into one block.
        EXPECT_LE(in.live().memory().updates, 1'000'000u);
        EXPECT_EQ(in.live().stalled().readers, 0u);
    });
}

// The writer treats three readers alike: one that stalls while pinned, one whose thread has ended while
// pinned, and one that keeps reading without unpinning. It detects them, memory stays bounded, and other
// readers get every update.
TYPED_TEST(LiveTable, StalledDeadAndRestlessReaders) {
    using A = TypeParam;
    for_each_table<A>([](table_options options, const table<A>& beside) {
        options.patience = 0ns;
        options.most_old_versions = 4;
        stamped<A> in(options, beside);
        ASSERT_TRUE(in.stamp());
        const std::size_t one_fib = in.live().memory().fib;
        const bool whole = options.update != policy::in_place;
        std::vector<reader<A>> readers;
        for (unsigned i = 0; i < 3; ++i) {
            auto by = in.live().reader();
            ASSERT_TRUE(by);
            readers.push_back(std::move(*by));
        }
        std::vector<snapshot<A>> held;
        held.reserve(2);
        std::thread([&] { held.push_back(readers[0].pin()); }).join(); // its thread has ended
        ASSERT_TRUE(in.stamp());
        held.push_back(readers[1].pin()); // stalled
        ASSERT_TRUE(in.stamp());

        witness<A> restless(in, whole), lively(in, whole);
        std::atomic<bool> pinned{false};
        std::atomic<std::size_t> versions{0};
        std::thread never_quiet([&] {
            const auto now = readers[2].pin();
            pinned.store(true);
            while (!in.over())
                restless.check(now);
        });
        std::thread goes_on([&] {
            auto by = in.live().reader();
            ASSERT_TRUE(by);
            while (!in.over()) {
                lively.check(by->pin());
                versions.store(lively.versions);
            }
        });
        while (!pinned.load())
            std::this_thread::yield();
        std::size_t most_memory = 0;
        in.churn(40ms, [&] {
            most_memory = std::max(most_memory, in.live().memory_bytes());
            return versions.load() >= 5;
        });
        never_quiet.join();
        goes_on.join();
        restless.expect_clean();
        lively.expect_clean();
        EXPECT_LE(restless.versions, 1u);
        const stall told = in.live().stalled();
        EXPECT_EQ(told.readers, 2u);
        EXPECT_GE(told.publications, 5u);
        EXPECT_LE(told.versions, 4u);
        EXPECT_LE(most_memory, 8 * one_fib + 4'000'000);
        held.clear();
        in.live().reclaim();
        EXPECT_EQ(in.live().stalled().readers, 0u);
        EXPECT_EQ(in.live().stalled().versions, 0u);
    });
}

// Routes come and go one at a time. In-place patching guarantees right answers for each address at any
// moment.
TYPED_TEST(LiveTable, RoutesThatFlapHaveNoThirdAnswer) {
    using A = TypeParam;
    for_each_kind<A>([](const table_options& options) {
        auto made = live_table<A>::create(options);
        ASSERT_TRUE(made);
        live_table<A>& live = *made;
        const prefix<A> cover = leading<A>(1, 2), flap = leading<A>(0x15, A::bits - 3 < 29 ? 9 : 29);
        const prefix<A> inside = prefix<A>::make(cover.last(), A::bits);
        ASSERT_TRUE(live.assign({{cover, {1}}, {flap, {5}}}));
        std::atomic<bool> over{false};
        std::atomic<std::size_t> batches{0}, wrong{0};
        std::thread thread([&] {
            auto by = live.reader();
            ASSERT_TRUE(by);
            const std::vector<A> at(40, inside.first());
            std::vector<next_hop> out(at.size());
            while (!over.load()) {
                const auto now = by->pin();
                now.lookup(at, out);
                for (const next_hop hop : out)
                    wrong += hop == next_hop{1} || hop == next_hop{2} ? 0 : 1;
                wrong += now.lookup(flap.first()) == next_hop{5} ? 0 : 1;
                ++batches;
            }
        });
        const auto start = clock::now();
        while ((clock::now() - start < shortened(40ms) || batches < 3) && clock::now() - start < 60s) {
            ASSERT_EQ(live.announce(inside, {2}), errc::ok);
            ASSERT_EQ(live.withdraw(inside), errc::ok);
        }
        over.store(true);
        thread.join();
        EXPECT_EQ(wrong.load(), 0u);
    });
}

// While a /65 comes and goes, an answer for a first half alone must be right for every second half; a version
// with that route refuses. The table is rebuilt now and then, after which a table that is updated in place
// answers again.
class LiveHalves : public over_schemes<ipv6_address> {};

TEST_F(LiveHalves, FirstHalvesAreAnsweredRightOrRefused) {
    using A = ipv6_address;
    for_each_kind<A>([](const table_options& options) {
        auto made = live_table<A>::create(options);
        ASSERT_TRUE(made);
        live_table<A>& live = *made;
        const prefix<A> net = leading<A>(0x20010db8'00010002, 64);
        const prefix<A> half = prefix<A>::make(net.base, 65);
        const table<A> without{{leading<A>(0x20010db8, 32), {1}}, {net, {2}}};
        ASSERT_TRUE(live.assign(without));
        std::atomic<bool> over{false};
        std::atomic<std::size_t> answered{0}, refused{0}, wrong{0};
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < 2; ++t)
            threads.emplace_back([&] {
                auto by = live.reader();
                ASSERT_TRUE(by);
                const std::vector<std::uint64_t> first(70, top64(net.base)), zeros(first.size()),
                    ones(first.size(), ~std::uint64_t{0});
                std::vector<next_hop> out(first.size());
                while (!over.load()) {
                    const auto now = by->pin();
                    std::fill(out.begin(), out.end(), next_hop{9});
                    const errc done = now.lookup_first64(first, out);
                    const next_hop right{done == errc::ok ? 2u : 9u};
                    for (const next_hop hop : out)
                        wrong += hop == right ? 0 : 1;
                    wrong += done == errc::ok || done == errc::unsupported ? 0 : 1;
                    ++(done == errc::ok ? answered : refused);
                    now.lookup_halves(first, ones, out);
                    for (const next_hop hop : out)
                        wrong += hop == next_hop{2} ? 0 : 1;
                    now.lookup_halves(first, zeros, out);
                    for (const next_hop hop : out)
                        wrong += hop == next_hop{2} || hop == next_hop{3} ? 0 : 1;
                }
            });
        const auto start = clock::now();
        for (unsigned turn = 1; (clock::now() - start < shortened(40ms) || answered < 3 || refused < 3) &&
                                clock::now() - start < 60s;
             ++turn) {
            ASSERT_EQ(live.announce(half, {3}), errc::ok);
            if (turn % 3 == 0)
                std::this_thread::yield();
            ASSERT_EQ(live.withdraw(half), errc::ok);
            if (turn % 16 == 0) {
                ASSERT_TRUE(live.assign(without));
                std::this_thread::yield();
            }
        }
        over.store(true);
        for (std::thread& t : threads)
            t.join();
        EXPECT_EQ(wrong.load(), 0u);
        EXPECT_GE(answered.load(), 3u);
        EXPECT_GE(refused.load(), 3u);
    });
}

// Other threads query the RIB while the writer works, and never see half a transaction.
TYPED_TEST(LiveTable, RibIsAskedWhileTheWriterWorks) {
    using A = TypeParam;
    stamped<A> in(table_options{});
    std::atomic<std::size_t> asked{0}, wrong{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 2; ++t)
        threads.emplace_back([&] {
            while (!in.over()) {
                const auto hop = in.live().get(prefix<A>{});
                const auto all = in.live().covered(prefix<A>{});
                for (const route<A>& r : all)
                    wrong += r.hop == all[0].hop ? 0 : 1;
                wrong += hop == next_hop::none || all.size() != in.live().size() ? 1 : 0;
                ++asked;
                std::this_thread::yield();
            }
        });
    in.churn(50ms, [&] { return asked.load() >= 20; });
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(wrong.load(), 0u);
    EXPECT_GE(asked.load(), 20u);
}

} // namespace
} // namespace fingerpost::testing::of_table
