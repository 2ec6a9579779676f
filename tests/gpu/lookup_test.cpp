// The kernels of all standard schemes against the oracle, by the C interface. Linked with the stand-in, they
// run on the CPU; with libfingerpost_cuda.so, on a GPU.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "fingerpost/image/image_writer.hpp"
#include "fingerpost/registry/registry.hpp"
#include "gpu/fingerpost_cuda_arrays.h"
#include "gpu/fingerpost_cuda_kernels.h"
#include "tests/gpu/device_array.hpp"
#include "tests/oracle/by_parent.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/support/images.hpp"
#include "tests/support/tables/real_data.hpp"

namespace fingerpost::testing {
namespace {

struct closer {
    void operator()(fingerpost_cuda_table* table) const { fingerpost_cuda_close(table); }
};
using handle = std::unique_ptr<fingerpost_cuda_table, closer>;

handle upload(std::span<const std::byte> image) {
    fingerpost_cuda_table* uploaded = nullptr;
    EXPECT_EQ(fingerpost_cuda_upload(image.data(), image.size(), 0, &uploaded), FINGERPOST_CUDA_OK)
        << fingerpost_cuda_error();
    return handle(uploaded);
}

// Addresses as the interface takes them.
template <class A>
std::vector<std::uint64_t> packed(std::span<const A> addresses) {
    std::vector<std::uint64_t> words((addresses.size_bytes() + 7) / 8);
    if constexpr (A::bits == 32)
        std::memcpy(words.data(), addresses.data(), addresses.size_bytes());
    else
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            words[2 * i] = __builtin_bswap64(top64(addresses[i]));
            words[2 * i + 1] = __builtin_bswap64(bottom64(addresses[i]));
        }
    return words;
}

template <class A>
aligned_array<std::byte> image_of(const scheme_entry<A>& scheme, const table<A>& all) {
    const routes<A> from(all);
    const auto fib = scheme.build(from, {});
    EXPECT_TRUE(fib) << scheme.facts.name;
    return fingerpost::detail::image_writer<A>::write(from.sorted(), scheme.facts.name, (*fib)->save(), {});
}

template <class A>
std::vector<next_hop> answers_of(const table<A>& all, std::span<const A> at) {
    return oracle::answers<A>(oracle::by_parent<A>(all), at);
}

std::vector<std::uint64_t> halves_of(std::span<const ipv6_address> addresses) {
    std::vector<std::uint64_t> words;
    for (const ipv6_address a : addresses)
        words.insert(words.end(), {top64(a), bottom64(a)});
    return words;
}

// All ways to look up, on a table of one family.
template <class A>
std::vector<next_hop> answers_on_device(fingerpost_cuda_table* in, std::span<const A> at) {
    std::vector<std::uint32_t> out(at.size());
    const std::vector<std::uint64_t> words = packed(at);
    device_array addresses(words.data(), at.size_bytes());
    device_array hops(out.data(), out.size() * sizeof out[0]);
    EXPECT_EQ(fingerpost_cuda_lookup(in, A::bits, addresses.get(), static_cast<std::uint32_t*>(hops.get()),
                                     at.size(), nullptr),
              FINGERPOST_CUDA_OK)
        << fingerpost_cuda_error();
    hops.copy_to(out.data());
    std::vector<std::uint32_t> from_host(at.size());
    EXPECT_EQ(fingerpost_cuda_lookup_host(in, A::bits, words.data(), from_host.data(), at.size()),
              FINGERPOST_CUDA_OK)
        << fingerpost_cuda_error();
    EXPECT_EQ(out, from_host);
    if constexpr (A::bits == 128) {
        EXPECT_EQ(fingerpost_cuda_lookup_host(in, FINGERPOST_CUDA_IPV6_HALVES, halves_of(at).data(),
                                              from_host.data(), at.size()),
                  FINGERPOST_CUDA_OK)
            << fingerpost_cuda_error();
        EXPECT_EQ(out, from_host);
    }
    std::vector<next_hop> result;
    for (const std::uint32_t hop : out)
        result.push_back({hop});
    return result;
}

// Addresses on both sides of every boundary of a table, and the right answers.
template <class A>
struct questions {
    explicit questions(const table<A>& all)
        : addresses(oracle::probes<A>(all)), answers(answers_of<A>(all, addresses)) {}

    std::vector<A> addresses;
    std::vector<next_hop> answers;
};

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
bool has_kernel(const scheme_entry<A>& scheme) {
    return scheme.facts.is_standard() && scheme.saveable;
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

} // namespace
} // namespace fingerpost::testing
