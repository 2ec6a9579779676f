// Updates with lookups that the stand-in holds, and updates of which any call or allocation fails.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gpu/device_standin.hpp"
#include "tests/faults/each_allocation.hpp"
#include "tests/gpu/device_tables.hpp"

namespace fingerpost::testing {
namespace {

using A = ipv6_address;

// Tables of about the same size, and their images.
struct scene {
    scene() {
        for (const std::uint64_t seed : {31u, 32u, 33u, 34u}) {
            const table<A> all = mixed_routes<A>(seed, 500, 30);
            about.emplace_back(all);
            images.push_back(image_of(default_scheme<A>(), all));
        }
    }
    // Checks that the table on the device has these routes.
    void expect(const handle& table, std::size_t number) const {
        EXPECT_EQ(answers_on_device<A>(table.get(), about[number].addresses), about[number].answers)
            << "image " << number;
    }

    std::vector<questions<A>> about;
    std::vector<aligned_array<std::byte>> images;
};

TEST(GpuUpdateFaults, LookupsInFlightKeepTheirVersion) {
    const scene with;
    std::vector<std::unique_ptr<own_lookup<A>>> held;
    for (const questions<A>& each : with.about) {
        held.push_back(std::make_unique<own_lookup<A>>(each.addresses));
        gpu::standin::hold(held.back()->in());
    }
    const std::size_t others = gpu::standin::device_bytes();
    const handle table = upload(with.images[0].span());
    ASSERT_NE(table, nullptr);
    for (std::size_t i = 0; i < held.size(); ++i) {
        update(table, with.images[i].span());
        held[i]->start(table);
        EXPECT_EQ(fingerpost_cuda_memory_bytes(table.get()), gpu::standin::device_bytes() - others);
    }
    // All versions are in use, so each has memory of its own.
    const std::size_t most = fingerpost_cuda_memory_bytes(table.get());
    for (std::size_t i = 0; i < held.size(); ++i)
        EXPECT_EQ(held[i]->wait(), with.about[i].answers) << "version " << i;
    // Then two remain, and updates soon allocate nothing.
    for (const auto& image : with.images)
        update(table, image.span());
    const std::size_t least = fingerpost_cuda_memory_bytes(table.get());
    EXPECT_LT(least, most / 3 * 2);
    for (std::size_t i = 0; i < 8; ++i) {
        update(table, with.images[i % 4].span());
        EXPECT_EQ(fingerpost_cuda_memory_bytes(table.get()), least);
    }
    EXPECT_EQ(least, gpu::standin::device_bytes() - others);
    with.expect(table, 3);
}

// A table that has the routes of image 0 and, after updates, memory for the next one.
handle table_for_faults(const scene& with, bool has_standby) {
    handle table = upload(with.images[0].span());
    if (has_standby)
        for (const std::size_t i : {1, 0})
            update(table, with.images[i].span());
    return table;
}

TEST(GpuUpdateFaults, EachCallOfTheDevice) {
    const scene with;
    for (const bool has_standby : {false, true}) {
        std::size_t failures = 0;
        for (bool has_failed = true; has_failed; ++failures) {
            SCOPED_TRACE(failures);
            const handle table = table_for_faults(with, has_standby);
            gpu::standin::fail_call(failures);
            const int code =
                fingerpost_cuda_update(table.get(), with.images[1].data(), with.images[1].size());
            has_failed = gpu::standin::stop_failing();
            EXPECT_EQ(code != FINGERPOST_CUDA_OK, has_failed);
            with.expect(table, has_failed ? 0 : 1);
            for (const std::size_t i : {2, 3}) {
                update(table, with.images[i].span());
                with.expect(table, i);
            }
            ASSERT_FALSE(HasFailure());
        }
        EXPECT_GT(failures, 5u);
    }
}

TEST(GpuUpdateFaults, EachAllocationOfTheHost) {
    const scene with;
    for (const bool has_standby : {false, true}) {
        handle table = table_for_faults(with, has_standby);
        const auto act = [&] {
            return fingerpost_cuda_update(table.get(), with.images[1].data(), with.images[1].size()) ==
                   FINGERPOST_CUDA_OK;
        };
        const std::size_t failures = fail_each_allocation(act, [&](const attempt& made) {
            with.expect(table, made.done ? 1 : 0);
            update(table, with.images[2].span());
            with.expect(table, 2);
            table = table_for_faults(with, has_standby);
        });
        EXPECT_GT(failures, 5u);
    }
}

} // namespace
} // namespace fingerpost::testing
