// The states of a pipeline's threads, read after its last result was taken.
#include "io/source/ordered_pipeline.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace fingerpost::testing::of_pipelines {
namespace {

// There are fewer parts than threads, so some threads have hardly started when the work is done.
TEST(OrderedPipeline, StatesMayBeReadAfterTheLastResult) {
    for (int round = 0; round < 200; ++round) {
        const std::thread::id caller = std::this_thread::get_id();
        std::vector<std::shared_ptr<const int>> sums;
        io::ordered_pipeline<int, int> pipeline(
            8,
            [](const auto& put) {
                for (int part = 1; part <= 3; ++part)
                    put(int{part});
            },
            [&]() -> std::function<int(int&&)> {
                EXPECT_EQ(std::this_thread::get_id(), caller);
                auto sum = std::make_shared<int>(0);
                sums.push_back(sum);
                return [sum](int&& part) {
                    *sum += part;
                    return part;
                };
            });
        int next = 0;
        while (const auto result = pipeline.next())
            ASSERT_EQ(*result, ++next);
        EXPECT_EQ(next, 3);
        int all = 0;
        for (const auto& sum : sums)
            all += *sum;
        EXPECT_EQ(all, 6);
        EXPECT_EQ(sums.size(), 8U);
    }
}

} // namespace
} // namespace fingerpost::testing::of_pipelines
