// Images that the program wrote before version 4 of the format open.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "fingerpost/image/image.hpp"
#include "fingerpost/schemes/packed_leaves/save.hpp"
#include "io/source/file.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing {
namespace {

using namespace packed_leaves;

// The bytes of a fixture, nothing where this build cannot decompress it.
std::optional<std::string> fixture(const char* name) {
    const fs::path path = fs::path(__FILE__).parent_path() / "../../data" / name;
    auto file = io::file_source::open(path.string());
    std::string all;
    while (file) {
        const auto some = file->read();
        if (!some || some->empty())
            return some ? std::optional(all) : std::nullopt;
        all += *some;
    }
    return std::nullopt;
}
// Files that the program wrote before version 3: 854 and more routes of 0 to 128 bits in all tiers, IPv4 in
// the bitmap form. Their tiers have slots for the hash without a key.
template <class A>
void expect_opens_version_2(const char* name, std::size_t tiers) {
    const auto file = fixture(name);
    if (!file)
        GTEST_SKIP() << "this build reads no xz";
    const auto bytes = copy_of(std::as_bytes(std::span(*file)));
    image_header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    ASSERT_EQ(header.version, 2u);
    ASSERT_EQ(header.sections,
              (header.numbers[form_number] == static_cast<std::uint32_t>(saved_form::bitmaps) ? 8 : 9) +
                  2 * tiers);
    for (const simd::isa isa : simd::available_isas()) {
        const auto view = image_view<A>::make(bytes.span(), {.isa = isa});
        ASSERT_TRUE(view) << to_string(view.error());
        EXPECT_GT(view->memory_bytes(), 16'000u);
        const table<A> all(view->routes().begin(), view->routes().end());
        EXPECT_GT(all.size(), 850u);
        const image_view<A> copied = *view;
        expect_same<A>(copied.fib(), copied.routes(), all);
    }
    const scratch_folder folder;
    write_file(folder / "a", bytes.span());
    const auto opened = image<A>::open(folder / "a");
    ASSERT_TRUE(opened);
    EXPECT_GT(opened->memory_bytes(), bytes.size());
    // Saved again it has today's version.
    ASSERT_FALSE(image<A>::save(folder / "a", routes<A>(opened->copy_routes())).failed());
    const auto again = image<A>::open(folder / "a");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->memory_bytes(), fs::file_size(folder / "a"));
    EXPECT_EQ(again->copy_routes(), opened->copy_routes());

    // A cell twice, then a slot without a cell: refused with the place. The slots are the last but one
    // section of the first tier.
    const std::size_t slots_entry = 128 + 32 * (header.sections - 2 * tiers);
    std::uint64_t slots = 0;
    std::memcpy(&slots, bytes.data() + slots_entry + 8, sizeof slots);
    using slot = cell_slot<A>;
    const auto expect_damaged = [&](auto change) {
        auto copy = copy_of(bytes.span());
        const std::span cells(reinterpret_cast<slot*>(copy.data() + slots), 2048);
        const std::size_t at = change(cells);
        seal_image(copy.span());
        const auto made = image_view<A>::make(copy.span());
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, image_errc::damaged);
        EXPECT_EQ(made.error().offset, slots + at * sizeof(slot)) << to_string(made.error());
    };
    const auto taken = [](std::span<slot> cells, std::size_t from) {
        while (cells[from].tree == 0)
            ++from;
        return from;
    };
    expect_damaged([&](std::span<slot> cells) {
        const std::size_t first = taken(cells, 0);
        const std::size_t second = taken(cells, first + 1);
        cells[second].cell = cells[first].cell;
        return second;
    });
    expect_damaged([&](std::span<slot> cells) {
        const std::size_t first = taken(cells, 0);
        cells[first].cell.value += 1;
        return first;
    });
    expect_damaged([&](std::span<slot> cells) {
        cells[taken(cells, 5)].tree = 0xffffffc0;
        return std::size_t{0}; // found in the slots made anew: their section is told
    });
}
// Files of version 3, which the program wrote before images had values; the fuzzer has them among its seeds.
template <class A>
void expect_opens_version_3(const char* name) {
    const auto opened = image<A>::open(fs::path(__FILE__).parent_path() / "../../../fuzz/seeds/image" / name);
    ASSERT_TRUE(opened) << to_string(opened.error());
    EXPECT_EQ(opened->values().columns(), 0u);
    expect_same<A>(*opened, opened->routes(), mixed_routes<A>(155, 150, 5));
}
TEST(ImageVersions, OpensVersion3) {
    expect_opens_version_3<ipv4_address>("ipv4-150-5-version-3");
    expect_opens_version_3<ipv6_address>("ipv6-150-5-version-3");
}
TEST(ImageVersions, OpensVersion2OfIpv4) {
    expect_opens_version_2<ipv4_address>("version_2_ipv4.image.xz", 1);
}
TEST(ImageVersions, OpensVersion2OfIpv6) {
    expect_opens_version_2<ipv6_address>("version_2_ipv6.image.xz", 3);
}

} // namespace
} // namespace fingerpost::testing
