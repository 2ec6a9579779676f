// Every allocation of saving and opening an image fails in turn: the old file stays, the table keeps its
// answers, and neither memory nor files nor descriptors leak.
#include "tests/faults/each_allocation.hpp"
#include "tests/faults/open_files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/live.hpp"

namespace fingerpost::testing::of_image {
namespace {

template <class A>
class ImageFaults : public ::testing::Test {};
using widths = ::testing::Types<address<12>, address<32>, address<128>>;
TYPED_TEST_SUITE(ImageFaults, widths);

TYPED_TEST(ImageFaults, SaveLeavesTheOldFile) {
    using A = TypeParam;
    const scratch_folder folder;
    const fs::path path = folder / "a.image";
    const auto old = mixed_routes<A>(1, 60, 9);
    const auto all = mixed_routes<A>(2, 90, 9);
    auto live = live_table<A>::create();
    ASSERT_TRUE(live && live->assign(all));
    const auto expect_file = [&](const table<A>& wanted) {
        const auto opened = image<A>::open(path);
        ASSERT_TRUE(opened) << to_string(opened.error());
        ASSERT_EQ(opened->copy_routes(), wanted);
        ASSERT_EQ(folder.files(), 1u);
    };
    ASSERT_FALSE(image<A>::save(path, routes<A>(old)).failed());
    image_error error;
    const std::size_t descriptors = open_files();
    const std::size_t failures = fail_each_allocation(
        [&] {
            error = image<A>::save(path, *live);
            return !error.failed();
        },
        [&](const attempt& made) {
            ASSERT_EQ(made.kept, 0u);
            ASSERT_EQ(open_files(), descriptors);
            if (made.kind != fault::by_length || made.done)
                ASSERT_EQ(error.code, made.done ? image_errc::ok : image_errc::out_of_memory);
            else
                ASSERT_TRUE(error.failed());
            expect_file(made.done ? all : old);
            ASSERT_EQ(live->covered(prefix<A>{}), all);
            if (made.done) {
                ASSERT_FALSE(image<A>::save(path, routes<A>(old)).failed());
            }
        });
    EXPECT_GE(failures, 20u);
    this->RecordProperty("failures", std::to_string(failures));
}

TYPED_TEST(ImageFaults, OpenLeavesNothing) {
    using A = TypeParam;
    const scratch_folder folder;
    const fs::path path = folder / "a.image";
    const auto all = mixed_routes<A>(3, 300, 9);
    ASSERT_FALSE(image<A>::save(path, routes<A>(all)).failed());
    image_errc code = image_errc::ok;
    const std::size_t descriptors = open_files();
    const std::size_t failures = fail_each_allocation(
        [&] {
            const auto opened = image<A>::open(path);
            code = opened ? image_errc::ok : opened.error().code;
            return opened.has_value();
        },
        [&](const attempt& made) {
            ASSERT_EQ(made.kept, 0u);
            ASSERT_EQ(open_files(), descriptors);
            ASSERT_EQ(mappings_of(path), 0u);
            const bool by_length = made.kind == fault::by_length && code == image_errc::capacity;
            ASSERT_TRUE(by_length || code == (made.done ? image_errc::ok : image_errc::out_of_memory));
        });
    EXPECT_GE(failures, 1u);
    this->RecordProperty("failures", std::to_string(failures));
}

} // namespace
} // namespace fingerpost::testing::of_image
