// Saves a map as an image and opens it again. Images that are not from such a map are refused.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/map/map_image.hpp"
#include "fingerpost/net/text.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing::of_map_images {

struct site {
    std::string city;
    int rack = 0;

    friend bool operator==(const site&, const site&) = default;
};

} // namespace fingerpost::testing::of_map_images

template <>
struct fingerpost::map_codec<fingerpost::testing::of_map_images::site> {
    static std::string write(const testing::of_map_images::site& of) {
        return std::to_string(of.rack) + " " + of.city;
    }
    static std::optional<testing::of_map_images::site> read(std::string_view text) {
        const auto blank = text.find(' ');
        if (blank == text.npos)
            return std::nullopt;
        return testing::of_map_images::site{std::string(text.substr(blank + 1)),
                                            std::stoi(std::string(text.substr(0, blank)))};
    }
};

namespace fingerpost::testing::of_map_images {
namespace {

template <class T, class Make>
void comes_back(Make make) {
    const scratch_folder folder;
    map<T, map_values::own> of;
    for (std::uint32_t i = 0; i < 500; ++i) {
        ASSERT_TRUE(of.insert_or_assign(ipv4_prefix::make({i << 20}, 12), make(i)));
        ASSERT_TRUE(of.insert_or_assign(ipv6_prefix::make({u128{i} << 100}, 28), make(i % 5)));
    }
    ASSERT_TRUE(of.insert_or_assign(ipv4_prefix{}, make(1)));
    ASSERT_FALSE(save_map(folder / "a", of).failed());
    const auto saved = map_image<T>::open(folder / "a");
    ASSERT_TRUE(saved) << to_string(saved.error());
    EXPECT_EQ(saved->size(), of.size());
    std::size_t count = 0;
    for (const auto& [where, value] : *saved) {
        ++count;
        ASSERT_NE(of.find(where), nullptr);
        EXPECT_EQ(*of.find(where), *value);
        EXPECT_EQ(saved->find(where), value);
    }
    EXPECT_EQ(count, of.size());
    std::vector<ipv4_address> in;
    for (std::uint32_t i = 0; i < 600; ++i)
        in.push_back({i * 0x01234567});
    std::vector<const T*> out(in.size());
    saved->lookup(in, out);
    for (std::size_t i = 0; i < in.size(); ++i) {
        ASSERT_NE(out[i], nullptr);
        EXPECT_EQ(*out[i], *of.lookup(in[i]));
        EXPECT_EQ(saved->lookup(any_address(in[i])), out[i]);
        EXPECT_EQ(saved->match(in[i])->where, of.match(in[i])->where);
    }
    const ipv6_address outside = ipv6_address::last();
    EXPECT_EQ(saved->lookup(outside), nullptr);
    EXPECT_FALSE(saved->match(outside));
    EXPECT_EQ(saved->find(ipv6_prefix{}), nullptr);
}

TEST(map_image, values_come_back) {
    comes_back<std::string>(
        [](std::uint32_t i) { return i == 3 ? std::string("\0\n,", 3) : std::to_string(i); });
    comes_back<std::uint64_t>([](std::uint32_t i) { return std::uint64_t{i} << 33; });
    comes_back<double>([](std::uint32_t i) { return i / 3.0; });
    comes_back<site>([](std::uint32_t i) { return site{"Bern " + std::to_string(i), int(i) - 7}; });
    comes_back<next_hop>([](std::uint32_t i) { return next_hop{i}; }); // by its bytes
}
TEST(map_image, an_empty_map) {
    const scratch_folder folder;
    const map<int> of;
    ASSERT_FALSE(save_map(folder / "a", of).failed());
    const auto saved = map_image<int>::open(folder / "a");
    ASSERT_TRUE(saved) << to_string(saved.error());
    EXPECT_EQ(saved->size(), 0U);
    EXPECT_EQ(saved->lookup(ipv4_address{1}), nullptr);
}
TEST(map_image, images_of_other_things_are_refused) {
    const scratch_folder folder;
    map<std::string> of;
    ASSERT_TRUE(of.insert_or_assign(ipv4_prefix{}, "no number"));
    ASSERT_FALSE(save_map(folder / "a", of).failed());
    const auto wrong = map_image<int>::open(folder / "a");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, image_errc::damaged);
    EXPECT_EQ(std::string_view(wrong.error().reason), "a value of the image is not of this type");
    ASSERT_FALSE(ipv4_image::save(folder / "b", routes<ipv4_address>({{ipv4_prefix{}, {1}}})).failed());
    const auto bare = map_image<int>::open(folder / "b");
    ASSERT_FALSE(bare);
    EXPECT_NE(std::string_view(bare.error().reason).find("no column `value`"), std::string_view::npos);
    EXPECT_EQ(map_image<int>::open(folder / "none").error().code, image_errc::system);
}

} // namespace
} // namespace fingerpost::testing::of_map_images
