// Any number of threads may call const functions at the same time while no thread changes the object. Each
// thread must get the answers that a single thread gets; the thread sanitizer detects races.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "fingerpost/map/map_image.hpp"
#include "fingerpost/rib/rib.hpp"
#include "fingerpost/table/table.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing::of_const_queries {
namespace {

constexpr std::size_t threads = 4;

// Calls ask() repeatedly in several threads that start together. Each answer must equal the first one.
template <class Ask>
void ask_at_once(const Ask& ask) {
    const auto expected = ask();
    const std::size_t rounds = scaled(200);
    std::vector<std::size_t> different(threads);
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < threads; ++i)
        all.emplace_back([&, i] {
            for (std::size_t round = 0; round < rounds; ++round)
                different[i] += ask() == expected ? 0 : 1;
        });
    for (std::thread& one : all)
        one.join();
    EXPECT_EQ(different, std::vector<std::size_t>(threads)) << "answers of " << rounds << " in each thread";
}

template <class A>
std::vector<route<A>> some_routes() {
    std::vector<route<A>> made;
    for (std::uint32_t i = 0; i < 64; ++i)
        made.push_back({prefix<A>::make({static_cast<typename A::value_type>(
                                            static_cast<typename A::value_type>(i * 4 + 1) << (A::bits - 8))},
                                        8 + i % 20),
                        {i}});
    return made;
}
template <class A>
std::vector<A> probes() {
    std::vector<A> made;
    for (const route<A>& one : some_routes<A>())
        for (const A a : {one.where.first(), one.where.last(), A{one.where.last().value + 1}})
            made.push_back(a);
    return made;
}

// All queries of a map, its image and a snapshot of it.
template <class Map>
std::vector<const void*> lookups(const Map& in) {
    std::vector<const void*> answers;
    const auto ask = [&]<class A>(A) {
        const std::vector<A> wanted = probes<A>();
        std::vector<const std::string*> out(wanted.size());
        in.lookup(wanted, out);
        answers.insert(answers.end(), out.begin(), out.end());
        for (const A& a : wanted) {
            answers.push_back(in.lookup(a));
            const auto best = in.match(a);
            answers.push_back(best ? best->value : nullptr);
        }
        for (const route<A>& one : some_routes<A>())
            answers.push_back(in.find(one.where));
    };
    ask(ipv4_address{});
    ask(ipv6_address{});
    return answers;
}

template <map_values kept>
map<std::string, kept> filled_map() {
    map<std::string, kept> made;
    auto all = made.transaction();
    for (const auto& one : some_routes<ipv4_address>())
        EXPECT_EQ(all.insert_or_assign(one.where, std::to_string(one.hop.id % 10)), errc::ok);
    for (const auto& one : some_routes<ipv6_address>())
        EXPECT_EQ(all.insert_or_assign(one.where, std::to_string(one.hop.id % 10)), errc::ok);
    EXPECT_TRUE(all.commit());
    return made;
}

template <class Map>
void ask_a_map(const Map& of) {
    ask_at_once([&of] {
        std::vector<const void*> answers = lookups(of);
        for (const auto& one : of)
            answers.push_back(one.value);
        for (const auto& one : of.covered(ipv4_prefix{}))
            answers.push_back(one.value);
        for (const auto& one : of.covering(some_routes<ipv6_address>()[5].where))
            answers.push_back(one.value);
        answers.resize(answers.size() + of.size() + of.memory_bytes() % 1000 + of.pending() + of.empty());
        return answers;
    });
}

} // namespace

TEST(const_queries, OfAMap) {
    ask_a_map(filled_map<map_values::shared>());
    ask_a_map(filled_map<map_values::own>());
}

// While a reader stalls, the newest changes are only in the exact table.
TEST(const_queries, OfAMapWithPendingChanges) {
    map_options options;
    options.most_old_versions = 1;
    auto made = map<std::string>::create(options);
    ASSERT_TRUE(made);
    auto reader = made->reader();
    ASSERT_TRUE(reader);
    const auto stalled = reader->pin();
    for (const auto& one : some_routes<ipv4_address>())
        ASSERT_TRUE(made->insert_or_assign(one.where, std::to_string(one.hop.id)));
    ASSERT_NE(made->pending(), 0U);
    ask_a_map(*made);
}

TEST(const_queries, OfAnImageOfAMap) {
    const scratch_folder folder;
    ASSERT_FALSE(save_map(folder / "map", filled_map<map_values::shared>()).failed());
    const auto opened = map_image<std::string>::open(folder / "map");
    ASSERT_TRUE(opened);
    ask_at_once([&] { return lookups(*opened); });
}

// Several threads also save one map at the same time.
TEST(const_queries, OfASavedMap) {
    const scratch_folder folder;
    const auto saved = filled_map<map_values::own>();
    ask_at_once([&] {
        const std::string path =
            folder / std::to_string(std::hash<std::thread::id>{}(std::this_thread::get_id())).c_str();
        return save_map(path, saved).failed();
    });
}

template <class A>
void ask_a_table() {
    auto made = fingerpost::table<A>::create();
    ASSERT_TRUE(made);
    ASSERT_TRUE(made->assign(some_routes<A>()));
    const fingerpost::table<A>& of = *made;
    ask_at_once([&of] {
        std::vector<std::uint64_t> answers{of.size(),        of.pending(),      of.version(),
                                           of.oldest_read(), of.memory_bytes(), of.stalled().versions,
                                           of.is_read(0, 0)};
        const std::vector<A> wanted = probes<A>();
        std::vector<next_hop> out(wanted.size());
        of.newest_fib().lookup(wanted, out);
        for (const next_hop hop : out)
            answers.push_back(hop.id);
        for (const A& a : wanted)
            answers.push_back(of.match(a).value_or(route<A>{}).hop.id);
        for (const route<A>& one : of.copy_routes())
            answers.push_back(of.get(one.where).id + of.cover(one.where).value_or(route<A>{}).hop.id +
                              of.covering(one.where).size());
        for (auto at = of.begin_routes(); at != of.end_routes(); ++at)
            answers.push_back((*at).hop.id);
        return answers;
    });
}

TEST(const_queries, OfATable) {
    ask_a_table<ipv4_address>();
    ask_a_table<ipv6_address>();
}

// The first query computes the intervals. Here several threads make it at the same time, in many rounds.
TEST(const_queries, OfRoutesOfWhichNobodyHasAskedForTheIntervals) {
    const std::size_t expected = routes(some_routes<ipv6_address>()).intervals().ends.size();
    for (std::size_t round = 0; round < scaled(100); ++round) {
        const routes<ipv6_address> fresh(some_routes<ipv6_address>());
        std::vector<std::size_t> sizes(threads);
        std::vector<const void*> places(threads);
        std::vector<std::thread> all;
        for (std::size_t i = 0; i < threads; ++i)
            all.emplace_back([&, i] {
                const auto& found = fresh.intervals();
                sizes[i] = found.ends.size();
                places[i] = &found;
            });
        for (std::thread& one : all)
            one.join();
        EXPECT_EQ(sizes, std::vector<std::size_t>(threads, expected));
        EXPECT_EQ(places, std::vector<const void*>(threads, places[0]));
    }
}

} // namespace fingerpost::testing::of_const_queries
