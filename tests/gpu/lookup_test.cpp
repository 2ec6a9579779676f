// The kernels of all standard schemes against the oracle, by the C interface. Linked with the stand-in, they
// run on the CPU; with libfingerpost_cuda.so, on a GPU.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "fingerpost/registry/registry.hpp"
#include "gpu/fingerpost_cuda_arrays.h"
#include "gpu/fingerpost_cuda_kernels.h"
#include "tests/gpu/device_tables.hpp"
#include "tests/support/tables/real_data.hpp"

namespace fingerpost::testing {
namespace {

template <class A>
void race(const scheme_entry<A>& scheme, const table<A>& all, const questions<A>& about) {
    SCOPED_TRACE(std::string(scheme.facts.name));
    const handle table = upload(image_of(scheme, all).span()); // the image is gone afterwards
    ASSERT_NE(table, nullptr);
    for (int kernel = FINGERPOST_CUDA_FIND; kernel <= FINGERPOST_CUDA_GROUPS; ++kernel) {
        if (fingerpost_cuda_choose_kernel(table.get(), kernel) == FINGERPOST_CUDA_UNSUPPORTED)
            continue;
        const auto results = answers_on_device<A>(table.get(), about.addresses);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < results.size(); ++i)
            wrong += results[i] != about.answers[i] ? 1 : 0;
        EXPECT_EQ(wrong, 0u) << "of " << results.size() << " answers by kernel " << kernel;
    }
}
template <class A>
void race(const scheme_entry<A>& scheme, const table<A>& all) {
    race(scheme, all, questions<A>(all));
}

template <class A>
void race_all() {
    for (const auto& scheme : schemes<A>()) {
        if (!has_kernel(scheme))
            continue;
        race(scheme, table<A>{});
        race(scheme, mixed_routes<A>(1, 50, 5));
        // Ids too large to be codes, so there is a list of next hops.
        table<A> sparse = mixed_routes<A>(2, 2000, 100);
        for (route<A>& r : sparse)
            r.hop.id = r.hop.id * 1'000'003 + 7;
        race(scheme, sparse);
    }
}

TEST(Gpu, EveryStandardSchemeOfIpv4) {
    race_all<ipv4_address>();
}
TEST(Gpu, EveryStandardSchemeOfIpv6) {
    race_all<ipv6_address>();
}

TEST(Gpu, LargeIpv4Tables) {
    race(default_scheme<ipv4_address>(), mixed_routes<ipv4_address>(3, 100'000, 300));
}

// Every scheme, at all boundaries of real tables.
class RealTables : public ::testing::TestWithParam<const char*> {};
TEST_P(RealTables, EveryStandardScheme) {
    const auto loaded = load_real_table(GetParam());
    if (!loaded)
        return;
    std::visit(
        []<class A>(const io::loaded_table<A>& got) {
            const questions<A> about(got.routes);
            std::size_t raced = 0;
            for (const auto& scheme : schemes<A>())
                if (has_kernel(scheme)) {
                    race(scheme, got.routes, about);
                    ++raced;
                }
            std::cout << raced << " schemes, " << about.addresses.size() << " addresses each\n";
        },
        *loaded);
}
INSTANTIATE_TEST_SUITE_P(internet, RealTables,
                         ::testing::Values("ipv4", "ipv6", "tier1-v4", "tier1-v6", "ipv6-2021-as19653"),
                         [](const auto& one) { return test_name_of(one.param); });

TEST(Gpu, UpdatePublishesAnotherTable) {
    const auto& scheme = default_scheme<ipv6_address>();
    const auto before = mixed_routes<ipv6_address>(4, 300, 20),
               after = mixed_routes<ipv6_address>(5, 300, 20);
    const handle table = upload(image_of(scheme, before).span());
    ASSERT_NE(table, nullptr);
    const auto image = image_of(scheme, after);
    ASSERT_EQ(fingerpost_cuda_update(table.get(), image.data(), image.size()), FINGERPOST_CUDA_OK);
    const auto at = oracle::probes<ipv6_address>(after);
    EXPECT_EQ(answers_on_device<ipv6_address>(table.get(), at), answers_of<ipv6_address>(after, at));
    EXPECT_GT(fingerpost_cuda_memory_bytes(table.get()), 0u);
}

TEST(Gpu, OpensFiles) {
    const scratch_folder folder;
    const auto& scheme = default_scheme<ipv6_address>();
    const auto routes = mixed_routes<ipv6_address>(7, 300, 20);
    const std::string path = (folder / "table.image").string();
    write_file(path, image_of(scheme, routes).span());
    fingerpost_cuda_table* opened = nullptr;
    ASSERT_EQ(fingerpost_cuda_open(path.c_str(), 0, &opened), FINGERPOST_CUDA_OK) << fingerpost_cuda_error();
    const handle table(opened);
    const auto at = oracle::probes<ipv6_address>(routes);
    EXPECT_EQ(answers_on_device<ipv6_address>(table.get(), at), answers_of<ipv6_address>(routes, at));
    EXPECT_EQ(fingerpost_cuda_choose_kernel(table.get(), 3), FINGERPOST_CUDA_INVALID);
}

TEST(Gpu, ErrorsHaveReasons) {
    int devices = 0;
    ASSERT_EQ(fingerpost_cuda_devices(&devices), FINGERPOST_CUDA_OK);
    ASSERT_GT(devices, 0);
    fingerpost_cuda_table* none = nullptr;
    EXPECT_EQ(fingerpost_cuda_upload("no image", 8, 0, &none), FINGERPOST_CUDA_IMAGE);
    EXPECT_STRNE(fingerpost_cuda_error(), "");
    EXPECT_EQ(fingerpost_cuda_open("/nowhere/at-all", 0, &none), FINGERPOST_CUDA_IMAGE);
    EXPECT_EQ(none, nullptr);
    const auto image = image_of(default_scheme<ipv6_address>(), mixed_routes<ipv6_address>(6, 10, 3));
    EXPECT_NE(fingerpost_cuda_upload(image.data(), image.size(), devices, &none), FINGERPOST_CUDA_OK);
    const handle table = upload(image.span());
    ASSERT_NE(table, nullptr);
    std::uint64_t address[2]{};
    std::uint32_t hop = 0;
    EXPECT_EQ(fingerpost_cuda_lookup_host(table.get(), 32, address, &hop, 1), FINGERPOST_CUDA_OK);
    EXPECT_EQ(hop, FINGERPOST_CUDA_NO_ROUTE); // the image has no routes of IPv4
    EXPECT_EQ(fingerpost_cuda_lookup_host(table.get(), 96, address, &hop, 1), FINGERPOST_CUDA_INVALID);
    EXPECT_EQ(fingerpost_cuda_lookup_host(table.get(), 128, nullptr, &hop, 1), FINGERPOST_CUDA_INVALID);
    EXPECT_EQ(fingerpost_cuda_lookup_host(table.get(), 128, nullptr, nullptr, 0), FINGERPOST_CUDA_OK);
    fingerpost_cuda_close(nullptr);
}

TEST(Gpu, DescribesTheDevice) {
    fingerpost_cuda_properties device{};
    ASSERT_EQ(fingerpost_cuda_describe(0, &device), FINGERPOST_CUDA_OK) << fingerpost_cuda_error();
    EXPECT_STRNE(device.name, "");
    EXPECT_NE(fingerpost_cuda_describe(-1, &device), FINGERPOST_CUDA_OK);
    EXPECT_NE(fingerpost_cuda_describe(1000, &device), FINGERPOST_CUDA_OK);
    EXPECT_EQ(fingerpost_cuda_describe(0, nullptr), FINGERPOST_CUDA_INVALID);
}

TEST(Gpu, PinnedMemoryIsThatOfTheHost) {
    void* memory = nullptr;
    ASSERT_EQ(fingerpost_cuda_allocate_pinned(100, &memory), FINGERPOST_CUDA_OK) << fingerpost_cuda_error();
    std::memset(memory, 1, 100);
    EXPECT_EQ(fingerpost_cuda_release_pinned(memory), FINGERPOST_CUDA_OK);
    ASSERT_EQ(fingerpost_cuda_allocate_pinned(0, &memory), FINGERPOST_CUDA_OK);
    EXPECT_EQ(memory, nullptr);
    EXPECT_EQ(fingerpost_cuda_release_pinned(nullptr), FINGERPOST_CUDA_OK);
    EXPECT_EQ(fingerpost_cuda_allocate_pinned(1, nullptr), FINGERPOST_CUDA_INVALID);
}

} // namespace
} // namespace fingerpost::testing
