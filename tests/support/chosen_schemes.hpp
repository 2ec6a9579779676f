// The schemes that suites run over: all schemes of the registry, or those that FINGERPOST_SCHEMES lists by
// folder, separated by commas. ctest runs each suite once per folder, so that a faulty scheme does not hide
// the faults of others.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "fingerpost/registry/registry.hpp"
#include "tests/support/effort.hpp"

namespace fingerpost::testing {

// Variants are named `folder:variant`.
inline bool is_chosen(std::string_view scheme) {
    const char* const text = std::getenv("FINGERPOST_SCHEMES");
    if (text == nullptr || *text == '\0')
        return true;
    return is_listed("FINGERPOST_SCHEMES", scheme.substr(0, scheme.find(':')));
}

// The chosen schemes that serve addresses of this width.
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

// A fixture that skips its tests when no chosen scheme serves the width.
template <class A>
class over_schemes : public ::testing::Test {
  protected:
    void SetUp() override {
        if (chosen_schemes<A>().empty())
            GTEST_SKIP() << "no chosen scheme serves addresses of " << A::bits << " bits";
    }
};

} // namespace fingerpost::testing
