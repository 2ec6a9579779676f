// The checksum of images, compared with values from other implementations.
#include <gtest/gtest.h>

#include <string_view>

#include "fingerpost/base/xxh64.hpp"

namespace fingerpost::testing {
namespace {

std::uint64_t sum_of(std::string_view text) {
    return xxh64(std::as_bytes(std::span(text)));
}

TEST(Xxh64, IsTheOneThatOthersHave) {
    EXPECT_EQ(sum_of(""), 0xef46db3751d8e999u);
    EXPECT_EQ(sum_of("a"), 0xd24ec4f1a98c6e5bu);
    EXPECT_EQ(sum_of("abc"), 0x44bc2cf5ad770999u);
    EXPECT_EQ(sum_of("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1u);
}

} // namespace
} // namespace fingerpost::testing
