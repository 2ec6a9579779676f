// The benchmark of lookups on a GPU, on the stand-in: rows are complete, and wrong answers are found.
#include "gpu/bench/measure_gpu.hpp"

#include <gtest/gtest.h>

#include "bench/harness/timing/team.hpp"
#include "fingerpost/image/image.hpp"
#include "terminal/failure.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::bench {
namespace {

using A = ipv6_address;
using cli::failure;

routes<A> table(std::uint64_t seed) {
    testing::random_numbers random(seed);
    return routes<A>(testing::clustered_table<A>(random, 200, 50));
}

gpu_settings small() {
    gpu_settings settings;
    settings.workloads = {"match", "zipf"};
    settings.batches = {100, 4'000};
    settings.rounds = 3;
    settings.round_ms = 1;
    settings.addresses = 4'000;
    settings.cpus = usable_cpus();
    return settings;
}

expected<aligned_array<std::byte>> image_of(const routes<A>& from, std::string_view scheme) {
    return image<A>::compose(from, {}, {}, scheme);
}

lookup_results measure(const gpu_settings& settings, const std::vector<std::string>& schemes,
                       const image_maker<A>& make_image = image_of) {
    return measure_gpu<A>(table(3), schemes, settings, {"t", "file", 6}, {}, make_image);
}

TEST(GpuBench, EveryCaseHasASpeedAndCheckedAnswers) {
    const lookup_results results = measure(small(), {"packed_leaves", "planb"});
    // 2 schemes, 2 workloads, 3 places, 2 batch sizes.
    ASSERT_EQ(results.rows.size(), 24U);
    EXPECT_TRUE(results.wrong.empty());
    for (const lookup_row& row : results.rows) {
        EXPECT_TRUE(row.has_speed());
        EXPECT_EQ(row.mlps_rounds.size(), 3U);
        EXPECT_EQ(row.isa, "cuda");
        EXPECT_GT(row.bytes, 0U);
        EXPECT_EQ(row.addresses_per_round % row.batch, 0U);
        EXPECT_EQ(row.checked, 4'000U + row.addresses_per_round) << "the trace, and the last round";
        EXPECT_LE(row.mlps.q1, row.mlps.median);
        EXPECT_LE(row.mlps.median, row.mlps.q3);
    }
}

TEST(GpuBench, AWrongAnswerIsFoundAndNotTimed) {
    const routes<A> other = table(4);
    const auto make_image = [&](const routes<A>& from, std::string_view scheme) {
        return image_of(scheme == "planb" ? other : from, scheme);
    };
    const lookup_results results = measure(small(), {"packed_leaves", "planb"}, make_image);
    ASSERT_EQ(results.rows.size(), 24U);
    EXPECT_EQ(results.wrong.size(), 12U);
    EXPECT_NE(results.wrong.front().find("planb is wrong on the device"), std::string::npos);
    EXPECT_NE(results.wrong.front().find("of 4000 answers, first "), std::string::npos);
    for (const lookup_row& row : results.rows) {
        EXPECT_EQ(row.has_speed(), row.scheme == "packed_leaves");
        EXPECT_EQ(row.wrong == 0, row.scheme == "packed_leaves");
    }
    lookup_report report;
    report.rows = results.rows;
    EXPECT_FALSE(report.all_right());
}

TEST(GpuBench, ProbesAreComparedInOneCallAndNotTimed) {
    gpu_settings settings = small();
    settings.probes_only = true;
    const lookup_results right = measure(settings, {"planb"});
    ASSERT_EQ(right.rows.size(), 3U);
    for (const lookup_row& row : right.rows) {
        EXPECT_GT(row.checked, table(3).size());
        EXPECT_EQ(row.checked, row.batch);
        EXPECT_EQ(row.wrong, 0U);
        EXPECT_FALSE(row.has_speed());
    }
    // One route less changes few answers.
    const routes<A> full = table(3);
    std::vector<route<A>> fewer(full.sorted().begin(), full.sorted().end());
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(fewer.size() / 2));
    const routes<A> without_one(fewer);
    const lookup_results wrong = measure(settings, {"planb"}, [&](const routes<A>&, std::string_view scheme) {
        return image_of(without_one, scheme);
    });
    for (const lookup_row& row : wrong.rows) {
        EXPECT_GT(row.wrong, 0U);
        EXPECT_LT(row.wrong, 100U);
    }
}

TEST(GpuBench, WhatIsNotOnTheDeviceIsANote) {
    const auto refuse = [](const routes<A>& from,
                           std::string_view scheme) -> expected<aligned_array<std::byte>> {
        if (scheme == "planb")
            return unexpected{errc::capacity};
        return image_of(from, scheme);
    };
    gpu_settings settings = small();
    settings.workloads = {"match"};
    const lookup_results results = measure(settings, {"planb", "packed_leaves"}, refuse);
    EXPECT_EQ(results.rows.size(), 6U);
    ASSERT_EQ(results.notes.size(), 1U);
    EXPECT_NE(results.notes[0].find("planb is not on the device: "), std::string::npos);
    const auto damage = [](const routes<A>& from, std::string_view scheme) {
        auto bytes = image_of(from, scheme);
        (*bytes)[0] = std::byte{0};
        return bytes;
    };
    EXPECT_THROW(measure(settings, {"planb"}, damage), failure);
}

TEST(GpuBench, ADeviceThatIsNotThereIsAFailure) {
    EXPECT_EQ(describe_gpu(0).name, "stand-in on the CPU");
    EXPECT_THROW(describe_gpu(1), failure);
}

} // namespace
} // namespace fingerpost::bench
