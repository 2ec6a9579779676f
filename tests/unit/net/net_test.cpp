// Addresses, prefixes and slices, compared with a string of bits, at every offset, count and length.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/effort.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing::of_net {
namespace {

// Slow and simple: the address as its binary digits, most significant first.
template <class A>
std::string digits(A a) {
    std::string out;
    for (unsigned i = A::bits; i-- > 0;)
        out += (a.value >> i & 1U) != 0 ? '1' : '0';
    return out;
}
// Bits past the end are zeros.
std::uint64_t number(const std::string& bits, unsigned offset, unsigned count) {
    std::uint64_t out = 0;
    for (unsigned i = 0; i < count; ++i)
        out = out << 1 | (std::size_t{offset} + i < bits.size() && bits[offset + i] == '1' ? 1U : 0U);
    return out;
}

template <class A>
class net_bits : public ::testing::Test {
  protected:
    // All zeros, all ones, one bit, and random ones.
    static std::vector<A> samples() {
        std::vector<A> out{A::first(), A::last(), leading<A>(1, 1).base, A{1}};
        random_numbers random(40);
        for (int i = 0; i < 6; ++i)
            out.push_back(random.address<A>());
        return out;
    }
};
using widths = ::testing::Types<address<12>, address<32>, address<65>, address<128>>;
TYPED_TEST_SUITE(net_bits, widths);

TYPED_TEST(net_bits, slice_cuts_the_bits_at_every_offset_and_count) {
    std::size_t checked = 0;
    for (const TypeParam a : this->samples()) {
        const std::string bits = digits(a);
        for (unsigned offset = 0; offset <= TypeParam::bits + 70; ++offset)
            for (unsigned count = 0; count <= 64; ++count, ++checked)
                ASSERT_EQ(slice(a, offset, count), number(bits, offset, count))
                    << bits << " " << offset << " " << count;
    }
    EXPECT_GE(checked, 10U * 65 * 71);
}

TYPED_TEST(net_bits, halves_are_the_first_64_bits_and_the_rest) {
    for (const TypeParam a : this->samples()) {
        const std::string bits = digits(a);
        EXPECT_EQ(top64(a), number(bits, 0, 64)) << bits;
        EXPECT_EQ(bottom64(a), number(bits, 64, 64)) << bits;
        EXPECT_EQ(from_halves<TypeParam>(top64(a), bottom64(a)), a) << bits;
    }
}

TYPED_TEST(net_bits, slice_has_no_undefined_offset_or_count) {
    constexpr unsigned far = std::numeric_limits<unsigned>::max();
    const TypeParam a = TypeParam::last();
    for (const unsigned offset : {TypeParam::bits, 255U, 256U, far - 1, far})
        EXPECT_EQ(slice(a, offset, 8), 0U);
    EXPECT_EQ(slice(a, far, far), 0U);
    EXPECT_EQ(slice(a, 0, far), number(digits(a), 0, 64));
    EXPECT_EQ(slice(a, 0, 65), slice(a, 0, 64));
}

TYPED_TEST(net_bits, bit_at_top64_and_bottom64) {
    for (const TypeParam a : this->samples()) {
        const std::string bits = digits(a);
        for (unsigned i = 0; i < TypeParam::bits + 5; ++i)
            ASSERT_EQ(bit_at(a, i), number(bits, i, 1));
        EXPECT_EQ(top64(a), number(bits, 0, 64));
        EXPECT_EQ(bottom64(a), number(bits, 64, 64));
    }
}

TYPED_TEST(net_bits, order_is_that_of_the_digits) {
    for (const TypeParam a : this->samples())
        for (const TypeParam b : this->samples()) {
            EXPECT_EQ(a < b, digits(a) < digits(b));
            EXPECT_EQ(a == b, digits(a) == digits(b));
        }
    EXPECT_LT(TypeParam::first(), TypeParam::last());
}

TYPED_TEST(net_bits, prefixes_of_every_length) {
    using A = TypeParam;
    for (const A a : this->samples()) {
        for (unsigned length = 0; length <= A::bits; ++length) {
            const auto p = prefix<A>::make(a, length);
            const std::string head = digits(a).substr(0, length);
            ASSERT_EQ(p.length, length);
            ASSERT_EQ(digits(p.first()), head + std::string(A::bits - length, '0'));
            ASSERT_EQ(digits(p.last()), head + std::string(A::bits - length, '1'));
            ASSERT_EQ(digits(A{network_mask<A>(length)}),
                      std::string(length, '1') + std::string(A::bits - length, '0'));
            ASSERT_TRUE(prefix<A>::is_canonical(p.base, length));
            ASSERT_EQ(prefix<A>::is_canonical(a, length), digits(a).find('1', length) == std::string::npos);
            for (const A b : this->samples())
                ASSERT_EQ(p.contains(b), digits(b).starts_with(head));
        }
        EXPECT_EQ(network_mask<A>(A::bits + 1), A::last().value);
        EXPECT_EQ(network_mask<A>(300), A::last().value);
    }
}

TYPED_TEST(net_bits, covers_and_order_of_prefixes) {
    using A = TypeParam;
    random_numbers random(41);
    clustered_prefixes<A> make(random);
    std::vector<prefix<A>> some;
    for (int i = 0; i < 60; ++i)
        some.push_back(make.next());
    std::size_t covering = 0;
    for (const auto& a : some)
        for (const auto& b : some) {
            const std::string head_a = digits(a.base).substr(0, a.length);
            const std::string head_b = digits(b.base).substr(0, b.length);
            ASSERT_EQ(a.covers(b), head_b.starts_with(head_a));
            ASSERT_EQ(a == b, head_a == head_b);
            // Ordered by first address; of two with the same one, the shorter prefix comes first.
            const bool before =
                digits(a.base) != digits(b.base) ? digits(a.base) < digits(b.base) : a.length < b.length;
            ASSERT_EQ(a < b, before);
            if (a.covers(b) && a != b) {
                ASSERT_LT(a, b);
                ++covering;
            }
        }
    EXPECT_GE(covering, 10U);
}

TYPED_TEST(net_bits, common_length_counts_shared_leading_bits) {
    using A = TypeParam;
    for (const A a : this->samples()) {
        EXPECT_EQ(common_length(a, a), A::bits);
        for (unsigned i = 0; i < A::bits; ++i) {
            // The first difference is at bit i; the bits after it are random.
            const A flipped{static_cast<typename A::value_type>(a.value ^ leading<A>(1, i + 1).base.value)};
            ASSERT_EQ(common_length(a, flipped), i);
            const A other{
                static_cast<typename A::value_type>(flipped.value ^ (a.value & ~network_mask<A>(i + 1)))};
            ASSERT_EQ(common_length(a, other), i);
        }
    }
}

TEST(bits, shifts_and_masks_by_the_width_and_beyond) {
    EXPECT_EQ(shift_left(std::uint32_t{1}, 31), 0x80000000U);
    EXPECT_EQ(shift_left(std::uint32_t{1}, 32), 0U);
    EXPECT_EQ(shift_right(~std::uint64_t{0}, 64), 0U);
    EXPECT_EQ(shift_right(~u128{0}, 127) == 1, true);
    EXPECT_EQ(shift_right(~u128{0}, 128) == 0, true);
    EXPECT_EQ(low_mask<std::uint32_t>(0), 0U);
    EXPECT_EQ(low_mask<std::uint32_t>(32), ~std::uint32_t{0});
    EXPECT_EQ(low_mask<u128>(128) == ~u128{0}, true);
    EXPECT_EQ(low_mask<u128>(1000) == ~u128{0}, true);
    EXPECT_EQ(leading_zeros(u128{0}), 128U);
    EXPECT_EQ(leading_zeros(u128{1}), 127U);
    EXPECT_EQ(leading_zeros(u128{1} << 64), 63U);
}

} // namespace
} // namespace fingerpost::testing::of_net
