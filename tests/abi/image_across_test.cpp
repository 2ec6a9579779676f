// C++ reads images that C wrote and the reverse. C reports the right error codes for forged images.
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

// An image that was opened through the C interface, with a reader.
struct opened_by_c {
    explicit opened_by_c(const std::string& path) {
        EXPECT_EQ(fingerpost_open(path.c_str(), nullptr, &table), FINGERPOST_OK);
        EXPECT_EQ(fingerpost_reader_create(table, &by), FINGERPOST_OK);
    }
    opened_by_c(const opened_by_c&) = delete;
    opened_by_c& operator=(const opened_by_c&) = delete;
    ~opened_by_c() {
        fingerpost_reader_destroy(by);
        EXPECT_EQ(fingerpost_destroy(table), FINGERPOST_OK);
    }

    fingerpost_table* table = nullptr;
    fingerpost_reader* by = nullptr;
};

TYPED_TEST(ImageAcross, SavedByCOpenedByCpp) {
    using A = TypeParam;
    const scratch_folder folder;
    const auto all = mixed_routes<A>(3, 500, 40);
    const auto told = in_c<A>(all);
    fingerpost_table* live = nullptr;
    ASSERT_EQ(fingerpost_create(nullptr, &live), FINGERPOST_OK);
    ASSERT_EQ(fingerpost_load(live, told.data(), told.size(), nullptr), FINGERPOST_OK);
    ASSERT_EQ(fingerpost_save(live, (folder / "a").c_str()), FINGERPOST_OK);
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
    const opened_by_c opened(folder / "a");
    EXPECT_EQ(fingerpost_count(opened.table, family<A>), all.size());
    EXPECT_EQ(fingerpost_count(opened.table, FINGERPOST_BOTH), all.size());
    const oracle::by_length<A> truth{std::span<const route<A>>(all)};
    for (const A a : oracle::probes<A>(all)) {
        unsigned char bytes[16];
        capi::write_network(a, bytes);
        ASSERT_EQ(fingerpost_lookup(opened.by, family<A>, bytes), truth.lookup(a).id) << text_of(a);
    }
}

TYPED_TEST(ImageAcross, ValuesAreReadByC) {
    using A = TypeParam;
    const scratch_folder folder;
    const auto all = mixed_routes<A>(5, 300, 40);
    value_rows rows(std::array<std::string_view, 2>{"name", "empty"});
    for (int i = 0; i < 40; ++i)
        (void)rows.intern(std::array<std::string_view, 2>{"hop " + std::to_string(i), ""});
    ASSERT_FALSE(image<A>::save(folder / "a", routes<A>(all), rows.view()).failed());
    const opened_by_c opened(folder / "a");
    EXPECT_EQ(fingerpost_columns(opened.table, family<A>), 2U);
    EXPECT_EQ(fingerpost_rows(opened.table, family<A>), 40U);
    EXPECT_EQ(fingerpost_columns(opened.table, 10 - family<A>), 0U);
    std::size_t size = 0;
    const char* text = fingerpost_column_name(opened.table, family<A>, 1, &size);
    EXPECT_EQ(std::string_view(text, size), "empty");
    const auto value = [&](std::uint32_t row, std::size_t column, std::size_t* to) {
        return fingerpost_value(opened.by, family<A>, row, column, to);
    };
    for (const route<A>& one : all) {
        text = value(one.hop.id, 0, &size);
        ASSERT_EQ(std::string_view(text, size), "hop " + std::to_string(one.hop.id));
        ASSERT_STREQ(text, value(one.hop.id, 0, nullptr));
        ASSERT_EQ(text[size], '\0');
    }
    EXPECT_STREQ(fingerpost_column_name(opened.table, family<A>, 0, nullptr), "name");
    EXPECT_STREQ(value(7, 1, &size), "") << "empty, but there";
    EXPECT_EQ(size, 0U);
    size = 77;
    EXPECT_EQ(value(40, 0, &size), nullptr);
    EXPECT_EQ(value(FINGERPOST_NO_ROUTE, 0, &size), nullptr);
    EXPECT_EQ(value(0, 2, &size), nullptr);
    EXPECT_EQ(fingerpost_value(opened.by, 10 - family<A>, 0, 0, &size), nullptr);
    EXPECT_EQ(fingerpost_value(opened.by, 0, 0, 0, &size), nullptr);
    EXPECT_EQ(fingerpost_column_name(opened.table, family<A>, 2, &size), nullptr);
    EXPECT_EQ(size, 77U);

    // No column is named `value`, so a table of bytes cannot load it.
    fingerpost_options options{};
    options.keep_bytes = 1;
    fingerpost_table* bytes = nullptr;
    ASSERT_EQ(fingerpost_create(&options, &bytes), FINGERPOST_OK);
    EXPECT_EQ(fingerpost_load_table(bytes, opened.table, nullptr), FINGERPOST_UNSUPPORTED);
    EXPECT_EQ(fingerpost_count(bytes, FINGERPOST_BOTH), 0U);
    EXPECT_EQ(fingerpost_destroy(bytes), FINGERPOST_OK);

    // Saving keeps the values.
    ASSERT_EQ(fingerpost_save(opened.table, (folder / "b").c_str()), FINGERPOST_OK);
    const opened_by_c again(folder / "b");
    EXPECT_STREQ(fingerpost_value(again.by, family<A>, 7, 0, nullptr), "hop 7");

    ASSERT_FALSE(image<A>::save(folder / "a", routes<A>(all)).failed());
    const opened_by_c without(folder / "a");
    EXPECT_EQ(fingerpost_columns(without.table, family<A>), 0U);
    EXPECT_EQ(fingerpost_rows(without.table, family<A>), 0U);
    EXPECT_EQ(fingerpost_value(without.by, family<A>, 0, 0, nullptr), nullptr);
    EXPECT_EQ(fingerpost_value(nullptr, family<A>, 0, 0, nullptr), nullptr);
    EXPECT_EQ(fingerpost_column_name(nullptr, family<A>, 0, nullptr), nullptr);
}

TEST(ImageAcross, FamiliesOfAFile) {
    const scratch_folder folder;
    const std::string path = folder / "a";
    const auto bytes_of = [&](std::size_t most_four, std::size_t most_six) {
        auto all = in_c<ipv4_address>(mixed_routes<ipv4_address>(1, most_four, 9));
        const auto others = in_c<ipv6_address>(mixed_routes<ipv6_address>(2, most_six, 9));
        const std::size_t four = all.size(), six = others.size();
        all.insert(all.end(), others.begin(), others.end());
        fingerpost_table* live = nullptr;
        EXPECT_EQ(fingerpost_create(nullptr, &live), FINGERPOST_OK);
        EXPECT_EQ(fingerpost_load(live, all.data(), all.size(), nullptr), FINGERPOST_OK);
        EXPECT_EQ(fingerpost_save(live, path.c_str()), FINGERPOST_OK);
        EXPECT_EQ(fingerpost_destroy(live), FINGERPOST_OK);
        const opened_by_c opened(path);
        EXPECT_EQ(fingerpost_count(opened.table, FINGERPOST_IPV4), four);
        EXPECT_EQ(fingerpost_count(opened.table, FINGERPOST_IPV6), six);
        const auto both = open_both_images(path);
        EXPECT_EQ(both->ipv4.has_value(), four != 0 || six == 0);
        EXPECT_EQ(both->ipv6.has_value(), six != 0 || four == 0);
        EXPECT_EQ(fingerpost_memory(opened.table, nullptr), fs::file_size(path));
        return fs::file_size(path);
    };
    const auto four = bytes_of(100, 0), six = bytes_of(0, 200), both = bytes_of(100, 200);
    EXPECT_EQ(both, four + six);
    EXPECT_LT(bytes_of(0, 0), both);
}

// Forged headers with valid checksums. Arrays of the other family's width do not fit anywhere, so the place
// of the error may vary.
TYPED_TEST(ImageAcross, ForgedHeadersAreRefused) {
    using A = TypeParam;
    const scratch_folder folder;
    const auto forge = [&](std::size_t at, std::uint32_t value) {
        auto file = std::move(*image<A>::compose(routes<A>(mixed_routes<A>(3, 40, 9))));
        std::memcpy(file.data() + at, &value, sizeof value);
        seal_image(file.span());
        write_file(folder / "a", file.span());
        fingerpost_table* opened = nullptr;
        const int code = fingerpost_open((folder / "a").c_str(), nullptr, &opened);
        EXPECT_EQ(opened, nullptr);
        if (code == FINGERPOST_OTHER_IMAGE) {
            EXPECT_EQ(fingerpost_last_error()->offset, at) << fingerpost_last_error()->text;
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
