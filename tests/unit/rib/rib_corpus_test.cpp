// The part of the corpus that changes tables: inserts, replaces and erases in a RIB, rebuilds, and compares
// again.
#include <gtest/gtest.h>

#include <map>

#include "fingerpost/registry/registry.hpp"
#include "fingerpost/rib/rib.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing::of_rib_corpus {
namespace {

// A RIB next to the simplest model of one. Every step is applied to both.
template <class A>
class rib_corpus : public ::testing::Test {
  protected:
    void insert(const prefix<A>& p, std::uint32_t id) {
        const auto old = model_.find(p);
        const next_hop before = old != model_.end() ? old->second : next_hop::none;
        const auto got = rib_.insert(p, {id});
        ASSERT_TRUE(got);
        ASSERT_EQ(*got, before);
        model_[p] = {id};
    }
    void erase(const prefix<A>& p) {
        const auto old = model_.find(p);
        const auto got = rib_.erase(p);
        if (old == model_.end()) {
            ASSERT_FALSE(got);
            ASSERT_EQ(got.error(), errc::not_found);
        } else {
            ASSERT_TRUE(got);
            ASSERT_EQ(*got, old->second);
            model_.erase(old);
        }
    }
    // Checks that the RIB contains the routes of the model, and that every scheme built from it answers
    // accordingly.
    void check() {
        check_routes();
        ASSERT_TRUE(agree<A>(model_routes(), done_));
    }
    void check_routes() {
        const routes<A> from = rib_.to_routes();
        const table<A> expected = model_routes();
        ASSERT_EQ(rib_.size(), expected.size());
        ASSERT_EQ(table<A>(from.sorted().begin(), from.sorted().end()), expected);
    }
    table<A> model_routes() const {
        table<A> all;
        for (const auto& [where, hop] : model_)
            all.push_back({where, hop});
        return all;
    }

    rib<A> rib_;
    std::map<prefix<A>, next_hop> model_;
    tally done_;
    random_numbers random_{60};
};

using widths = ::testing::Types<address<12>, address<32>, address<128>>;
TYPED_TEST_SUITE(rib_corpus, widths);

TYPED_TEST(rib_corpus, t3_the_default_route_comes_and_goes) {
    using A = TypeParam;
    this->insert({}, 1);
    this->check();
    this->insert({}, 0);
    this->check();
    this->insert(leading<A>(1, 1), 2);
    this->check();
    this->erase({});
    this->check();
    this->erase({});
    this->check();
    this->erase(leading<A>(1, 1));
    this->check();
    this->done_.report(6, 12);
}

TYPED_TEST(rib_corpus, t8_a_chain_put_up_and_taken_down_in_random_order) {
    using A = TypeParam;
    const A end = this->random_.template address<A>();
    const unsigned step = effort() < 0.5 ? 5 : 1;
    unsigned changes = 0;
    std::vector<unsigned> lengths;
    for (unsigned length = 0; length <= A::bits; ++length)
        lengths.push_back(length);
    for (const bool up : {true, false}) {
        for (std::size_t i = lengths.size(); i > 1; --i)
            std::swap(lengths[i - 1], lengths[this->random_.below(i)]);
        for (const unsigned length : lengths) {
            if (up)
                this->insert(prefix<A>::make(end, length), length);
            else
                this->erase(prefix<A>::make(end, length));
            if (changes++ % step == 0)
                this->check();
            else
                this->check_routes();
            if (this->HasFatalFailure())
                return;
        }
    }
    EXPECT_TRUE(this->rib_.empty());
    this->done_.report(2 * (A::bits + 1) / step, 1000 / step);
}

TYPED_TEST(rib_corpus, t10_replaced_erased_twice_and_never_there) {
    using A = TypeParam;
    const auto middle = prefix<A>::make(this->random_.template address<A>(), A::bits / 2);
    const auto wide = prefix<A>::make(middle.base, A::bits / 2 - 1);
    const auto narrow = prefix<A>::make(middle.last(), A::bits / 2 + 1);
    this->insert(middle, 1);
    this->insert(middle, 1);
    this->check();
    this->insert(middle, 2);
    this->check();
    this->erase(wide);
    this->erase(narrow);
    this->check();
    this->insert(narrow, 3);
    this->insert(wide, 4);
    this->check();
    this->erase(middle);
    this->erase(middle);
    this->check();
    this->done_.report(5, 10);
}

TYPED_TEST(rib_corpus, t14_the_order_of_insertion_leaves_no_trace) {
    using A = TypeParam;
    for (std::size_t round = 0; round < scaled(4); ++round) {
        table<A> shuffled = clustered_table<A>(this->random_, 200, 4);
        const table<A> in_order = shuffled;
        std::vector<std::size_t> bytes;
        for (int order = 0; order < 4; ++order) {
            this->rib_.clear();
            this->model_.clear();
            // Some third parties are added first and removed again.
            clustered_prefixes<A> third_parties(this->random_);
            std::vector<prefix<A>> passing;
            for (int i = 0; i < 50; ++i) {
                passing.push_back(third_parties.next());
                this->insert(passing.back(), 9);
            }
            for (const route<A>& r : shuffled)
                this->insert(r.where, r.hop.id);
            for (const prefix<A>& p : passing)
                this->erase(p);
            for (const route<A>& r : in_order)
                this->insert(r.where, r.hop.id);
            this->check();
            if (this->HasFatalFailure())
                return;

            std::vector<std::size_t> now;
            for (const candidate<A>& one : candidates<A>()) {
                // The memory of a hash table depends on its key.
                build_options options = one.options;
                options.hash_seed = 1;
                const auto built = one.scheme->build(this->rib_.to_routes(), options);
                ASSERT_TRUE(built) << one.name;
                now.push_back((*built)->memory_bytes());
            }
            if (order == 0)
                bytes = now;
            EXPECT_EQ(bytes, now) << "memory depends on the order of insertion";
            for (std::size_t i = shuffled.size(); i > 1; --i)
                std::swap(shuffled[i - 1], shuffled[this->random_.below(i)]);
        }
    }
    this->done_.report(4 * scaled(4), 1000);
}

} // namespace
} // namespace fingerpost::testing::of_rib_corpus
