// Images go between C and C++, and what only a forger can write has its code in C too.
#include "tests/support/c_interface.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing {
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

// With good checksums. What has the other family's width does not fit anywhere; where is not for this test.
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
} // namespace fingerpost::testing
