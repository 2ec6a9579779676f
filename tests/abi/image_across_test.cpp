// Images written by C are read by C++ and the other way round, and forged images have error codes in C too.
#include <array>
#include <string>

#include "fingerpost/image/image_format.hpp"
#include "fingerpost/values/rows.hpp"
#include "tests/support/c_interface.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing::of_image_across {
namespace {

template <class A>
class ImageAcross : public ::testing::Test {};
using widths = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(ImageAcross, widths);

TYPED_TEST(ImageAcross, SavedByCOpenedByCpp) {
    using A = TypeParam;
    const scratch_folder folder;
    const auto all = mixed_routes<A>(3, 500, 40);
    const auto told = in_c<A>(all);
    fingerpost_table* live = nullptr;
    ASSERT_EQ(fingerpost_create(family<A>, nullptr, &live), FINGERPOST_OK);
    ASSERT_EQ(fingerpost_load(live, told.data(), told.size(), nullptr), FINGERPOST_OK);
    ASSERT_EQ(fingerpost_save(live, (folder / "a").c_str(), nullptr), FINGERPOST_OK);
    ASSERT_EQ(fingerpost_destroy(live), FINGERPOST_OK);
    const auto opened = image<A>::open(folder / "a");
    ASSERT_TRUE(opened) << to_string(opened.error());
    expect_same<A>(*opened, opened->routes(), all);
}

TYPED_TEST(ImageAcross, SavedByCppOpenedByC) {
    using A = TypeParam;
    const scratch_folder folder;
    const auto all = mixed_routes<A>(4, 500, 40);
    ASSERT_FALSE(image<A>::save(folder / "a", routes<A>(all)).failed());
    fingerpost_image* opened = nullptr;
    ASSERT_EQ(fingerpost_open((folder / "a").c_str(), nullptr, &opened, nullptr), FINGERPOST_OK);
    EXPECT_EQ(fingerpost_image_family(opened), family<A>);
    EXPECT_EQ(fingerpost_image_count(opened), all.size());
    const oracle::by_length<A> truth{std::span<const route<A>>(all)};
    for (const A a : oracle::probes<A>(all)) {
        unsigned char bytes[16];
        capi::write_network(a, bytes);
        ASSERT_EQ(fingerpost_image_lookup(opened, bytes), truth.lookup(a).id) << text_of(a);
    }
    fingerpost_image_close(opened);
}

TYPED_TEST(ImageAcross, ValuesAreReadByC) {
    using A = TypeParam;
    const scratch_folder folder;
    const auto all = mixed_routes<A>(5, 300, 40);
    value_rows rows(std::array<std::string_view, 2>{"name", "empty"});
    for (int i = 0; i < 40; ++i)
        (void)rows.intern(std::array<std::string_view, 2>{"hop " + std::to_string(i), ""});
    ASSERT_FALSE(image<A>::save(folder / "a", routes<A>(all), rows.view()).failed());
    fingerpost_image* opened = nullptr;
    ASSERT_EQ(fingerpost_open((folder / "a").c_str(), nullptr, &opened, nullptr), FINGERPOST_OK);
    EXPECT_EQ(fingerpost_image_columns(opened), 2U);
    EXPECT_EQ(fingerpost_image_rows(opened), 40U);
    std::size_t size = 0;
    const char* text = fingerpost_image_column_name(opened, 1, &size);
    EXPECT_EQ(std::string_view(text, size), "empty");
    for (const route<A>& one : all) {
        text = fingerpost_image_value(opened, one.hop.id, 0, &size);
        ASSERT_EQ(std::string_view(text, size), "hop " + std::to_string(one.hop.id));
        ASSERT_STREQ(text, fingerpost_image_value(opened, one.hop.id, 0, nullptr));
        ASSERT_EQ(text[size], '\0');
    }
    EXPECT_STREQ(fingerpost_image_column_name(opened, 0, nullptr), "name");
    EXPECT_STREQ(fingerpost_image_value(opened, 7, 1, &size), "") << "empty, but there";
    EXPECT_EQ(size, 0U);
    size = 77;
    EXPECT_EQ(fingerpost_image_value(opened, 40, 0, &size), nullptr);
    EXPECT_EQ(fingerpost_image_value(opened, FINGERPOST_NO_ROUTE, 0, &size), nullptr);
    EXPECT_EQ(fingerpost_image_value(opened, 0, 2, &size), nullptr);
    EXPECT_EQ(fingerpost_image_column_name(opened, 2, &size), nullptr);
    EXPECT_EQ(size, 77U);
    EXPECT_NE(fingerpost_image_value(opened, 0, 0, nullptr), nullptr);
    fingerpost_image_close(opened);

    ASSERT_FALSE(image<A>::save(folder / "a", routes<A>(all)).failed());
    ASSERT_EQ(fingerpost_open((folder / "a").c_str(), nullptr, &opened, nullptr), FINGERPOST_OK);
    EXPECT_EQ(fingerpost_image_columns(opened), 0U);
    EXPECT_EQ(fingerpost_image_rows(opened), 0U);
    EXPECT_EQ(fingerpost_image_value(opened, 0, 0, nullptr), nullptr);
    fingerpost_image_close(opened);
    EXPECT_EQ(fingerpost_image_columns(nullptr), 0U);
    EXPECT_EQ(fingerpost_image_rows(nullptr), 0U);
    EXPECT_EQ(fingerpost_image_column_name(nullptr, 0, nullptr), nullptr);
    EXPECT_EQ(fingerpost_image_value(nullptr, 0, 0, nullptr), nullptr);
}

TEST(ImageAcross, BothFamiliesInOneFile) {
    const scratch_folder folder;
    const std::string path = folder / "a";
    const auto four = in_c<ipv4_address>(mixed_routes<ipv4_address>(1, 100, 9));
    const auto six = in_c<ipv6_address>(mixed_routes<ipv6_address>(2, 200, 9));
    const auto made = [](int family, const auto& all) {
        fingerpost_table* live = nullptr;
        EXPECT_EQ(fingerpost_create(family, nullptr, &live), FINGERPOST_OK);
        EXPECT_EQ(fingerpost_load(live, all.data(), all.size(), nullptr), FINGERPOST_OK);
        return live;
    };
    fingerpost_table* const one = made(FINGERPOST_IPV4, four);
    fingerpost_table* const other = made(FINGERPOST_IPV6, six);
    EXPECT_EQ(fingerpost_save_both(other, one, path.c_str(), nullptr), FINGERPOST_INVALID);
    EXPECT_EQ(fingerpost_save_both(one, nullptr, path.c_str(), nullptr), FINGERPOST_INVALID);
    ASSERT_EQ(fingerpost_save_both(one, other, path.c_str(), nullptr), FINGERPOST_OK);
    EXPECT_EQ(fingerpost_destroy(one), FINGERPOST_OK);
    EXPECT_EQ(fingerpost_destroy(other), FINGERPOST_OK);
    const auto count_of = [&](int family) {
        fingerpost_image* opened = nullptr;
        EXPECT_EQ(fingerpost_open_family(path.c_str(), family, nullptr, &opened, nullptr), FINGERPOST_OK);
        EXPECT_EQ(fingerpost_image_family(opened), family);
        const std::size_t count = fingerpost_image_count(opened);
        fingerpost_image_close(opened);
        return count;
    };
    EXPECT_EQ(count_of(FINGERPOST_IPV4), four.size());
    EXPECT_EQ(count_of(FINGERPOST_IPV6), six.size());
    fingerpost_image* opened = nullptr;
    EXPECT_EQ(fingerpost_open(path.c_str(), nullptr, &opened, nullptr), FINGERPOST_OK);
    EXPECT_EQ(fingerpost_image_family(opened), FINGERPOST_IPV4);
    fingerpost_image_close(opened);
    opened = nullptr;
    EXPECT_EQ(fingerpost_open_family(path.c_str(), 5, nullptr, &opened, nullptr), FINGERPOST_INVALID);
    ASSERT_FALSE(ipv6_image::save(path, routes(mixed_routes<ipv6_address>(2, 20, 9))).failed());
    EXPECT_EQ(fingerpost_open_family(path.c_str(), FINGERPOST_IPV4, nullptr, &opened, nullptr),
              FINGERPOST_OTHER_IMAGE);
    EXPECT_EQ(opened, nullptr);
}

TEST(ImageAcross, TheFamilyWithRoutesIsOpened) {
    const scratch_folder folder;
    const std::string path = folder / "a";
    const auto opened_as = [&](std::size_t four, std::size_t six) {
        const auto saved = save_both_images(path, routes(mixed_routes<ipv4_address>(1, four, 9)), {},
                                            routes(mixed_routes<ipv6_address>(2, six, 9)), {});
        EXPECT_FALSE(saved.failed());
        fingerpost_image* opened = nullptr;
        EXPECT_EQ(fingerpost_open(path.c_str(), nullptr, &opened, nullptr), FINGERPOST_OK);
        const int family = fingerpost_image_family(opened);
        fingerpost_image_close(opened);
        return family;
    };
    EXPECT_EQ(opened_as(20, 0), FINGERPOST_IPV4);
    EXPECT_EQ(opened_as(0, 20), FINGERPOST_IPV6);
    EXPECT_EQ(opened_as(20, 20), FINGERPOST_IPV4);
    EXPECT_EQ(opened_as(0, 0), FINGERPOST_IPV4);
}

// With good checksums. Data of the other family's width fits nowhere; this test does not ask where the error
// is found.
TYPED_TEST(ImageAcross, ForgedHeadersAreRefused) {
    using A = TypeParam;
    const scratch_folder folder;
    const auto forge = [&](std::size_t at, std::uint32_t value) {
        auto file = std::move(*image<A>::compose(routes<A>(mixed_routes<A>(3, 40, 9))));
        std::memcpy(file.data() + at, &value, sizeof value);
        seal_image(file.span());
        write_file(folder / "a", file.span());
        fingerpost_failure failure{};
        fingerpost_image* opened = nullptr;
        const int code = fingerpost_open((folder / "a").c_str(), nullptr, &opened, &failure);
        EXPECT_EQ(opened, nullptr);
        if (code == FINGERPOST_OTHER_IMAGE) {
            EXPECT_EQ(failure.offset, at) << failure.text;
        }
        return code;
    };
    EXPECT_EQ(forge(offsetof(image_header, version), image_version + 1), FINGERPOST_OTHER_IMAGE);
    EXPECT_EQ(forge(offsetof(image_header, scheme), 0), FINGERPOST_OTHER_IMAGE);
    EXPECT_EQ(forge(offsetof(image_header, address_bits), 64), FINGERPOST_OTHER_IMAGE);
    EXPECT_EQ(forge(offsetof(image_header, address_bits), 160 - A::bits), FINGERPOST_DAMAGED);
}

} // namespace
} // namespace fingerpost::testing::of_image_across
