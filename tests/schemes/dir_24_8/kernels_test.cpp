// Batches by gathers and by the loop, with entries of two and of four bytes, in tables with and without spill
// groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/dir_24_8/dir_24_8.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_dir_24_8 {
namespace {

// All kernels that this machine has, forced.
std::vector<build_options> all_choices() {
    std::vector<build_options> all;
    for (const simd::isa isa : simd::available_isas())
        for (const bool gathers : {false, true}) {
            build_options one{.isa = isa};
            one.tuning.direct_gathers = gathers;
            all.push_back(one);
        }
    return all;
}

// Batches of these sizes, one after the other, over all of `in`; the memory behind a batch is not written.
template <class A, class Fib>
void expect_batches(const Fib& fib, const std::vector<A>& in, const oracle::by_length<A>& truth) {
    constexpr next_hop untouched{0xdeadbeef};
    for (const std::size_t size : {1, 2, 15, 16, 17, 31, 63, 64, 65, 80, 143, 256, 1000}) {
        std::vector<next_hop> out(size + 1);
        for (std::size_t begin = 0; begin < in.size(); begin += size) {
            const std::size_t count = std::min(size, in.size() - begin);
            std::fill(out.begin(), out.end(), untouched);
            fib.lookup(std::span(in).subspan(begin, count), std::span(out).first(count));
            for (std::size_t i = 0; i < count; ++i)
                ASSERT_EQ(out[i], truth.lookup(in[begin + i])) << "batches of " << size << ", " << begin + i;
            ASSERT_EQ(out[count], untouched) << "batches of " << size;
        }
    }
}

// Routes of all lengths, some in neighbouring entries, both ends of the space among them; none at all in
// between.
template <class A>
std::vector<route<A>> routes_with(std::uint32_t first_hop, std::uint32_t step) {
    rib<A> all; // a prefix that comes twice has the second next hop
    std::uint32_t hop = first_hop;
    const auto add = [&](std::uint32_t base, unsigned length) {
        EXPECT_TRUE(all.insert(prefix<A>::make({base & low_mask<std::uint32_t>(A::bits)}, length), {hop}));
        hop += step;
    };
    for (unsigned length = 1; length <= A::bits; ++length) {
        add(0, length);
        add(~std::uint32_t{0}, length);
        add(0x5a5a5a5a & low_mask<std::uint32_t>(A::bits), length);
    }
    // Whole entries and spill groups side by side: words of two entries in all four forms.
    for (std::uint32_t i = 0; i < 64 && A::bits == 32; ++i)
        add(0x0b000000 + (i << 8) + (i % 3 == 0 ? 0x80 : 0), i % 3 == 0 ? 25 : 24);
    return routes_of(all);
}

template <class A, class Fib = dir_24_8::fib<A>>
void expect_all_kernels_right(const std::vector<route<A>>& all, std::size_t entry_bytes) {
    const routes<A> table(all);
    const oracle::by_length<A> truth{std::span<const route<A>>(all)};
    std::vector<A> in = oracle::probes<A>(std::span<const route<A>>(all));
    std::uint32_t state = 1;
    for (int i = 0; i < 3000; ++i) {
        state = state * 1664525 + 1013904223;
        in.push_back({state >> (32 - A::bits)});
        // Near the entries side by side, where a gathered word holds one of each kind.
        in.push_back({(0x0b000000 | state >> 18) & low_mask<std::uint32_t>(A::bits)});
    }
    for (const build_options& one : all_choices()) {
        SCOPED_TRACE(std::string(simd::name_of(one.isa)) + " " + simd::text_of(one.tuning));
        const auto fib = Fib::build(table, one);
        ASSERT_TRUE(fib);
        ASSERT_EQ(fib->memory_parts().front().bytes, entry_bytes << (A::bits * 3 / 4));
        expect_batches<A>(*fib, in, truth);
        const auto in_place = Fib::build_in_place(table, one);
        ASSERT_TRUE(in_place);
        expect_batches<A>(*in_place, in, truth);
    }
}

TEST(DirectKernels, EntriesOfTwoBytes) {
    expect_all_kernels_right(routes_with<ipv4_address>(0, 1), 2);
    expect_all_kernels_right(routes_with<ipv4_address>(0x7ffe - 159, 1), 2);
    expect_all_kernels_right(std::vector<route<ipv4_address>>{}, 2);
}
TEST(DirectKernels, EntriesOfFourBytes) {
    expect_all_kernels_right(routes_with<ipv4_address>(0x7ffe, 1), 4);
    expect_all_kernels_right(routes_with<ipv4_address>(0x7ffffffe - 159 * 1000, 1000), 4);
}
// No kernel decodes these.
TEST(DirectKernels, NextHopsThatAreNoCodes) {
    expect_all_kernels_right(routes_with<ipv4_address>(0xf0000000, 77), 4);
}
TEST(DirectKernels, NarrowAddresses) {
    expect_all_kernels_right(routes_with<address<3>>(5, 1), 2);
    expect_all_kernels_right(routes_with<address<3>>(70000, 1), 4);
    expect_all_kernels_right(routes_with<address<8>>(5, 1), 2);
    expect_all_kernels_right(routes_with<address<8>>(70000, 1), 4);
    expect_all_kernels_right(routes_with<address<19>>(5, 1), 2);
    expect_all_kernels_right(routes_with<address<19>>(70000, 1), 4);
}

// Spill groups come and go between batches; the kernels keep no copy of where the arrays are.
TEST(DirectKernels, AfterChanges) {
    using A = ipv4_address;
    for (const std::uint32_t first_hop : {1U, 100000U})
        for (const build_options& one : all_choices()) {
            SCOPED_TRACE(std::string(simd::name_of(one.isa)) + " " + simd::text_of(one.tuning));
            rib<A> truth;
            ASSERT_TRUE(truth.insert(prefix<A>::make({0x0a000000}, 8), {first_hop}));
            auto fib = dir_24_8::fib<A>::build(truth.to_routes(), one);
            ASSERT_TRUE(fib);
            std::vector<A> in;
            for (std::uint32_t i = 0; i < 40; ++i)
                for (const std::uint32_t last : {0U, 1U, 127U, 255U})
                    in.push_back({0x0a000000 + (i << 8) + last});
            for (std::uint32_t i = 0; i < 40; ++i) {
                const auto where = prefix<A>::make({0x0a000000 + (i << 8) + 1}, i % 2 == 0 ? 32 : 26);
                const auto change = truth.announce(where, {first_hop + 1 + i});
                ASSERT_TRUE(change);
                ASSERT_EQ(fib->apply(*change), errc::ok);
            }
            for (std::uint32_t i = 0; i < 40; i += 3) {
                const auto where = prefix<A>::make({0x0a000000 + (i << 8) + 1}, i % 2 == 0 ? 32 : 26);
                const auto change = truth.withdraw(where);
                ASSERT_TRUE(change);
                ASSERT_EQ(fib->apply(*change), errc::ok);
            }
            const routes<A> now = truth.to_routes();
            const oracle::by_length<A> right{now.sorted()};
            expect_batches<A>(*fib, in, right);
        }
}

} // namespace
} // namespace fingerpost::testing::of_dir_24_8
