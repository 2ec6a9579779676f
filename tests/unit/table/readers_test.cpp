// The states that readers announce, and the versions that the writer may free in each.
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "fingerpost/table/readers.hpp"

namespace fingerpost {
namespace {

TEST(Readers, APinHoldsOneVersionAndPinningAllLaterOnes) {
    reader_registry readers;
    reader_line* const exact = readers.join();
    reader_line* const between = readers.join();
    ASSERT_TRUE(exact != nullptr && between != nullptr && exact != between);
    EXPECT_FALSE(readers.hold(1, 100));
    exact->state.store(reader_line::pinned(5));
    EXPECT_TRUE(readers.hold(5, 5));
    EXPECT_TRUE(readers.hold(3, 5));
    EXPECT_TRUE(readers.hold(5, 9));
    EXPECT_FALSE(readers.hold(4, 4));
    EXPECT_FALSE(readers.hold(6, 9));
    between->state.store(reader_line::pinning(7));
    EXPECT_FALSE(readers.hold(6, 6));
    EXPECT_TRUE(readers.hold(7, 7));
    EXPECT_TRUE(readers.hold(9, 9)) << "it may have found any version from 7 on";
    EXPECT_EQ(readers.behind(7), 1u);
    EXPECT_EQ(readers.behind(8), 2u);
}

TEST(Readers, TheOldestOfThoseInAFibCounts) {
    reader_registry readers;
    reader_line* const exact = readers.join();
    reader_line* const between = readers.join();
    EXPECT_EQ(readers.oldest(0, 12), 12u);
    exact->state.store(reader_line::pinned(5));
    EXPECT_EQ(readers.oldest(0, 12), 5u);
    EXPECT_EQ(readers.oldest(6, 12), 12u) << "version 5 is another FIB";
    between->state.store(reader_line::pinning(4));
    EXPECT_EQ(readers.oldest(6, 12), 6u) << "it may be in any FIB from then on";
    between->leave();
    exact->state.store(reader_line::pinned(9));
    EXPECT_EQ(readers.oldest(6, 12), 9u);
}

TEST(Readers, LinesAreUsedAgainAndNeverShared) {
    reader_registry readers;
    std::set<reader_line*> lines;
    for (unsigned i = 0; i < 100; ++i)
        lines.insert(readers.join());
    EXPECT_EQ(lines.size(), 100u);
    EXPECT_EQ(readers.size(), 100u);
    const std::size_t memory = readers.memory_bytes();
    for (reader_line* line : lines)
        line->leave();
    EXPECT_EQ(readers.size(), 0u);
    lines.clear();
    for (unsigned i = 0; i < 100; ++i)
        lines.insert(readers.join());
    EXPECT_EQ(lines.size(), 100u);
    EXPECT_EQ(readers.memory_bytes(), memory);
}

TEST(Readers, ManyThreadsJoinAtOnce) {
    reader_registry readers;
    std::vector<reader_line*> got(200);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = t; i < got.size(); i += 4)
                got[i] = readers.join();
        });
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(std::set<reader_line*>(got.begin(), got.end()).size(), got.size());
    EXPECT_EQ(readers.size(), got.size());
}

} // namespace
} // namespace fingerpost
