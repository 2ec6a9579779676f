// Lookups by address halves: batches of every length, tables with and without routes longer than /64, live
// tables that gain and lose such routes, and images.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fingerpost/table/table.hpp"
#include "tests/support/images.hpp"
#include "tests/support/live.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing {
namespace {

using A = ipv6_address;
using route_list = table<A>;

class halves : public over_schemes<A> {};

// The routes of a clustered table with at most this many bits.
route_list routes_up_to(unsigned longest, std::uint64_t seed, std::size_t count) {
    random_numbers random(seed);
    route_list all = clustered_table<A>(random, count, 3000);
    std::erase_if(all, [=](const route<A>& r) { return r.where.length > longest; });
    return all;
}
// Random addresses that share their first half with one of these routes.
std::vector<A> other_low_halves(std::span<const A> of, random_numbers& random) {
    std::vector<A> made;
    for (const A a : of)
        made.push_back(from_halves<A>(top64(a), bottom64(random.address<A>())));
    return made;
}

// Tries all lengths for which kernels have special code, at every 8-byte alignment within a cache line, and
// checks that nothing is written after the answers.
template <class Look>
void expect_every_length(std::span<const A> at, std::span<const next_hop> right, const std::string& name,
                         Look look) {
    constexpr next_hop untouched{0xdeadbeefU};
    const split_addresses split(at);
    for (std::size_t length = 0; length <= 200; ++length) {
        const std::size_t first = length * 7 % (at.size() - length);
        std::vector<next_hop> out(length + 1, untouched);
        look(std::span(split.first).subspan(first, length), std::span(split.low).subspan(first, length),
             std::span(out).first(length));
        for (std::size_t i = 0; i < length; ++i)
            ASSERT_EQ(out[i], right[first + i])
                << name << ", " << text_of(at[first + i]) << " in a batch of " << length;
        ASSERT_EQ(out[length], untouched) << name << " writes past a batch of " << length;
    }
}

TEST_F(halves, batches_of_every_length) {
    std::size_t answered = 0, refused = 0;
    for (const unsigned longest : {20u, 48u, 64u, 65u, 128u}) {
        const route_list all = routes_up_to(longest, 17 + longest, 900);
        const routes<A> from(all);
        random_numbers random(3);
        std::vector<A> at = addresses_to_try<A>(all);
        std::shuffle(at.begin(), at.end(), std::minstd_rand(5));
        at.resize(600);
        if (longest <= 64)
            at = other_low_halves(at, random);
        const std::vector<next_hop> right = oracle_answers<A>(all, at);
        ASSERT_EQ(any_beyond_64(all), longest > 64);
        for (const candidate<A>& one : candidates<A>()) {
            const auto built = one.build(from);
            ASSERT_TRUE(built) << one.name;
            const any_fib<A>& fib = **built;
            expect_every_length(at, right, one.name,
                                [&](auto first, auto low, auto out) { fib.lookup_halves(first, low, out); });
            if (longest > 64) {
                ASSERT_EQ(fault_of_refusal(fib), "") << one.name;
                ++refused;
                continue;
            }
            ASSERT_TRUE(fib.answers_first64()) << one.name;
            expect_every_length(at, right, one.name, [&](auto first, auto, auto out) {
                ASSERT_EQ(fib.lookup_first64(first, out), errc::ok);
            });
            ++answered;
        }
    }
    EXPECT_GE(answered, 3 * candidates<A>().size());
    EXPECT_GE(refused, 2 * candidates<A>().size());
}

// After each transaction every form must be right. First halves alone must be answered when no route is
// longer than /64, except by a table that is updated in place, which may keep refusing.
TEST_F(halves, live_tables_in_which_long_routes_come_and_go) {
    for_each_kind<A>([](const table_options& options) {
        auto made = live_table<A>::create(options);
        ASSERT_TRUE(made);
        auto by = made->reader();
        ASSERT_TRUE(by);
        random_numbers random(23);
        const route_list stock = routes_up_to(128, 29, 160);
        ASSERT_TRUE(made->assign(routes_up_to(64, 31, 200)));
        std::size_t answered = 0, refused = 0;
        // Long routes come for some steps, then all of them are withdrawn.
        const auto is_time_of_long_ones = [](unsigned step) { return step % 12 >= 2 && step % 12 < 6; };
        for (unsigned step = 0; step < 60; ++step) {
            auto changes = made->begin();
            for (unsigned i = 0; i < 3; ++i) {
                const route<A>& r = stock[random.below(stock.size())];
                if (random.below(3) == 0)
                    (void)changes.withdraw(r.where);
                else if (is_time_of_long_ones(step) || r.where.length <= 64) {
                    ASSERT_EQ(changes.announce(r.where, {step}), errc::ok);
                }
            }
            if (step % 12 == 6)
                for (const route<A>& r : made->copy_routes())
                    if (r.where.length > 64) {
                        (void)changes.withdraw(r.where);
                    }
            ASSERT_TRUE(changes.commit());
            const route_list now_there = made->copy_routes();
            const std::vector<A> at = addresses_to_try<A>(now_there);
            const std::vector<next_hop> right = oracle_answers<A>(now_there, at);
            const auto now = by->pin();
            const by_halves<A, snapshot<A>> whole{now};
            ASSERT_FALSE(oracle::verify<A>(whole, at, std::span<const next_hop>(right))) << "step " << step;
            if (now.answers_first64()) {
                ++answered;
                ASSERT_FALSE(any_beyond_64(now_there)) << "step " << step;
                const by_first64<A, snapshot<A>> alone{now};
                ASSERT_FALSE(oracle::verify<A>(alone, at, std::span<const next_hop>(right)))
                    << "step " << step;
            } else {
                ++refused;
                ASSERT_EQ(fault_of_refusal(now), "");
                ASSERT_TRUE(options.update == policy::in_place || any_beyond_64(now_there))
                    << "step " << step;
            }
        }
        EXPECT_GE(answered, 1u);
        EXPECT_GE(refused, 8u);
        // assign() builds a new FIB, so the table answers again.
        ASSERT_TRUE(made->assign(routes_up_to(64, 37, 50)));
        EXPECT_TRUE(by->pin().answers_first64());
    });
}

// Readers keep their version when a commit fails or publication is deferred.
TEST_F(halves, readers_keep_what_their_version_says) {
    for_each_kind<A>([](table_options options) {
        options.publish_on_commit = false;
        auto made = live_table<A>::create(options);
        ASSERT_TRUE(made);
        auto by = made->reader();
        ASSERT_TRUE(by);
        const prefix<A> home = leading<A>(0x20010db8, 32), host = prefix<A>::make(home.last(), 128);
        ASSERT_TRUE(made->assign({{home, {1}}}));
        ASSERT_TRUE(made->publish());
        ASSERT_EQ(made->announce(host, {2}), errc::ok);
        const std::uint64_t first[] = {top64(host.base), 0};
        next_hop out[2];
        {
            const auto now = by->pin();
            ASSERT_EQ(now.lookup_first64(first, out), errc::ok) << "it is not published yet";
            EXPECT_EQ(out[0], next_hop{1});
            EXPECT_EQ(out[1], next_hop::none);
        }
        ASSERT_TRUE(made->publish());
        EXPECT_EQ(fault_of_refusal(by->pin()), "");
    });
}

TEST(halves_of_images, are_answered_as_the_routes_allow) {
    const scratch_folder folder;
    for (const unsigned longest : {64u, 128u}) {
        const route_list all = routes_up_to(longest, 41, 500);
        ASSERT_FALSE(ipv6_image::save(folder / "one", routes<A>(all)).failed());
        const auto opened = ipv6_image::open(folder / "one");
        ASSERT_TRUE(opened);
        const std::vector<A> at = addresses_to_try<A>(all);
        const std::vector<next_hop> right = oracle_answers<A>(all, at);
        const std::span<const next_hop> wanted(right);
        EXPECT_FALSE(oracle::verify<A>(by_halves<A, ipv6_image>{*opened}, std::span(at), wanted));
        if (longest > 64) {
            EXPECT_EQ(fault_of_refusal(*opened), "");
        } else {
            EXPECT_FALSE(oracle::verify<A>(by_first64<A, ipv6_image>{*opened}, std::span(at), wanted));
        }
    }
}

} // namespace
} // namespace fingerpost::testing
