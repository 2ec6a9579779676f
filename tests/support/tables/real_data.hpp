// The Internet tables that tests read: two small ones in tests/data/real, or with FINGERPOST_TESTS=all the
// full ones in $FINGERPOST_DATA/fib. A test whose table cannot be read is skipped, or fails with
// FINGERPOST_REQUIRE_DATA=1.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fingerpost/net/route.hpp"
#include "io/source/any_table.hpp"
#include "tests/support/effort.hpp"

namespace fingerpost::testing {

inline std::filesystem::path real_tables_folder() {
    const char* folder = std::getenv("FINGERPOST_DATA");
    return std::filesystem::path(folder != nullptr ? folder : "../shared/data") / "fib";
}

// Skips or fails the running test, which must return afterwards.
inline void real_data_missing(const std::string& what) {
    const char* required = std::getenv("FINGERPOST_REQUIRE_DATA");
    if (required != nullptr && std::string_view(required) == "1")
        FAIL() << what << " and FINGERPOST_REQUIRE_DATA=1";
    GTEST_SKIP() << what;
}

// The full table when all samples run, otherwise a small one.
inline const char* real_or_small(const char* real, const char* small) {
    return all_samples() ? real : small;
}

// Empty when the running test was skipped or has failed. "ipv4" and "ipv6" name the small tables.
inline std::optional<io::one_table> load_real_table(const std::string& name) {
    const std::filesystem::path small =
        std::filesystem::path(__FILE__).parent_path() / "../../data/real" / (name + ".txt.xz");
    const bool is_small = std::filesystem::exists(small);
    const std::filesystem::path file = is_small ? small : real_tables_folder() / (name + ".txt.xz");
    if (!is_small && !all_samples()) {
        [] { GTEST_SKIP() << "whole tables are read with FINGERPOST_TESTS=all"; }();
        return std::nullopt;
    }
    if (!std::filesystem::exists(file)) {
        real_data_missing(file.string() + " is not there");
        return std::nullopt;
    }
#if FINGERPOST_HAVE_LZMA
    auto loaded = io::load_table(file.string());
    if (loaded)
        return std::move(*loaded);
    ADD_FAILURE() << io::message(loaded.error());
#else
    [] { GTEST_SKIP() << "built without liblzma"; }();
#endif
    return std::nullopt;
}
template <class A>
std::optional<std::vector<route<A>>> load_real_routes(const std::string& name) {
    auto loaded = load_real_table(name);
    if (!loaded)
        return std::nullopt;
    return std::move(std::get<io::loaded_table<A>>(*loaded).routes);
}

// The last part of a test's name: tier1_v6.
inline std::string test_name_of(std::string table) {
    std::replace(table.begin(), table.end(), '-', '_');
    return table;
}

} // namespace fingerpost::testing
