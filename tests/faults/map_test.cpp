// Every allocation of every change to a map fails in turn: a failed change alters nothing, for the writer or
// for readers, and no value leaks.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "fingerpost/map/map.hpp"
#include "tests/faults/each_allocation.hpp"

namespace fingerpost::testing::of_map_faults {
namespace {

using tested = map<int>;
using state = std::map<any_prefix, int>;

any_prefix four(std::uint32_t i) {
    return ipv4_prefix::make({i << 20}, 12);
}
any_prefix six(std::uint32_t i) {
    return ipv6_prefix::make({u128{i} << 100}, 28);
}

// Returns a difference from these entries for the writer or a reader, or an empty string.
std::string difference(tested& of, const state& right) {
    auto expected = right.begin();
    for (const auto& [where, value] : of) {
        if (expected == right.end() || where != expected->first || *value != expected->second)
            return "another entry";
        ++expected;
    }
    if (expected != right.end())
        return "an entry is missing";
    if (of.pending() != 0)
        return "readers do not see the map as it is";
    auto reader = of.reader();
    const auto now = reader->pin();
    for (const auto& [where, value] : right) {
        const auto first = std::visit([](const auto& p) { return any_address(p.first()); }, where);
        const int* const found = now.lookup(first);
        if (found == nullptr || *found != value)
            return "a reader sees another value";
    }
    return {};
}

struct operation {
    std::function<bool(tested&)> act;
    std::function<void(state&)> model;
};

TEST(map_faults, a_change_that_fails_has_changed_nothing) {
    const operation operations[] = {
        {[](tested& of) { return of.insert_or_assign(four(200), 1000).has_value(); },
         [](state& by) { by[four(200)] = 1000; }},
        {[](tested& of) { return of.insert_or_assign(four(3), 1001).has_value(); },
         [](state& by) { by[four(3)] = 1001; }},
        {[](tested& of) { return of.try_emplace(six(300), 5).has_value(); },
         [](state& by) { by[six(300)] = 5; }},
        {[](tested& of) { return of.erase(six(3)) == errc::ok; }, [](state& by) { by.erase(six(3)); }},
        {[](tested& of) {
             auto changes = of.transaction();
             for (std::uint32_t i = 0; i < 40; ++i)
                 if (changes.insert_or_assign(four(i), int(5000 + i)) != errc::ok ||
                     changes.insert_or_assign(six(i), int(6000 + i)) != errc::ok)
                     return false;
             return changes.erase(four(50)) == errc::ok && changes.commit().has_value() && of.pending() == 0;
         },
         [](state& by) {
             for (std::uint32_t i = 0; i < 40; ++i) {
                 by[four(i)] = int(5000 + i);
                 by[six(i)] = int(6000 + i);
             }
             by.erase(four(50));
         }},
        {[](tested& of) { return of.clear() == errc::ok && of.pending() == 0; },
         [](state& by) { by.clear(); }},
    };
    std::size_t failures = 0;
    for (const operation& one : operations) {
        state before;
        for (std::uint32_t i = 0; i < 100; ++i)
            before[four(i)] = before[six(i)] = int(i);
        state after = before;
        one.model(after);
        tested of;
        const auto fill = [&] {
            ASSERT_EQ(of.clear(), errc::ok);
            auto changes = of.transaction();
            for (const auto& [where, value] : before)
                ASSERT_EQ(changes.insert_or_assign(where, value), errc::ok);
            ASSERT_TRUE(changes.commit());
        };
        fill();
        failures += fail_each_allocation([&] { return one.act(of); },
                                         [&](const attempt& made) {
                                             // When a commit succeeds but the second family is published
                                             // later, the map has changed.
                                             ASSERT_EQ(of.publish(), errc::ok);
                                             const bool is_after = made.done || of.size() != before.size() ||
                                                                   difference(of, after).empty();
                                             EXPECT_EQ(difference(of, is_after ? after : before), "");
                                             fill();
                                         });
    }
    EXPECT_GE(failures, 60U);
}

} // namespace
} // namespace fingerpost::testing::of_map_faults
