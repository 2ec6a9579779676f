// A table changes its scheme while threads look up in it, for every scheme and policy.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/support/chosen_schemes.hpp"
#include "tests/support/live.hpp"

namespace fingerpost::testing::of_scheme_change {
namespace {

template <class A>
class SchemeUnderReaders : public over_schemes<A> {};
using widths = ::testing::Types<address<12>, address<32>, address<128>>;
TYPED_TEST_SUITE(SchemeUnderReaders, widths);

// All routes change their next hop repeatedly while the table switches from scheme to scheme. A reader must
// never see an older table than before, nor a next hop that was never announced.
TYPED_TEST(SchemeUnderReaders, ReadersSeeVersionsInOrder) {
    using A = TypeParam;
    auto made = live_table<A>::create();
    ASSERT_TRUE(made);
    live_table<A>& live = *made;
    ASSERT_EQ(live.announce(prefix<A>{}, {0}), errc::ok);
    std::atomic<std::uint32_t> announced{0};
    std::atomic<bool> over{false};
    std::atomic<std::size_t> wrong{0}, batches{0};
    std::vector<std::thread> readers;
    for (int t = 0; t < 2; ++t)
        readers.emplace_back([&] {
            auto by = live.reader();
            ASSERT_TRUE(by);
            std::uint32_t last = 0;
            while (!over.load()) {
                const next_hop seen = by->pin().lookup(A::last());
                const std::uint32_t newest = announced.load();
                wrong += seen == next_hop::none || seen.id < last || seen.id > newest ? 1 : 0;
                last = seen.id;
                ++batches;
            }
        });
    std::size_t kinds = 0;
    for_each_kind<A>([&](const table_options& options) {
        auto next = live.begin_scheme(*find_scheme<A>(options.scheme), options.update);
        ASSERT_TRUE(next);
        std::atomic<bool> built{false};
        std::thread builder([&] {
            EXPECT_EQ(next->build(), errc::ok);
            built.store(true);
        });
        const auto stamp = [&] {
            const std::uint32_t number = announced.fetch_add(1) + 1;
            EXPECT_EQ(live.announce(prefix<A>{}, {number}), errc::ok);
        };
        while (!built.load())
            stamp();
        builder.join();
        for (;;) {
            const auto done = live.finish_scheme(*next);
            ASSERT_TRUE(done);
            if (done->state == publish_state::published)
                break;
            std::this_thread::yield();
        }
        for (int i = 0; i < 5; ++i)
            stamp();
        const std::size_t read = batches.load();
        while (batches.load() < read + 4)
            std::this_thread::yield();
        ++kinds;
    });
    over.store(true);
    for (std::thread& one : readers)
        one.join();
    EXPECT_EQ(wrong.load(), 0u);
    EXPECT_GE(kinds, 1u);
}

} // namespace
} // namespace fingerpost::testing::of_scheme_change
