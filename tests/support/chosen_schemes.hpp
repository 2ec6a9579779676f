// The schemes that the suites over all schemes try: those of the registry, or of them those that
// FINGERPOST_SCHEMES names, by their folders and separated by commas. ctest runs every such suite once
// for each folder, so that one faulty scheme does not hide another.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "fingerpost/registry/registry.hpp"
#include "tests/support/effort.hpp"

namespace fingerpost::testing {

// Variants are named after their folder: folder, colon, their own name.
inline bool is_chosen(std::string_view scheme) {
    const char* const text = std::getenv("FINGERPOST_SCHEMES");
    if (text == nullptr || *text == '\0')
        return true;
    return is_listed("FINGERPOST_SCHEMES", scheme.substr(0, scheme.find(':')));
}

// Schemes that serve addresses of this width.
template <class A>
const std::vector<scheme_entry<A>>& chosen_schemes() {
    static const std::vector<scheme_entry<A>> chosen = [] {
        std::vector<scheme_entry<A>> list;
        for (const scheme_entry<A>& one : schemes<A>())
            if (is_chosen(one.facts.name))
                list.push_back(one);
        return list;
    }();
    return chosen;
}

// A fixture whose tests are skipped where no chosen scheme serves the width.
template <class A>
class over_schemes : public ::testing::Test {
  protected:
    void SetUp() override {
        if (chosen_schemes<A>().empty())
            GTEST_SKIP() << "no chosen scheme serves addresses of " << A::bits << " bits";
    }
};

} // namespace fingerpost::testing
