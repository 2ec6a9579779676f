// Damaged images are refused, each kind with its own error, and never cause a crash.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "fingerpost/image/image_format.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing::of_image_damage {
namespace {

template <class A>
image_error error_of(std::span<const std::byte> bytes) {
    const auto copy = copy_of(bytes);
    const auto made = image_view<A>::make(copy.span());
    return made ? image_error{} : made.error();
}
template <class A>
aligned_array<std::byte> small_image() {
    return std::move(*image<A>::compose(routes<A>(mixed_routes<A>(3, 40, 9))));
}
template <class A>
aligned_array<std::byte> small_image_with_values() {
    return std::move(
        *image<A>::compose(routes<A>(mixed_routes<A>(3, 40, 9)), {}, rows_of_two_columns(9).view()));
}
template <class T>
void put(std::span<std::byte> file, std::size_t at, T value) {
    std::memcpy(file.data() + at, &value, sizeof value);
}
template <class T>
T get(std::span<const std::byte> file, std::size_t at) {
    T value;
    std::memcpy(&value, file.data() + at, sizeof value);
    return value;
}

template <class A>
class DamagedImage : public ::testing::Test {};
using widths = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(DamagedImage, widths);

TYPED_TEST(DamagedImage, EveryFlippedByteIsFound) {
    auto file = small_image<TypeParam>();
    ASSERT_FALSE(error_of<TypeParam>(file.span()).failed());
    for (std::size_t i = 0; i < file.size(); ++i)
        for (const std::byte change : {std::byte{1}, std::byte{0x80}, std::byte{0xff}}) {
            file[i] ^= change;
            const auto made = image_view<TypeParam>::make(file.span());
            ASSERT_FALSE(made) << "byte " << i;
            file[i] ^= change;
        }
}

TYPED_TEST(DamagedImage, EveryLengthButItsOwnIsFound) {
    const auto file = small_image<TypeParam>();
    for (std::size_t size = 0; size < file.size(); ++size) {
        const image_error error = error_of<TypeParam>(file.span().first(size));
        ASSERT_EQ(error.code, size == 0 ? image_errc::not_an_image : image_errc::truncated) << size;
        ASSERT_EQ(error.offset, size);
    }
    auto longer = *aligned_array<std::byte>::make(file.size() + 1);
    std::copy(file.span().begin(), file.span().end(), longer.begin());
    const image_error error = error_of<TypeParam>(longer.span());
    EXPECT_EQ(error.code, image_errc::truncated);
    EXPECT_EQ(error.offset, file.size());
}

// The fuzzer starts from images of the current version. FINGERPOST_WRITE_SEEDS=1 writes them again.
TYPED_TEST(DamagedImage, SeedsOfTheFuzzerAreGood) {
    using A = TypeParam;
    const fs::path folder = fs::path(__FILE__).parent_path() / "../../../fuzz/seeds/image";
    const auto name = [](std::size_t count, std::uint32_t hops) {
        return "ipv" + std::string(A::bits == 32 ? "4" : "6") + "-" + std::to_string(count) + "-" +
               std::to_string(hops);
    };
    for (const std::size_t count : {0u, 3u, 30u, 150u})
        for (const std::uint32_t hops : {5u, 5000u, 4'000'000'000u}) {
            const auto all = mixed_routes<A>(count + hops, count, hops);
            const fs::path path = folder / name(count, hops);
            if (std::getenv("FINGERPOST_WRITE_SEEDS") != nullptr) {
                build_options options;
                options.hash_seed = 14; // fixed, so that the files are reproducible
                const value_rows rows = rows_of_two_columns(hops == 5 ? hops : 0);
                const value_view values = hops == 5 ? rows.view() : value_view();
                write_file(path, image<A>::compose(routes<A>(all), options, values)->span());
            }
            const auto opened = image<A>::open(path);
            ASSERT_TRUE(opened) << path << ": " << to_string(opened.error());
            ASSERT_EQ(opened->copy_routes(), all);
        }
}

// Forged images with valid checksums.
TYPED_TEST(DamagedImage, EachKindHasItsError) {
    using A = TypeParam;
    const auto expect = [](image_errc code, std::uint64_t offset, auto change) {
        auto file = small_image<A>();
        change(file.span());
        const image_error error = error_of<A>(file.span());
        EXPECT_EQ(error.code, code) << to_string(error);
        EXPECT_EQ(error.offset, offset) << to_string(error);
    };
    using bytes = std::span<std::byte>;
    expect(image_errc::not_an_image, 0, [](bytes f) { f[1] = std::byte{'X'}; });
    expect(image_errc::other_byte_order, 8, [](bytes f) { put(f, 8, 0x04030201u); });
    expect(image_errc::other_version, 12, [](bytes f) { put(f, 12, image_version + 1); });
    expect(image_errc::other_version, 12, [](bytes f) { put(f, 12, oldest_image_version - 1); });
    expect(image_errc::damaged, 120, [](bytes f) { put(f, 16, 5u); });
    expect(image_errc::other_width, 16, [](bytes f) {
        put(f, 16, A::bits == 32 ? 128u : 32u);
        seal_image(f);
    });
    expect(image_errc::other_width, 48, [](bytes f) {
        f[48] = std::byte{'q'};
        seal_image(f);
    });
    // The seventh section is the root; the entry points far outside.
    const auto root = get<std::uint64_t>(small_image<A>().span(), 128 + 6 * 32 + 8);
    expect(image_errc::damaged, root, [&](bytes f) { put(f, root, 0xffffffc0u); });
    expect(image_errc::damaged, root + 8, [&](bytes f) {
        put(f, root + 8, 0xffffffc0u);
        seal_image(f);
    });
}

// The sixth section has the codes of the root, which single lookups use and small batches do not.
TYPED_TEST(DamagedImage, CodesOfTheRootAreThoseOfItsEntries) {
    using A = TypeParam;
    const auto good = small_image<A>();
    const auto codes = get<std::uint64_t>(good.span(), 128 + 5 * 32 + 8);
    const auto bytes = get<std::uint64_t>(good.span(), 128 + 5 * 32 + 16);
    std::size_t with_code = 0;
    for (std::size_t at = codes; at < codes + bytes; at += sizeof(std::uint32_t)) {
        const auto code = get<std::uint32_t>(good.span(), at);
        auto file = copy_of(good.span());
        put(file.span(), at, code == 0 ? 1u : 0u);
        seal_image(file.span());
        const image_error error = error_of<A>(file.span());
        EXPECT_EQ(error.code, image_errc::damaged) << at;
        EXPECT_EQ(error.offset, at);
        with_code += code != ~std::uint32_t{0};
    }
    EXPECT_GT(with_code, 0u);
    EXPECT_LT(with_code, bytes / sizeof(std::uint32_t));
}

// The cells, ends and bytes of the values are the last three sections.
TYPED_TEST(DamagedImage, ForgedValuesLeadNowhere) {
    using A = TypeParam;
    const auto good = small_image_with_values<A>();
    const auto sections = get<std::uint32_t>(good.span(), offsetof(image_header, sections));
    const auto entry = [&](std::size_t from_end) {
        return 128 + (sections - from_end) * sizeof(image_section);
    };
    const auto cells = get<std::uint64_t>(good.span(), entry(3) + offsetof(image_section, offset));
    const auto ends = get<std::uint64_t>(good.span(), entry(2) + offsetof(image_section, offset));
    const auto expect = [&](std::uint64_t offset, std::uint64_t at, auto value) {
        auto file = copy_of(good.span());
        put(file.span(), at, value);
        seal_image(file.span());
        const image_error error = error_of<A>(file.span());
        EXPECT_EQ(error.code, image_errc::damaged) << at << ": " << to_string(error);
        EXPECT_EQ(error.offset, offset) << at << ": " << to_string(error);
    };
    ASSERT_FALSE(error_of<A>(good.span()).failed());
    expect(cells, cells, std::uint32_t{0xffff});
    expect(cells, cells + 8, std::uint32_t{0xffffffff});
    expect(cells, ends, std::uint64_t{1} << 40);
    expect(cells, entry(3) + offsetof(image_section, detail), std::uint32_t{0});
    expect(cells, entry(3) + offsetof(image_section, detail), std::uint32_t{3});
    expect(entry(3), entry(3), static_cast<std::uint32_t>(value_section::ends));
    expect(entry(2), entry(2), static_cast<std::uint32_t>(value_section::bytes));
    expect(entry(1), entry(1), std::uint32_t{9});
    expect(entry(3), offsetof(image_header, version), std::uint32_t{3});
    // With one more column, the cells have fewer rows than there are next hops.
    expect(get<std::uint64_t>(good.span(), 128 + 2 * 32 + 8), entry(3) + offsetof(image_section, detail),
           std::uint32_t{4});
}

// A file of two images that is truncated anywhere, or has any byte changed, is refused when both are opened.
// The offset of an error in the second image is relative to the file.
TEST(DamagedImage, OfTwoImagesBothAreChecked) {
    const scratch_folder folder;
    const auto path = folder / "a";
    const auto save = [&] {
        return save_both_images(path, routes(mixed_routes<ipv4_address>(1, 20, 5)), {},
                                routes(mixed_routes<ipv6_address>(2, 20, 5)), {});
    };
    ASSERT_FALSE(save().failed());
    const std::string good = read_file(path);
    const std::size_t second =
        get<std::uint64_t>(std::as_bytes(std::span(good)), offsetof(image_header, next));
    ASSERT_GT(second, 1000u);
    ASSERT_LT(second, good.size());
    const auto with = [&](std::string changed) {
        write_file(path, std::as_bytes(std::span(changed)));
        return open_both_images(path);
    };
    ASSERT_TRUE(with(good));
    for (std::size_t size = 0; size < good.size(); size += 61)
        ASSERT_FALSE(with(good.substr(0, size))) << size;
    ASSERT_FALSE(with(good + std::string(64, '\0')));
    for (std::size_t at = 0; at < good.size(); at += at < 1024 ? 1 : 127) {
        std::string changed = good;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        const auto opened = with(changed);
        ASSERT_FALSE(opened) << at;
        if (at >= second) {
            ASSERT_GE(opened.error().offset, second) << at << ": " << to_string(opened.error());
        }
    }
    // Forged: the second image does not start where the first one ends.
    for (const std::uint64_t next : {std::uint64_t{64}, second - 64, second + 64, ~std::uint64_t{0}}) {
        std::string changed = good;
        const auto bytes = std::as_writable_bytes(std::span(changed));
        put(bytes, offsetof(image_header, next), next);
        seal_image(bytes.first(second));
        ASSERT_FALSE(with(changed)) << next;
    }
}

TEST(DamagedImage, OtherFilesAreNoImages) {
    const scratch_folder folder;
    EXPECT_EQ(ipv6_image::open(folder / "none").error().system_error, ENOENT);
    EXPECT_EQ(ipv6_image::open(folder.path()).error().code, image_errc::not_an_image);
    EXPECT_EQ(ipv6_image::open("/dev/null").error().code, image_errc::not_an_image);
    write_file(folder / "text", std::as_bytes(std::span("2001:db8::/32 1\n")));
    EXPECT_EQ(ipv6_image::open(folder / "text").error().code, image_errc::not_an_image);
    write_file(folder / "empty", {});
    EXPECT_EQ(ipv6_image::open(folder / "empty").error().code, image_errc::not_an_image);
    ASSERT_FALSE(ipv4_image::save(folder / "four", routes<ipv4_address>()).failed());
    const auto four = ipv6_image::open(folder / "four");
    EXPECT_EQ(four.error().code, image_errc::other_width);
    EXPECT_EQ(to_string(four.error()), "byte 16: the image has addresses of another width");
}

// Changes random bytes, corrects the checksums, and looks up in the images that are accepted. The sanitizers
// detect reads out of bounds.
TYPED_TEST(DamagedImage, NothingThatIsAcceptedCrashes) {
    using A = TypeParam;
    random_numbers random(11);
    std::size_t accepted = 0;
    const std::size_t rounds = std::max<std::size_t>(scaled(3000), 600);
    for (std::size_t round = 0; round < rounds; ++round) {
        auto file = round % 2 == 0 ? small_image<A>() : small_image_with_values<A>();
        for (std::uint64_t i = random.below(4) + 1; i > 0; --i)
            put(file.span(), random.below(file.size() / 4) * 4, static_cast<std::uint32_t>(random.next()));
        seal_image(file.span());
        const auto made = image_view<A>::make(file.span());
        if (!made)
            continue;
        ++accepted;
        std::vector<A> at(100);
        for (A& a : at)
            a = random.address<A>();
        std::vector<next_hop> out(at.size());
        made->fib().lookup(std::span<const A>(at), std::span<next_hop>(out));
        for (const A a : at)
            (void)made->routes().match(a);
    }
    EXPECT_GT(accepted, rounds / 200);
    EXPECT_LT(accepted, rounds);
}

} // namespace
} // namespace fingerpost::testing::of_image_damage
