// Instantiates the registry, and templates that many tests share, for the widths that only tests use. The
// library contains the widths 32 and 128. tests/support/test_entries.cpp.in lists the schemes.
#include <set>
#include <string_view>

#include "fingerpost/net/address.hpp"
#include "fingerpost/registry/collect.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/test_widths.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost {

#define FINGERPOST_COLLECT(bits)                                                                             \
    template std::span<const scheme_entry<address<bits>>> schemes<address<bits>>() noexcept;
FINGERPOST_FOR_EACH_TEST_WIDTH(FINGERPOST_COLLECT)
FINGERPOST_TEST_TABLES()

// Every tested scheme serves 12 bits, so this width counts all folders.
std::size_t testing::tested_scheme_folders() {
    static const std::size_t count = [] {
        std::set<std::string_view> folders;
        for (const auto& one : schemes<address<12>>())
            folders.insert(one.facts.name.substr(0, one.facts.name.find(':')));
        return folders.size();
    }();
    return count;
}

} // namespace fingerpost
