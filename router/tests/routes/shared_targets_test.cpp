// A target of many routes is stored once, and only while one of them uses it.
#include "router/routes/sink/shared_targets.hpp"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "router/tests/routes/recording_sink.hpp"

namespace fingerpost::router {
namespace {

using namespace testing;

route_target by_one(const std::string& gateway) {
    return destination{action::forward, {by(gateway, 3)}};
}

TEST(shared_targets, equal_targets_are_one) {
    target_pool pool;
    const shared_target first = pool.share(by_one("192.0.2.1"));
    const shared_target same = pool.share(by_one("192.0.2.1"));
    const shared_target other = pool.share(by_one("2001:db8::1"));
    const shared_target drops = pool.share(destination{action::blackhole, {}});
    const shared_target group = pool.share(group_id{7});
    EXPECT_TRUE(first == same);
    EXPECT_FALSE(first == other);
    EXPECT_FALSE(drops == group);
    EXPECT_EQ(&*first, &*same);
    EXPECT_EQ(*first, by_one("192.0.2.1"));
    EXPECT_EQ(*group, route_target(group_id{7}));
    EXPECT_EQ(pool.size(), 4U);
}

TEST(shared_targets, what_tells_targets_apart) {
    target_pool pool;
    std::vector<shared_target> held;
    for (const action what :
         {action::forward, action::local, action::blackhole, action::unreachable, action::prohibit})
        held.push_back(pool.share(destination{what, {}}));
    for (const path& one : {by("", 1), by("", 2), by("", 2, 9), by("10.0.0.1", 2), by("::a00:1", 2)})
        held.push_back(pool.share(destination{action::forward, {one}}));
    held.push_back(pool.share(destination{action::forward, {by("", 1), by("", 2)}}));
    held.push_back(pool.share(destination{action::forward, {by("", 2), by("", 1)}}));
    held.push_back(pool.share(group_id{0}));
    held.push_back(pool.share(group_id{1}));
    EXPECT_EQ(pool.size(), held.size());
}

TEST(shared_targets, the_last_reference_takes_it_out) {
    target_pool pool;
    std::optional<shared_target> first = pool.share(by_one("192.0.2.1"));
    std::optional<shared_target> copy = first;
    first.reset();
    EXPECT_EQ(pool.size(), 1U);
    EXPECT_EQ(**copy, by_one("192.0.2.1"));
    *copy = pool.share(by_one("192.0.2.2"));
    EXPECT_EQ(pool.size(), 1U);
    EXPECT_EQ(**copy, by_one("192.0.2.2"));
    const shared_target again = *copy;
    *copy = again;
    EXPECT_EQ(pool.size(), 1U);
    copy.reset();
    EXPECT_EQ(pool.size(), 1U);
    EXPECT_EQ(*again, by_one("192.0.2.2"));
}

} // namespace
} // namespace fingerpost::router
