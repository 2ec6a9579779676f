// Updates of a table on a device: what they publish, what they upload, and lookups during them.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "fingerpost/table/table.hpp"
#include "gpu/array_upload.hpp"
#include "tests/gpu/device_tables.hpp"
#include "tests/support/effort.hpp"

namespace fingerpost::testing {
namespace {

template <class A>
table<A> routes_of(const rib<A>& truth) {
    const routes<A> all = truth.to_routes();
    return {all.sorted().begin(), all.sorted().end()};
}

// Changes `count` random routes: new ones near others, withdrawals, other next hops.
template <class A>
void change(rib<A>& truth, clustered_prefixes<A>& prefixes, random_numbers& random, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const table<A> all = routes_of(truth);
        const next_hop hop{static_cast<std::uint32_t>(random.below(300))};
        const std::uint64_t choice = all.empty() ? 0 : random.below(3);
        const prefix<A> where = choice == 0 ? prefixes.next() : all[random.below(all.size())].where;
        ASSERT_TRUE(choice == 1 ? truth.withdraw(where) : truth.announce(where, hop));
    }
}

// Every version has the answers of the oracle, whatever the scheme of the version before.
template <class A>
void race_updates() {
    random_numbers random(11);
    clustered_prefixes<A> prefixes(random);
    rib<A> truth;
    const handle table = upload(image_of(default_scheme<A>(), {}).span());
    ASSERT_NE(table, nullptr);
    for (const auto& scheme : schemes<A>()) {
        if (!has_kernel(scheme))
            continue;
        SCOPED_TRACE(std::string(scheme.facts.name));
        for (const std::size_t count : {1u, 300u, 1u, 1u, 10u, 1u, 100u, 1u}) {
            change(truth, prefixes, random, count);
            const auto all = routes_of(truth);
            update(table, image_of(scheme, all).span());
            const questions<A> about(all);
            ASSERT_EQ(answers_on_device<A>(table.get(), about.addresses), about.answers) << count;
            ASSERT_LE(fingerpost_cuda_uploaded_bytes(table.get()), fingerpost_cuda_memory_bytes(table.get()));
        }
    }
}
TEST(GpuUpdates, HaveTheAnswersOfTheirVersionOfIpv4) {
    race_updates<ipv4_address>();
}
TEST(GpuUpdates, HaveTheAnswersOfTheirVersionOfIpv6) {
    race_updates<ipv6_address>();
}

// The image of a FIB that changes have patched.
template <class A>
aligned_array<std::byte> patched_image_of(const fingerpost::table<A>& live) {
    const std::vector<route<A>> all = live.copy_routes();
    return fingerpost::detail::image_writer<A>::write(all, live.scheme().facts.name, live.newest_fib().save(),
                                                      {});
}

// The default scheme changes few bytes for a route.
template <class A>
void count_uploads() {
    random_numbers random(12);
    auto live = fingerpost::table<A>::create();
    ASSERT_TRUE(live);
    ASSERT_TRUE(live->assign(clustered_table<A>(random, 40'000, 200)));
    const handle table = upload(patched_image_of<A>(*live).span());
    ASSERT_NE(table, nullptr);
    const std::size_t full = fingerpost_cuda_uploaded_bytes(table.get());
    EXPECT_EQ(full, fingerpost_cuda_memory_bytes(table.get()));
    clustered_prefixes<A> prefixes(random);
    for (int i = 0; i < 50; ++i) {
        const prefix<A> where = prefix<A>::make(prefixes.next().base, A::bits / 2);
        ASSERT_EQ(live->announce(where, {static_cast<std::uint32_t>(random.below(200))}), errc::ok);
        update(table, patched_image_of<A>(*live).span());
        EXPECT_LT(fingerpost_cuda_uploaded_bytes(table.get()), full / 10);
    }
    update(table, patched_image_of<A>(*live).span());
    EXPECT_LT(fingerpost_cuda_uploaded_bytes(table.get()), 2000u); // the object of the FIB
    const questions<A> about(live->copy_routes());
    EXPECT_EQ(answers_on_device<A>(table.get(), about.addresses), about.answers);
    EXPECT_EQ(fingerpost_cuda_uploaded_bytes(nullptr), 0u);
}
TEST(GpuUpdates, UploadFewBytesForOneRouteOfIpv4) {
    count_uploads<ipv4_address>();
}
TEST(GpuUpdates, UploadFewBytesForOneRouteOfIpv6) {
    count_uploads<ipv6_address>();
}

// An update may replace one family by the other.
TEST(GpuUpdates, ReplaceFamilies) {
    const auto of4 = mixed_routes<ipv4_address>(13, 300, 20);
    const auto of6 = mixed_routes<ipv6_address>(14, 300, 20);
    const auto image4 = image_of(default_scheme<ipv4_address>(), of4);
    const auto image6 = image_of(default_scheme<ipv6_address>(), of6);
    const questions<ipv4_address> about4(of4);
    const questions<ipv6_address> about6(of6);
    const std::vector<next_hop> none4(about4.answers.size(), next_hop::none);
    const std::vector<next_hop> none6(about6.answers.size(), next_hop::none);
    const handle table = upload(image4.span());
    ASSERT_NE(table, nullptr);
    for (int i = 0; i < 6; ++i) {
        const bool is_ipv6 = i % 2 == 0;
        update(table, is_ipv6 ? image6.span() : image4.span());
        EXPECT_EQ(answers_on_device<ipv4_address>(table.get(), about4.addresses),
                  is_ipv6 ? none4 : about4.answers);
        EXPECT_EQ(answers_on_device<ipv6_address>(table.get(), about6.addresses),
                  is_ipv6 ? about6.answers : none6);
    }
}

// Lookups that began before an update still read the old version, which no later update overwrites.
TEST(GpuUpdates, LeaveOldVersionsToTheirLookups) {
    using A = ipv4_address;
    std::vector<table<A>> all;
    std::vector<aligned_array<std::byte>> images;
    for (const std::uint64_t seed : {21u, 22u, 23u, 24u, 25u}) {
        all.push_back(mixed_routes<A>(seed, 3000, 20));
        images.push_back(image_of(default_scheme<A>(), all.back()));
    }
    std::vector<A> at;
    random_numbers random(26);
    for (std::size_t i = 0; i < scaled(4'000'000); ++i)
        at.push_back(random.address<A>());
    const handle table = upload(images.back().span());
    ASSERT_NE(table, nullptr);
    std::vector<std::unique_ptr<own_lookup<A>>> lookups;
    for (std::size_t i = 0; i < all.size(); ++i)
        lookups.push_back(std::make_unique<own_lookup<A>>(at));
    for (std::size_t i = 0; i < all.size(); ++i) {
        update(table, images[i].span());
        lookups[i]->start(table);
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(lookups[i]->wait() == answers_of<A>(all[i], at), true) << "version " << i;
}

// Random arrays, mostly of zeros, which grow and shrink in the memory of earlier versions.
TEST(GpuUpdates, PlaceArraysOfAnySize) {
    random_numbers random(27);
    std::vector<std::vector<std::byte>> arrays;
    gpu::uploaded_arrays versions[2];
    for (std::size_t i = 0; i < scaled(4000); ++i) {
        arrays.resize(random.below(20) == 0 ? random.below(6) : 5);
        for (auto& array : arrays) {
            if (random.below(4) == 0)
                array.resize(random.below(3) == 0 ? 0 : random.below(60'000));
            for (std::uint64_t edits = random.below(4); edits > 0 && !array.empty(); --edits)
                array[random.below(array.size())] = static_cast<std::byte>(random.below(3));
        }
        gpu::uploaded_arrays& to = versions[i % 2];
        const gpu::own_stream in;
        gpu::array_upload place(to, i == 0 ? nullptr : &versions[(i + 1) % 2], in.get());
        std::vector<const std::byte*> positions;
        for (const auto& array : arrays)
            positions.push_back(place(std::span<const std::byte>(array)));
        place.finish();
        ASSERT_EQ(to.size(), arrays.size());
        for (std::size_t k = 0; k < arrays.size(); ++k) {
            ASSERT_EQ(positions[k] == nullptr, arrays[k].empty());
            ASSERT_LE(to[k].capacity / 4, arrays[k].size());
            if (arrays[k].empty())
                continue;
            std::vector<std::byte> there(arrays[k].size());
            gpu::copy_to_host(there.data(), positions[k], there.size(), in.get());
            gpu::wait_for_stream(in.get());
            ASSERT_EQ(there, arrays[k]) << "array " << k << " of version " << i;
        }
    }
}

// Each lookup uses one version, while other threads update the table.
TEST(GpuUpdates, RunBesideLookups) {
    using A = ipv6_address;
    constexpr std::size_t versions = 2;
    const table<A> all[versions] = {mixed_routes<A>(15, 2000, 20), mixed_routes<A>(16, 2000, 20)};
    const std::vector<A> few = oracle::probes<A>(all[0]);
    std::vector<A> at; // a lookup from the host has several chunks
    while (at.size() < 300'000)
        at.insert(at.end(), few.begin(), few.end());
    const std::vector<next_hop> answers[versions] = {answers_of<A>(all[0], at), answers_of<A>(all[1], at)};
    const aligned_array<std::byte> images[versions] = {image_of(default_scheme<A>(), all[0]),
                                                       image_of(default_scheme<A>(), all[1])};
    const handle table = upload(images[0].span());
    ASSERT_NE(table, nullptr);
    std::atomic<bool> is_over = false;
    std::atomic<std::size_t> lookups = 0;
    std::array<std::thread, 2> readers;
    for (std::thread& reader : readers)
        reader = std::thread([&] {
            while (!is_over && !::testing::Test::HasFailure()) {
                own_lookup<A> lookup(at);
                lookup.start(table);
                std::vector<next_hop> from_host(at.size());
                EXPECT_EQ(fingerpost_cuda_lookup_host(table.get(), A::bits, packed<A>(at).data(),
                                                      &from_host.data()->id, at.size()),
                          FINGERPOST_CUDA_OK);
                for (const auto& results : {lookup.wait(), from_host})
                    EXPECT_TRUE(results == answers[0] || results == answers[1]);
                update(table, images[++lookups % versions].span());
            }
        });
    const std::size_t least = scaled(200);
    for (std::size_t i = 1; i < least || lookups < least; ++i)
        update(table, images[i % versions].span());
    is_over = true;
    for (std::thread& reader : readers)
        reader.join();
}

} // namespace
} // namespace fingerpost::testing
