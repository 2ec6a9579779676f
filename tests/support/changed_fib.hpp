// A FIB under test together with the RIB that drives its changes, for schemes whose changes leave exactly the
// nodes of a new build.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/rib/rib.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing {

template <class A, class F>
class changed_fib {
  public:
    // One line for each node, indented by its level: its kind and its first address.
    static std::vector<std::string> nodes_of(const F& built) {
        std::vector<std::string> all;
        built.visit([&](const structure_node<A>& n) {
            all.push_back(std::string(n.level, ' ') + std::string(n.kind) + " " + text_of(n.first));
        });
        return all;
    }

    // Fails the test when the empty FIB cannot be built.
    changed_fib() {
        auto made = F::build(routes<A>());
        EXPECT_TRUE(made);
        if (made)
            built_.push_back(std::move(*made));
    }

    // Announces a route, or withdraws it when the next hop is `none`. Compares the FIB with a new one and
    // with the oracle.
    void set(A a, unsigned length, next_hop hop) {
        ASSERT_EQ(built_.size(), 1U);
        const auto where = prefix<A>::make(a, length);
        const auto told = hop == next_hop::none ? truth_.withdraw(where) : truth_.announce(where, hop);
        ASSERT_TRUE(told);
        ASSERT_EQ(built_[0].apply(*told), errc::ok);
        const routes<A> all = truth_.to_routes();
        const auto anew = F::build(all);
        ASSERT_TRUE(anew);
        ASSERT_EQ(nodes_of(built_[0]), nodes_of(*anew)) << text_of(a) << "/" << length;
        const std::vector<A> at = addresses_to_try<A>(all.sorted());
        const std::vector<next_hop> right = oracle_answers<A>(all.sorted(), at);
        std::vector<next_hop> got(at.size());
        built_[0].lookup(at, got);
        for (std::size_t i = 0; i < at.size(); ++i) {
            ASSERT_EQ(got[i], right[i]) << text_of(at[i]) << " after " << text_of(a) << "/" << length;
            ASSERT_EQ(built_[0].lookup(at[i]), right[i]) << text_of(at[i]);
        }
    }
    std::vector<std::string> nodes() const { return nodes_of(built_[0]); }

  private:
    rib<A> truth_;
    std::vector<F> built_; // one
};

} // namespace fingerpost::testing
