// Saved images: an opened image equals the saved table, and a save takes effect completely or not at all.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fingerpost/image/any_image.hpp"
#include "fingerpost/image/image_format.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing::of_image {
namespace {

template <class A>
class Image : public ::testing::Test {};
using widths = ::testing::Types<address<12>, address<32>, address<128>>;
TYPED_TEST_SUITE(Image, widths);

template <class A>
void expect_round_trip(const table<A>& all) {
    const scratch_folder folder;
    const auto path = folder / "table.image";
    const image_error failure = image<A>::save(path, routes<A>(all));
    ASSERT_FALSE(failure.failed()) << to_string(failure);
    EXPECT_EQ(folder.files(), 1u);
    for (const simd::isa isa : simd::available_isas()) {
        auto opened = image<A>::open(path, {.isa = isa});
        ASSERT_TRUE(opened) << to_string(opened.error());
        const image<A> moved = std::move(*opened);
        expect_same<A>(moved, moved.routes(), all);
        EXPECT_EQ(moved.memory_bytes(), fs::file_size(path));
    }
}

TYPED_TEST(Image, AnswersAsTheTableDid) {
    using A = TypeParam;
    if (default_scheme<A>().facts.name != default_scheme<ipv4_address>().facts.name)
        GTEST_SKIP() << "this build leaves the default scheme out of the widths that only tests use";
    expect_round_trip<A>({});
    expect_round_trip<A>({{prefix<A>{}, {0}}});
    expect_round_trip<A>({{prefix<A>::make(A::last(), A::bits), {7}}});
    for (std::uint64_t seed = 1; seed <= scaled(4); ++seed)
        for (const std::uint32_t hops : {3u, 1000u, 4'000'000'000u})
            expect_round_trip<A>(mixed_routes<A>(seed, 50 * seed * seed * seed, hops));
}

// Routes are checked in groups of 4,096.
TYPED_TEST(Image, FirstWrongRouteIsFound) {
    using A = TypeParam;
    if (A::bits == 12)
        GTEST_SKIP() << "too few prefixes";
    std::vector<A> bases;
    std::vector<std::uint8_t> lengths;
    for (const route<A>& r : sorted(mixed_routes<A>(1, 20'000, 9))) {
        bases.push_back(r.where.base);
        lengths.push_back(r.where.length);
    }
    std::vector<next_hop> hops(bases.size(), next_hop{1});
    const auto first_wrong = [&] { return image_routes<A>(bases, lengths, hops).first_wrong(); };
    ASSERT_GT(bases.size(), 8193u);
    EXPECT_EQ(first_wrong(), bases.size());
    EXPECT_EQ(image_routes<A>().first_wrong(), 0u);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4096},
                                std::size_t{8192}, bases.size() - 1}) {
        const auto expect_wrong = [&](auto& item, auto value, std::size_t at) {
            const auto before = std::exchange(item, value);
            EXPECT_EQ(first_wrong(), at);
            item = before;
        };
        expect_wrong(hops[i], next_hop::none, i);
        expect_wrong(lengths[i], std::uint8_t{A::bits + 1}, i);
        expect_wrong(lengths[i], std::uint8_t{255}, i);
        if (i > 0) {
            const std::uint8_t length = std::exchange(lengths[i], lengths[i - 1]);
            expect_wrong(bases[i], bases[i - 1], i); // a route twice
            lengths[i] = length;
            const A base = std::exchange(bases[i], A{});
            expect_wrong(lengths[i], std::uint8_t{0}, i); // out of order
            bases[i] = base;
        }
        if (lengths[i] < A::bits)
            expect_wrong(bases[i], A{static_cast<typename A::value_type>(bases[i].value | 1)}, i);
    }
}

// Large enough for the forms that schemes use for large tables, with and without longer routes.
TEST(Image, KeepsLargeTables) {
    using A = ipv4_address;
    for (const unsigned finest : {24u, 32u}) {
        random_numbers random(finest);
        table<A> all;
        for (std::uint32_t i = 0; i < 140'000; ++i)
            all.push_back({prefix<A>::make(A{i << 9}, i % 50 == 0 ? finest : 24), {i % 300}});
        const table<A> ready = sorted(std::move(all));
        expect_round_trip<A>(ready);
    }
}

TEST(Image, KeepsTheValuesOfRoutes) {
    using A = ipv6_address;
    const scratch_folder folder;
    const auto all = mixed_routes<A>(8, 300, 40);
    const value_rows rows = rows_of_two_columns(40);
    ASSERT_FALSE(ipv6_image::save(folder / "a", routes(all), rows.view()).failed());
    const auto opened = ipv6_image::open(folder / "a");
    ASSERT_TRUE(opened) << to_string(opened.error());
    expect_same<A>(*opened, opened->routes(), all);
    ASSERT_EQ(opened->values().columns(), 2U);
    ASSERT_EQ(opened->values().rows(), 40U);
    EXPECT_EQ(opened->values().name(0), "asn");
    EXPECT_EQ(opened->values().name(1), "country");
    for (const route<A>& one : all) {
        ASSERT_EQ(opened->value(one.hop, 0), rows.cell(one.hop, 0));
        ASSERT_EQ(opened->value(one.hop, 1), rows.cell(one.hop, 1));
    }
    EXPECT_EQ(opened->value({40}, 0), "");
    EXPECT_EQ(opened->value(next_hop::none, 0), "");
    EXPECT_EQ(opened->value({0}, 2), "");
    EXPECT_EQ(ipv6_image::save(folder / "a", routes(all), rows_of_two_columns(39).view()).code,
              image_errc::capacity)
        << "a next hop has no row";
    EXPECT_TRUE(ipv6_image::open(folder / "a")) << "the old file stays";
    auto live = ipv6_table::create();
    ASSERT_TRUE(live && live->assign(all));
    ASSERT_FALSE(ipv6_image::save(folder / "b", *live, rows.view()).failed());
    EXPECT_EQ(ipv6_image::open(folder / "b")->values().rows(), 40U);
    ASSERT_FALSE(ipv6_image::save(folder / "b", *live).failed());
    EXPECT_EQ(ipv6_image::open(folder / "b")->values().columns(), 0U);
}

TEST(Image, KeepsTypesAndMissingCells) {
    const scratch_folder folder;
    const auto all = mixed_routes<ipv4_address>(8, 300, 3);
    value_rows rows(std::array<std::string_view, 3>{"asn", "name", "on"});
    (void)rows.intern(std::array<std::string_view, 3>{"1", "", missing_cell});
    (void)rows.intern(std::array<std::string_view, 3>{missing_cell, missing_cell, "true"});
    (void)rows.intern(std::array<std::string_view, 3>{"2", "x", "false"});
    const auto open = [&] {
        EXPECT_FALSE(ipv4_image::save(folder / "a", routes(all), rows.view()).failed());
        return ipv4_image::open(folder / "a");
    };
    const auto plain = open();
    ASSERT_TRUE(plain) << to_string(plain.error());
    EXPECT_EQ(plain->values().type(0), column_type::text);
    EXPECT_TRUE(is_missing(plain->value({1}, 0)));
    rows.set_type(0, column_type::integer);
    rows.set_type(2, column_type::boolean);
    const auto typed = open();
    ASSERT_TRUE(typed) << to_string(typed.error());
    const value_view& values = typed->values();
    ASSERT_EQ(values.rows(), 3U);
    for (std::uint32_t row = 0; row < 3; ++row)
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(values.type(i), rows.type(i));
            EXPECT_EQ(values.cell({row}, i), rows.cell({row}, i));
            EXPECT_EQ(is_missing(values.cell({row}, i)), is_missing(rows.cell({row}, i)));
        }
    EXPECT_EQ(values.bytes().size(), plain->values().bytes().size() + 3) << "a letter a column";
    // Forged files: the text of missing cells does not exist or has another size.
    const auto compose = [&] { return *ipv4_image::compose(routes(all), {}, rows.view()); };
    const auto damaged = [&](auto change) {
        auto bytes = compose();
        image_header header;
        std::memcpy(&header, bytes.data(), sizeof header);
        change(bytes.span(), sizeof header + (header.sections - 3) * sizeof(image_section));
        seal_image(bytes.span());
        const auto made = image_view<ipv4_address>::make(bytes.span());
        return !made && made.error().code == image_errc::damaged;
    };
    const auto set_detail = [](std::span<std::byte> file, std::size_t at, std::uint32_t detail) {
        std::memcpy(file.data() + at + offsetof(image_section, detail), &detail, sizeof detail);
    };
    for (const std::size_t section : {1, 2})
        for (const std::uint32_t detail : {1000U, 0xffff'ffffU})
            EXPECT_TRUE(damaged([&](auto file, std::size_t at) {
                set_detail(file, at + section * sizeof(image_section), detail);
            }));
    EXPECT_TRUE(damaged([&](auto file, std::size_t at) {
        set_detail(file, at + 2 * sizeof(image_section), 1);
    })) << "the text is of another size";
    EXPECT_TRUE(damaged([&](auto file, std::size_t at) {
        image_section bytes;
        std::memcpy(&bytes, file.data() + at + 2 * sizeof bytes, sizeof bytes);
        file[bytes.offset + bytes.bytes - 1] = std::byte{4};
    })) << "an unknown type";
    EXPECT_FALSE(damaged([](auto, std::size_t) {}));
}

TEST(Image, OfBothFamiliesInOneFile) {
    const scratch_folder folder;
    const auto four = mixed_routes<ipv4_address>(1, 300, 30);
    const auto six = mixed_routes<ipv6_address>(2, 400, 40);
    const auto path = folder / "a";
    ASSERT_FALSE(
        save_both_images(path, routes(four), rows_of_two_columns(30).view(), routes(six), {}).failed());
    EXPECT_EQ(folder.files(), 1u);
    const auto both = open_both_images(path);
    ASSERT_TRUE(both) << to_string(both.error());
    ASSERT_TRUE(both->ipv4 && both->ipv6);
    expect_same<ipv4_address>(*both->ipv4, both->ipv4->routes(), four);
    expect_same<ipv6_address>(*both->ipv6, both->ipv6->routes(), six);
    EXPECT_EQ(both->ipv4->value({7}, 0), "64507");
    EXPECT_EQ(both->ipv6->values().columns(), 0u);
    EXPECT_TRUE(both->ipv4->has_second());
    // Each family alone, and the first one when either may be opened.
    EXPECT_EQ(ipv4_image::open(path)->size(), four.size());
    EXPECT_EQ(ipv6_image::open(path)->size(), six.size());
    EXPECT_TRUE(std::holds_alternative<ipv4_image>(*open_any_image(path)));
    // One family, opened as both.
    ASSERT_FALSE(ipv6_image::save(path, routes(six)).failed());
    const auto one = open_both_images(path);
    ASSERT_TRUE(one && one->ipv6 && !one->ipv4);
    EXPECT_FALSE(one->ipv6->has_second());
    EXPECT_EQ(ipv4_image::open(path).error().code, image_errc::other_width);
    EXPECT_EQ(open_both_images(folder / "none").error().system_error, ENOENT);
}

TEST(Image, GoesBackIntoALiveTable) {
    using A = ipv6_address;
    const scratch_folder folder;
    const auto all = mixed_routes<A>(5, 300, 40);
    auto live = ipv6_table::create();
    ASSERT_TRUE(live && live->assign(all));
    ASSERT_FALSE(ipv6_image::save(folder / "a", *live).failed());
    const auto opened = ipv6_image::open(folder / "a");
    ASSERT_TRUE(opened);
    auto second = ipv6_table::create();
    ASSERT_TRUE(second && second->assign(opened->copy_routes()));
    EXPECT_EQ(second->with_rib([](const auto& r) { return r.to_routes().sorted().size(); }), all.size());
    const auto same = live->replace_all(opened->copy_routes());
    ASSERT_TRUE(same);
    EXPECT_EQ(same->added + same->removed + same->replaced, 0u);
}

template <class A>
void expect_any_opens() {
    const scratch_folder folder;
    const auto all = mixed_routes<A>(6, 200, 30);
    ASSERT_FALSE(image<A>::save(folder / "a", routes<A>(all)).failed());
    const auto opened = open_any_image(folder / "a");
    ASSERT_TRUE(opened) << to_string(opened.error());
    const auto* const saved = std::get_if<image<A>>(&*opened);
    ASSERT_NE(saved, nullptr);
    expect_same<A>(*saved, saved->routes(), all);
}

TEST(Image, TellsWhichFamilyItIs) {
    expect_any_opens<ipv4_address>();
    expect_any_opens<ipv6_address>();
    const scratch_folder folder;
    EXPECT_EQ(open_any_image(folder / "none").error().system_error, ENOENT);
    ASSERT_FALSE(image<address<12>>::save(folder / "a", routes<address<12>>()).failed());
    EXPECT_EQ(open_any_image(folder / "a").error().code, image_errc::other_width);
    write_file(folder / "short", std::as_bytes(std::span(image_magic)));
    EXPECT_EQ(open_any_image(folder / "short").error().code, image_errc::truncated);
}

// The hash seed is fixed; without one, every image draws its own keys.
TEST(Image, TheSameTableAndSeedGiveTheSameBytes) {
    const auto all = mixed_routes<ipv6_address>(9, 400, 40);
    build_options options;
    const auto seeds_of = [](const auto& file) {
        image_header header;
        std::memcpy(&header, file->data(), sizeof header);
        return header.seeds;
    };
    for (const std::uint64_t seed : {1u, 2u}) {
        options.hash_seed = seed;
        const auto one = ipv6_image::compose(routes(all), options);
        const auto two = ipv6_image::compose(routes(all), options);
        ASSERT_EQ(one->size(), two->size());
        EXPECT_EQ(std::memcmp(one->data(), two->data(), one->size()), 0);
        EXPECT_EQ(seeds_of(one), (std::array{seed, seed, seed}));
    }
    const auto drawn = seeds_of(ipv6_image::compose(routes(all)));
    const auto again = seeds_of(ipv6_image::compose(routes(all)));
    EXPECT_NE(drawn, again);
    EXPECT_NE(drawn[0], drawn[1]);
}

// A process that has the old image open keeps it.
TEST(Image, AnOpenImageOutlivesItsReplacement) {
    const scratch_folder folder;
    const auto path = folder / "a";
    const auto first = mixed_routes<ipv6_address>(1, 100, 9);
    const auto second = mixed_routes<ipv6_address>(2, 200, 9);
    ASSERT_FALSE(ipv6_image::save(path, routes(first)).failed());
    const auto held = ipv6_image::open(path);
    ASSERT_FALSE(ipv6_image::save(path, routes(second)).failed());
    ASSERT_TRUE(held);
    expect_same<ipv6_address>(*held, held->routes(), first);
    const auto now = ipv6_image::open(path);
    ASSERT_TRUE(now);
    EXPECT_EQ(now->size(), second.size());
}

TEST(Image, ErrorsLeaveTheOldFileAndNoOther) {
    const scratch_folder folder;
    const auto path = folder / "a";
    const auto small = mixed_routes<ipv6_address>(1, 100, 9);
    const auto large = mixed_routes<ipv6_address>(2, 3000, 9);
    ASSERT_FALSE(ipv6_image::save(path, routes(small)).failed());
    const auto expect_old = [&] {
        const auto opened = ipv6_image::open(path);
        ASSERT_TRUE(opened);
        EXPECT_EQ(opened->size(), small.size());
        EXPECT_EQ(folder.files(), 1u);
    };

    // Like a full disk: writing fails in the middle of the file.
    rlimit old{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{10'000, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const image_error full = ipv6_image::save(path, routes(large));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(full.code, image_errc::system);
    EXPECT_EQ(full.system_error, EFBIG);
    EXPECT_EQ(full.offset, 10'000u);
    expect_old();

    // The name is taken by a folder, so the rename fails.
    ASSERT_TRUE(fs::create_directory(folder / "taken"));
    EXPECT_EQ(ipv6_image::save(folder / "taken", routes(large)).code, image_errc::system);
    EXPECT_EQ(folder.files(), 2u);
    fs::remove(folder / "taken");

    EXPECT_EQ(ipv6_image::save(folder.path() / "no" / "such", routes(large)).system_error, ENOENT);
    if (::geteuid() != 0) { // root may write anywhere
        fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
        EXPECT_EQ(ipv6_image::save(path, routes(large)).system_error, EACCES);
        expect_old();
    }
}

// A child saves two images alternately until it is killed, each time a little later: a hundred times, fewer
// where saving is slow.
TEST(Image, AKilledSaveLeavesAWholeFile) {
    const scratch_folder folder;
    const auto path = folder / "a";
    const routes one(mixed_routes<ipv6_address>(1, 500, 9));
    const routes two(mixed_routes<ipv6_address>(2, 900, 9));
    // The child is killed after the time of half a save to ten saves on this machine. Under an emulator,
    // where a child starts slowly, it gets more time until it has replaced the file.
    ASSERT_FALSE(ipv6_image::save(path, one).failed());
    const auto start = std::chrono::steady_clock::now();
    ASSERT_FALSE(ipv6_image::save(path, one).failed());
    const std::chrono::duration<double, std::micro> one_save = std::chrono::steady_clock::now() - start;
    const std::size_t wanted = std::max<std::size_t>(20, scaled(100));
    std::size_t times = 0;
    unsigned changed = 0;
    for (; times < wanted || (changed == 0 && times < 3 * wanted); ++times) {
        const double share = static_cast<double>(times) / static_cast<double>(wanted);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0)
            for (;;)
                if (ipv6_image::save(path, two).failed() || ipv6_image::save(path, one).failed())
                    ::_exit(1);
        ::usleep(static_cast<useconds_t>(one_save.count() * (0.5 + 10.0 * share * share)));
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "saving failed";
        const auto opened = ipv6_image::open(path);
        ASSERT_TRUE(opened) << to_string(opened.error());
        ASSERT_TRUE(opened->size() == one.size() || opened->size() == two.size());
        changed += opened->size() == two.size();
    }
    EXPECT_GE(times, wanted);
    EXPECT_GT(changed, 0u) << "the child never got to replace the file";
}

} // namespace
} // namespace fingerpost::testing::of_image
