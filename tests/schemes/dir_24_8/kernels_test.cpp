// Batches by gathers and by the scalar loop, with entries of two and of four bytes, in tables with and
// without spill groups.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/dir_24_8/dir_24_8.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/oracle/verify.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_dir_24_8 {
namespace {

// Routes of all lengths, some in adjacent entries, some at both ends of the space, with gaps between them.
template <class A>
std::vector<route<A>> routes_with(std::uint32_t first_hop, std::uint32_t step) {
    rib<A> all; // the second next hop of a repeated prefix counts
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
    // Complete entries and spill groups next to each other, so that words of two entries take all four forms.
    for (std::uint32_t i = 0; i < 64 && A::bits == 32; ++i)
        add(0x0b000000 + (i << 8) + (i % 3 == 0 ? 0x80 : 0), i % 3 == 0 ? 25 : 24);
    return routes_of(all);
}

// Forces each kernel that this machine supports.
template <class A>
void expect_all_kernels_right(const std::vector<route<A>>& all, std::size_t entry_bytes) {
    const routes<A> table(all);
    std::vector<A> in = oracle::probes<A>(std::span<const route<A>>(all));
    random_numbers random(1);
    for (int i = 0; i < 3000; ++i) {
        in.push_back(random.address<A>());
        // Addresses near the adjacent entries, where a gathered word holds one entry of each kind.
        in.push_back({(0x0b000000 | static_cast<std::uint32_t>(random.below(1 << 14))) & A::last().value});
    }
    const oracle::by_length<A> truth{std::span<const route<A>>(all)};
    for (const simd::isa isa : simd::available_isas())
        for (const bool gathers : {false, true}) {
            build_options one{.isa = isa};
            one.tuning.direct_gathers = gathers;
            SCOPED_TRACE(std::string(simd::name_of(isa)) + (gathers ? " with gathers" : " without gathers"));
            for (const auto& fib :
                 {dir_24_8::fib<A>::build(table, one), dir_24_8::fib<A>::build_in_place(table, one)}) {
                ASSERT_TRUE(fib);
                ASSERT_EQ(fib->memory_parts().front().bytes, entry_bytes << (A::bits * 3 / 4));
                ASSERT_FALSE(oracle::verify<A>(*fib, truth, std::span<const A>(in)));
            }
        }
}

TEST(DirectKernels, EntriesOfTwoBytes) {
    expect_all_kernels_right(routes_with<ipv4_address>(0x7ffe - 159, 1), 2);
    expect_all_kernels_right(std::vector<route<ipv4_address>>{}, 2);
}
TEST(DirectKernels, EntriesOfFourBytes) {
    expect_all_kernels_right(routes_with<ipv4_address>(0x7ffe, 1), 4);
    expect_all_kernels_right(routes_with<ipv4_address>(0x7ffffffe - 159 * 1000, 1000), 4);
}
// No kernel can decode these.
TEST(DirectKernels, NextHopsThatAreNoCodes) {
    expect_all_kernels_right(routes_with<ipv4_address>(0xf0000000, 77), 4);
}
TEST(DirectKernels, NarrowAddresses) {
    for (const std::uint32_t first_hop : {5U, 70000U}) {
        const std::size_t bytes = first_hop == 5 ? 2 : 4;
        expect_all_kernels_right(routes_with<address<3>>(first_hop, 1), bytes);
        expect_all_kernels_right(routes_with<address<8>>(first_hop, 1), bytes);
        expect_all_kernels_right(routes_with<address<19>>(first_hop, 1), bytes);
    }
}

} // namespace
} // namespace fingerpost::testing::of_dir_24_8
