// Short routes against the oracle: their changes one by one and told together in any order, and what they
// take.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/packed_leaves/short_routes.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/isa.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/support/suite.hpp"
#include "tests/support/tables.hpp"

namespace fingerpost::testing {
namespace {

using namespace packed_leaves;

template <class A>
class ShortRoutes : public ::testing::Test {};
using widths = ::testing::Types<address<3>, address<8>, ipv4_address, address<48>, ipv6_address>;
TYPED_TEST_SUITE(ShortRoutes, widths);

template <class A>
prefix<A> some_short(random_numbers& random) {
    return prefix<A>::make(random.template address<A>(),
                           static_cast<unsigned>(random.below(short_routes_view<A>::bits + 1)));
}
// Some of them have the bit that tells pages.
inline next_hop some_hop(random_numbers& random) {
    const auto bit = static_cast<std::uint32_t>(random.below(2)) << 31;
    return {bit | static_cast<std::uint32_t>(random.below(4))};
}
template <class A>
std::uint32_t find(const short_routes<A>& in, A a) {
    const std::uint64_t key = top64(a);
    std::uint32_t number = next_hop::none.id;
    if (!in.view().empty())
        kernels_of(simd::isa::scalar)
            .fill[static_cast<std::size_t>(simd::input_form::key64)](in.view().kernel_view(), &key, &number,
                                                                     1);
    return number;
}
template <class A>
void expect_right(const short_routes<A>& in, const rib<A>& truth, random_numbers& random) {
    for (unsigned i = 0; i < 30; ++i) {
        const A at = random.template address<A>();
        ASSERT_EQ(find(in, at), truth.lookup(at).id) << text_of(at);
    }
    for (const route<A>& r : truth)
        for (const A end : {r.where.first(), r.where.last()})
            ASSERT_EQ(find(in, end), truth.lookup(end).id) << text_of(end);
}

TYPED_TEST(ShortRoutes, AnswerAsTheTableDoesAndShrinkToNothing) {
    using A = TypeParam;
    random_numbers random(A::bits);
    rib<A> truth;
    short_routes<A> changed;
    short_routes<A> behind;
    const std::size_t empty = changed.memory_bytes();
    for (unsigned round = 0; round < scaled(300); ++round) {
        // Told as the table is after all of them.
        std::map<prefix<A>, next_hop> before;
        for (std::uint64_t i = random.below(5); i < 5; ++i) {
            const prefix<A> p = some_short<A>(random);
            const bool leaves = random.below(2) == 0 && truth.size() > 0;
            const prefix<A> where =
                leaves ? truth.match(random.template address<A>()).value_or(*truth.begin()).where : p;
            before.try_emplace(where, truth.get(where));
            if (leaves)
                ASSERT_TRUE(truth.erase(where));
            else
                ASSERT_TRUE(truth.insert(where, some_hop(random)));
        }
        std::vector<change<A>> all;
        for (const auto& [where, old] : before)
            all.push_back(truth.describe(where, old));
        for (std::size_t i = all.size(); i > 1; --i)
            std::swap(all[i - 1], all[random.below(i)]);
        for (const change<A>& c : all)
            changed.apply(c, c.answer().id);
        ASSERT_NO_FATAL_FAILURE(expect_right(changed, truth, random));
        behind.sync_from(changed, round > 0);
        ASSERT_NO_FATAL_FAILURE(expect_right(behind, truth, random));
        std::swap(behind, changed);
        short_routes<A> fresh;
        for (const route<A>& r : truth)
            fresh.add(r.where, r.hop.id);
        ASSERT_NO_FATAL_FAILURE(expect_right(fresh, truth, random));
        ASSERT_EQ(changed.view().pages.size(), fresh.view().pages.size());
    }
    EXPECT_EQ(changed.view().empty(), truth.empty());
    while (!truth.empty()) {
        const auto told = truth.withdraw((*truth.begin()).where);
        ASSERT_TRUE(told);
        changed.apply(*told, told->answer().id);
        ASSERT_NO_FATAL_FAILURE(expect_right(changed, truth, random));
    }
    EXPECT_TRUE(changed.view().empty());
    EXPECT_EQ(changed.memory_bytes(), empty);
}

// Kernels fill answers in where there is none, and nowhere else.
template <class A, simd::input_form Form>
void expect_filled(simd::isa isa) {
    random_numbers random(6);
    short_routes<A> in;
    rib<A> truth;
    for (unsigned i = 0; i < 60; ++i) {
        const prefix<A> p = some_short<A>(random);
        if (truth.get(p) != next_hop::none)
            continue;
        const next_hop hop = some_hop(random);
        ASSERT_TRUE(truth.insert(p, hop));
        in.add(p, hop.id);
    }
    for (unsigned i = 0; i < 200; ++i) {
        std::vector<A> at(random.below(40));
        std::vector<next_hop> out(at.size(), next_hop::none);
        for (A& a : at)
            a = random.template address<A>();
        // In every third round nothing has an answer, a path of its own.
        for (next_hop& hop : out)
            if (i % 3 != 0 && random.below(3) == 0)
                hop = some_hop(random);
        const std::vector<next_hop> before = out;
        kernels_of(isa).fill[static_cast<std::size_t>(Form)](
            in.view().kernel_view(), at.data(), reinterpret_cast<std::uint32_t*>(out.data()), at.size());
        for (std::size_t k = 0; k < at.size(); ++k)
            ASSERT_EQ(out[k], before[k] == next_hop::none ? truth.lookup(at[k]) : before[k])
                << text_of(at[k]);
    }
}
TEST(ShortRoutesKernels, FillWhatHasNoAnswer) {
    for (const simd::isa isa : simd::available_isas()) {
        SCOPED_TRACE(std::string(simd::name_of(isa)));
        ASSERT_NO_FATAL_FAILURE((expect_filled<ipv4_address, simd::input_form::ipv4>(isa)));
        ASSERT_NO_FATAL_FAILURE((expect_filled<ipv6_address, simd::input_form::ipv6>(isa)));
        ASSERT_NO_FATAL_FAILURE((expect_filled<address<64>, simd::input_form::key64>(isa)));
    }
}

} // namespace
} // namespace fingerpost::testing
