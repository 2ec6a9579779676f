// Opens images that the program wrote before version 6 of the format.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "fingerpost/image/image.hpp"
#include "fingerpost/image/image_format.hpp"
#include "io/source/file.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing {
namespace {

// The bytes of a fixture, or empty if this build cannot decompress it.
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
// Files of versions whose FIBs had other arrays: the FIB is rebuilt from their routes. Version 2 files have
// 854 and more routes of 0 to 128 bits, IPv4 in the bitmap form, written before long-prefix levels had hash
// keys.
template <class A>
void expect_opens_old(std::span<const std::byte> file, std::uint32_t version, std::size_t least_routes) {
    const auto bytes = copy_of(file);
    image_header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    ASSERT_EQ(header.version, version);
    for (const simd::isa isa : simd::available_isas()) {
        const auto view = image_view<A>::make(bytes.span(), {.isa = isa});
        ASSERT_TRUE(view) << to_string(view.error());
        EXPECT_GT(view->memory_bytes(), 0u);
        const table<A> all(view->routes().begin(), view->routes().end());
        EXPECT_GE(all.size(), least_routes);
        const image_view<A> copied = *view;
        expect_same<A>(copied.fib(), copied.routes(), all);
    }
    const scratch_folder folder;
    write_file(folder / "a", bytes.span());
    const auto opened = image<A>::open(folder / "a");
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->values().columns(), version < first_version_with_values ? 0u : 2u);
    EXPECT_GT(opened->memory_bytes(), bytes.size());
    // Saving it again writes the current version.
    ASSERT_FALSE(image<A>::save(folder / "a", routes<A>(opened->copy_routes())).failed());
    const auto again = image<A>::open(folder / "a");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->memory_bytes(), fs::file_size(folder / "a"));
    EXPECT_EQ(again->copy_routes(), opened->copy_routes());

    // Their sections are checked like current ones, except for those not used.
    auto damaged = copy_of(bytes.span());
    damaged.span()[damaged.span().size() - 100] ^= std::byte{1};
    EXPECT_FALSE(image_view<A>::make(damaged.span()));
}
template <class A>
void expect_opens_version_2(const char* name) {
    const auto file = fixture(name);
    if (!file)
        GTEST_SKIP() << "this build reads no xz";
    expect_opens_old<A>(std::as_bytes(std::span(*file)), 2, 850);
}
// Small tables from the fuzzer's seeds, in the versions before images had values (3), before their FIBs had
// regions (4), and before keys were stored with their top bit flipped (5).
template <class A>
void expect_opens_seed(const std::string& name, std::uint32_t version) {
    const fs::path path = fs::path(__FILE__).parent_path() / "../../../fuzz/seeds/image" / name;
    const auto opened = image<A>::open(path);
    ASSERT_TRUE(opened) << to_string(opened.error());
    expect_same<A>(*opened, opened->routes(), mixed_routes<A>(155, 150, 5));
    const std::string bytes = read_file(path);
    expect_opens_old<A>(std::as_bytes(std::span(bytes)), version, 130);
}
TEST(ImageVersions, OpensVersion3) {
    expect_opens_seed<ipv4_address>("ipv4-150-5-version-3", 3);
    expect_opens_seed<ipv6_address>("ipv6-150-5-version-3", 3);
}
TEST(ImageVersions, OpensVersion4) {
    expect_opens_seed<ipv4_address>("ipv4-150-5-version-4", 4);
    expect_opens_seed<ipv6_address>("ipv6-150-5-version-4", 4);
}
TEST(ImageVersions, OpensVersion5) {
    expect_opens_seed<ipv4_address>("ipv4-150-5-version-5", 5);
    expect_opens_seed<ipv6_address>("ipv6-150-5-version-5", 5);
}
TEST(ImageVersions, OpensVersion2OfIpv4) {
    expect_opens_version_2<ipv4_address>("version_2_ipv4.image.xz");
}
TEST(ImageVersions, OpensVersion2OfIpv6) {
    expect_opens_version_2<ipv6_address>("version_2_ipv6.image.xz");
}

} // namespace
} // namespace fingerpost::testing
