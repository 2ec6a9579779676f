// Images for tests: builds them in memory or in a temporary folder, and compares them with the oracle.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fingerpost/image/any_image.hpp"
#include "fingerpost/values/rows.hpp"
#include "tests/support/files.hpp"
#include "tests/support/suite.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing {

// Values for all next hops below `count`.
inline value_rows rows_of_two_columns(std::uint32_t count) {
    value_rows rows(std::array<std::string_view, 2>{"asn", "country"});
    for (std::uint32_t i = 0; i < count; ++i)
        (void)rows.intern(
            std::array<std::string_view, 2>{std::to_string(64'500 + i), i % 2 == 0 ? "CH" : "IT"});
    return rows;
}

// Aligned, and of exactly this size, so that the address sanitizer detects reads past the end.
inline aligned_array<std::byte> copy_of(std::span<const std::byte> bytes) {
    auto copy = *aligned_array<std::byte>::make(bytes.size());
    std::copy(bytes.begin(), bytes.end(), copy.begin());
    return copy;
}

// Routes of all lengths, so that tiers exist, with `hops` distinct next hops.
template <class A>
table<A> mixed_routes(std::uint64_t seed, std::size_t count, std::uint32_t hops) {
    random_numbers random(seed);
    table<A> made;
    for (std::size_t i = 0; i < count; ++i) {
        const bool near = !made.empty() && random.below(3) != 0;
        const A base = near ? made[random.below(made.size())].where.base : random.address<A>();
        const A noise = random.address<A>();
        const auto kept = static_cast<unsigned>(random.below(A::bits + 1));
        const A mixed{static_cast<typename A::value_type>((base.value & network_mask<A>(kept)) |
                                                          (noise.value & ~network_mask<A>(kept)))};
        const A in_width{static_cast<typename A::value_type>(mixed.value & A::last().value)};
        made.push_back({prefix<A>::make(in_width, static_cast<unsigned>(random.below(A::bits + 1))),
                        {static_cast<std::uint32_t>(random.below(hops))}});
    }
    return sorted(std::move(made));
}

// Checks that single lookups, batches, exact queries and iteration agree with the oracle.
template <class A, class Fib>
void expect_same(const Fib& fib, const image_routes<A>& kept, const table<A>& all) {
    const auto at = addresses_to_try<A>(all);
    const auto truth = oracle_answers<A>(all, at);
    std::vector<next_hop> got(at.size());
    fib.lookup(std::span<const A>(at), std::span<next_hop>(got));
    for (std::size_t i = 0; i < at.size(); ++i) {
        const next_hop right = truth[i];
        ASSERT_EQ(got[i], right) << text_of(at[i]);
        const auto match = kept.match(at[i]);
        ASSERT_EQ(match ? match->hop : next_hop::none, right) << text_of(at[i]);
        if (i % 7 == 0) {
            ASSERT_EQ(fib.lookup(at[i]), right);
        }
    }
    ASSERT_EQ(kept.size(), all.size());
    ASSERT_TRUE(std::equal(kept.begin(), kept.end(), all.begin()));
    fingerpost::rib<A> exact;
    ASSERT_TRUE(exact.assign(all));
    for (std::size_t i = 0; i < all.size(); i += 1 + all.size() / scaled(200'000)) {
        ASSERT_EQ(kept.get(all[i].where), all[i].hop);
        ASSERT_EQ(kept.cover(all[i].where), exact.cover(all[i].where));
    }
}

} // namespace fingerpost::testing
