// A file that a rename replaces is reported as changed once, even to a watch that polls continuously.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

#include "cli/serve/table/table_watch.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::cli {
namespace {

TEST(TableWatch, ARenameIsOneChange) {
    const auto folder = std::filesystem::path(::testing::TempDir()) / "table_watch";
    std::filesystem::create_directories(folder);
    const auto table = folder / "table", newer = folder / "newer";
    const auto write = [](const std::filesystem::path& path, int number) {
        std::ofstream(path) << "10.0.0.0/8 " << number << '\n';
    };
    write(table, 0);
    table_watch watch(table);
    watch.has_changed();
    for (int i = 1; i <= 300; ++i) {
        write(newer, i);
        std::thread other([&] { std::filesystem::rename(newer, table); });
        while (!watch.has_changed()) {
        }
        other.join();
        // The event of the rename is queued when rename() returns.
        ASSERT_FALSE(watch.has_changed()) << "after rename " << i;
        if (i % 100 == 0) {
            std::ofstream(table) << "10.0.0.0/8 in place\n";
            ASSERT_TRUE(watch.has_changed()) << "after a write " << i;
        }
    }
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace fingerpost::cli
