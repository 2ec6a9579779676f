// Random changes to a map, compared with a std::map that is searched prefix by prefix; and the requirements
// on values of type T.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fingerpost/map/map_image.hpp"
#include "fingerpost/map/map_tree.hpp"
#include "fingerpost/registry/registry.hpp"
#include "tests/support/images.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing::of_maps {
namespace {

ipv4_prefix four(const char* text) {
    return *parse_prefix<ipv4_address>(text);
}
ipv6_prefix six(const char* text) {
    return *parse_prefix<ipv6_address>(text);
}

// Counts live objects, to find values that are destroyed twice or never.
struct counted {
    static inline int alive = 0;

    explicit counted(int of) : number(of) { ++alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --alive; }

    int number;
};

// The expected answers of a map, found prefix by prefix.
template <class T>
class model {
  public:
    std::map<any_prefix, T> all;

    template <class A>
    std::vector<any_prefix> containing(const A& a) const {
        std::vector<any_prefix> found; // shortest first
        for (const auto& [where, value] : all)
            if (const auto* const p = std::get_if<prefix<A>>(&where); p != nullptr && p->contains(a))
                found.push_back(where);
        return found;
    }
    template <class A>
    std::vector<any_prefix> inside(const prefix<A>& outer) const {
        std::vector<any_prefix> found;
        for (const auto& [where, value] : all)
            if (const auto* const p = std::get_if<prefix<A>>(&where); p != nullptr && outer.covers(*p))
                found.push_back(where);
        return found;
    }
    // Whether `outer` is of the same family as `inner` and covers it.
    static bool covers(const any_prefix& outer, const any_prefix& inner) {
        return std::visit(
            [&]<class A>(const prefix<A>& p) {
                const auto* const q = std::get_if<prefix<A>>(&inner);
                return q != nullptr && p.covers(*q);
            },
            outer);
    }
    // The covers of `p`, shortest first, including `p` itself.
    std::vector<any_prefix> covers_of(const any_prefix& p) const {
        std::vector<any_prefix> found;
        for (const auto& [where, value] : all)
            if (covers(where, p))
                found.push_back(where);
        return found;
    }
    std::vector<any_prefix> children_of(const any_prefix& p) const {
        std::vector<any_prefix> found;
        for (const auto& [where, value] : all)
            if (where != p && covers(p, where) && (found.empty() || !covers(found.back(), where)))
                found.push_back(where);
        return found;
    }
};

template <class A>
prefix<A> random_prefix(random_numbers& random) {
    // Few bits differ, so that prefixes nest and repeat.
    const unsigned length = static_cast<unsigned>(random.below(9)) * (A::bits / 16);
    const auto bits = static_cast<typename A::value_type>(random.below(16));
    return prefix<A>::make(A{static_cast<typename A::value_type>(bits << (A::bits - 4)) +
                             static_cast<typename A::value_type>(random.below(4)) *
                                 (typename A::value_type{1} << (A::bits / 2))},
                           length);
}
any_prefix random_any(random_numbers& random) {
    if (random.below(2) == 0)
        return random_prefix<ipv4_address>(random);
    return random_prefix<ipv6_address>(random);
}

// `Asked` is a map, a snapshot or an image. All three must give the same answers.
template <class Asked, class T>
class checker {
  public:
    checker(const Asked& of, const model<T>& by) : of_(of), by_(by) {}

    void check_all() {
        EXPECT_EQ(of_.size(), by_.all.size());
        EXPECT_EQ(of_.empty(), by_.all.empty());
        if constexpr (requires { of_.begin(); })
            check_order();
        random_numbers random(by_.all.size());
        for (int i = 0; i < 20; ++i)
            check_relatives(random_any(random));
        check_family<ipv4_address>();
        check_family<ipv6_address>();
        check_too_long(ipv4_prefix{{}, 33});
        check_too_long(ipv6_prefix{{}, 129});
    }

  private:
    template <class P>
    void check_entry(const map_entry<P, T>& got, const any_prefix& right) {
        EXPECT_EQ(any_prefix(got.where), right);
        EXPECT_EQ(*got.value, by_.all.at(right));
    }
    template <class P>
    void check_entries(const std::vector<map_entry<P, T>>& got, const std::vector<any_prefix>& right) {
        ASSERT_EQ(got.size(), right.size());
        for (std::size_t i = 0; i < got.size(); ++i)
            check_entry(got[i], right[i]);
    }
    template <class P>
    void check_longest(const std::optional<map_entry<P, T>>& got, const std::vector<any_prefix>& right) {
        ASSERT_EQ(got.has_value(), !right.empty());
        if (got)
            check_entry(*got, right.back());
    }
    void check_relatives(const any_prefix& p) {
        auto covers = by_.covers_of(p);
        const auto children = by_.children_of(p);
        EXPECT_EQ(of_.overlaps(p), !covers.empty() || !children.empty());
        check_longest(of_.match_prefix(p), covers);
        if (!covers.empty() && covers.back() == p)
            covers.pop_back();
        check_longest(of_.parent(p), covers);
        check_entries(of_.covering(p), covers);
        check_entries(of_.children(p), children);
        std::visit([&](const auto& q) { check_entries(of_.covered(q), by_.inside(q)); }, p);
    }
    void check_order() {
        auto expected = by_.all.begin();
        for (const auto& one : of_) {
            ASSERT_NE(expected, by_.all.end());
            check_entry(one, expected->first);
            ++expected;
        }
        EXPECT_EQ(expected, by_.all.end());
    }
    template <class A>
    void check_family() {
        std::vector<A> addresses;
        for (std::uint32_t i = 0; i < 16; ++i)
            for (std::uint32_t j = 0; j < 4; ++j)
                addresses.push_back(A{(typename A::value_type{i} << (A::bits - 4)) +
                                      (typename A::value_type{j} << (A::bits / 2)) + j});
        std::vector<const T*> out(addresses.size());
        of_.lookup(addresses, out);
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            check_one(addresses[i]);
            EXPECT_EQ(out[i], of_.lookup(addresses[i]));
            EXPECT_EQ(out[i], of_.lookup(any_address(addresses[i])));
        }
    }
    template <class A>
    void check_one(const A& a) {
        const auto all = by_.containing(a);
        const T* const found = of_.lookup(a);
        ASSERT_EQ(found != nullptr, !all.empty());
        const auto best = of_.match(a);
        check_longest(best, all);
        check_longest(of_.match(any_address(a)), all);
        // The address itself is not a prefix of these tables.
        check_entries(of_.covering(prefix<A>{a, A::bits}), all);
        if (all.empty())
            return;
        EXPECT_EQ(best->value, found);
        EXPECT_EQ(of_.find(all.back()), found);
        check_entries(of_.covered(all.front()), by_.inside(std::get<prefix<A>>(all.front())));
    }
    template <class A>
    void check_too_long(const prefix<A>& p) {
        EXPECT_EQ(of_.find(p), nullptr);
        EXPECT_FALSE(of_.match_prefix(p) || of_.parent(p) || of_.overlaps(p));
        EXPECT_TRUE(of_.covering(p).empty() && of_.children(p).empty() && of_.covered(p).empty());
    }

    const Asked& of_;
    const model<T>& by_;
};

template <class T, map_values kept>
void check_copies(const map<T, kept>& of, const model<T>& by) {
    auto copy = of.clone();
    ASSERT_TRUE(copy);
    EXPECT_TRUE(*copy == of);
    EXPECT_EQ(copy->overlaps(of), !of.empty());
    if (of.empty())
        return;
    // Changing one does not affect the other.
    const auto [where, value] = *by.all.begin();
    ASSERT_EQ(copy->erase(where), errc::ok);
    EXPECT_FALSE(*copy == of);
    EXPECT_EQ(*of.find(where), value);
    EXPECT_EQ(copy->find(where), nullptr);
    ASSERT_EQ(copy->merge(of), errc::ok);
    EXPECT_TRUE(*copy == of);
    ASSERT_EQ(copy->clear(), errc::ok);
    EXPECT_FALSE(*copy == of);
}

// Checks the map, its snapshots and an image of it.
template <class T, map_values kept>
void check_map(map<T, kept>& of, const model<T>& by) {
    checker(of, by).check_all();
    check_copies(of, by);
    {
        auto reader = of.reader();
        ASSERT_TRUE(reader);
        checker(reader->pin(), by).check_all();
    }
    const scratch_folder folder;
    ASSERT_FALSE(save_map(folder / "map", of).failed());
    const auto saved = map_image<T>::open(folder / "map");
    ASSERT_TRUE(saved);
    checker(*saved, by).check_all();
    EXPECT_EQ(saved->overlaps(of), !of.empty());
    EXPECT_EQ(of.overlaps(*saved), !of.empty());
    map<T, kept> again;
    ASSERT_EQ(again.merge(*saved), errc::ok);
    EXPECT_TRUE(again == of);
}

template <class T, map_values kept, class Make>
void change_at_random(map_options options, std::uint64_t seed, Make make) {
    auto made = map<T, kept>::create(options);
    ASSERT_TRUE(made);
    map<T, kept>& of = *made;
    model<T> by;
    random_numbers random(seed);
    int checks = 0;
    for (int round = 0; round < 240; ++round) {
        const any_prefix where = random_any(random);
        const T value = make(random.below(9));
        switch (random.below(7)) {
        case 0:
        case 1: {
            const auto done = of.insert_or_assign(where, value);
            ASSERT_TRUE(done);
            EXPECT_EQ(*done, by.all.insert_or_assign(where, value).second);
            break;
        }
        case 2: {
            const auto done = of.try_emplace(where, value);
            ASSERT_TRUE(done);
            EXPECT_EQ(*done, by.all.try_emplace(where, value).second);
            break;
        }
        case 3: {
            const bool erases = random.below(2) == 0;
            const auto done = of.modify(where, [&](const T* now) {
                EXPECT_EQ(now != nullptr, by.all.contains(where));
                return erases ? std::nullopt : std::optional<T>(value);
            });
            ASSERT_TRUE(done);
            EXPECT_EQ(*done, !erases || by.all.contains(where));
            if (erases)
                by.all.erase(where);
            else
                by.all.insert_or_assign(where, value);
            break;
        }
        case 4:
            EXPECT_EQ(of.erase(where), by.all.erase(where) != 0 ? errc::ok : errc::not_found);
            break;
        default: {
            auto changes = of.transaction();
            model<T> after = by;
            for (int i = 0; i < 8; ++i) {
                const any_prefix one = random_any(random);
                if (random.below(3) == 0) {
                    EXPECT_EQ(changes.erase(one), after.all.erase(one) != 0 ? errc::ok : errc::not_found);
                } else {
                    const T other = make(random.below(9));
                    EXPECT_EQ(changes.insert_or_assign(one, other), errc::ok);
                    after.all.insert_or_assign(one, other);
                }
            }
            if (random.below(4) == 0)
                break; // dropped
            ASSERT_TRUE(changes.commit());
            EXPECT_EQ(changes.size(), 0U);
            by = after;
        }
        }
        EXPECT_EQ(of.pending(), 0U);
        if (round % 8 == 0) {
            check_map(of, by);
            ++checks;
        }
    }
    check_map(of, by);
    EXPECT_GE(checks, 30);
    EXPECT_EQ(of.clear(), errc::ok);
    EXPECT_TRUE(of.empty());
    EXPECT_TRUE(of.begin() == of.end());
}

std::string text_of(std::uint64_t number) {
    return "a value that is too long for the string itself: " + std::to_string(number);
}

TEST(map_model, shared_values) {
    for (std::uint64_t seed = 1; seed < 4; ++seed)
        change_at_random<std::string, map_values::shared>({}, seed, text_of);
}
TEST(map_model, values_of_their_own) {
    change_at_random<std::string, map_values::own>({}, 4, text_of);
}
TEST(map_model, other_schemes_and_policies) {
    map_options options;
    options.ipv4_scheme = find_scheme<ipv4_address>("dir_24_8");
    options.ipv6_scheme = find_scheme<ipv6_address>("hash_by_length");
    ASSERT_NE(options.ipv4_scheme, nullptr);
    ASSERT_NE(options.ipv6_scheme, nullptr);
    options.update = policy::rebuild;
    change_at_random<int, map_values::shared>(options, 5, [](std::uint64_t n) { return int(n); });
    options = {};
    options.ipv4_scheme = &poptrie::entries<ipv4_address>().front();
    change_at_random<int, map_values::own>(options, 6, [](std::uint64_t n) { return int(n); });
}

TEST(map_texts, of_either_family) {
    map<int> of;
    EXPECT_TRUE(*of.insert_or_assign("10.0.0.0/8", 1));
    EXPECT_TRUE(*of.insert_or_assign(std::string("2001:db8::/32"), 2));
    EXPECT_FALSE(*of.insert_or_assign("10.0.0.0/8", 3));
    EXPECT_EQ(of.insert_or_assign("10.0.0.0/33", 3).error(), errc::invalid);
    const auto four = of.lookup("10.1.2.3");
    ASSERT_TRUE(four && *four != nullptr);
    EXPECT_EQ(**four, 3);
    ASSERT_TRUE(of.lookup("192.0.2.1"));
    EXPECT_EQ(*of.lookup("192.0.2.1"), nullptr);
    EXPECT_EQ(of.lookup("10.1.2.300").error().column(), 8U);
    auto reader = of.reader();
    ASSERT_TRUE(reader);
    EXPECT_EQ(**reader->pin().lookup("2001:db8::1"), 2);
    EXPECT_EQ(reader->pin().lookup("2001:db8::g").error().column(), 11U);
    auto changes = of.transaction();
    EXPECT_EQ(changes.insert_or_assign("::/0", 4), errc::ok);
    EXPECT_EQ(changes.erase("10.0.0.0/8"), errc::ok);
    EXPECT_EQ(changes.erase("10.0.0.0/9"), errc::not_found);
    EXPECT_EQ(changes.erase("10.0.0.0/"), errc::invalid);
    EXPECT_EQ(changes.insert_or_assign("x", 4), errc::invalid);
    ASSERT_TRUE(changes.commit());
    EXPECT_EQ(of.erase("2001:db8::/32"), errc::ok);
    EXPECT_EQ(of.erase("2001:db8::/32"), errc::not_found);
    EXPECT_EQ(of.erase(""), errc::invalid);
    EXPECT_EQ(**of.lookup("2001:db8::1"), 4);
    EXPECT_EQ(of.size(), 1U);
}

TEST(map_texts, of_a_tree) {
    map<int> of;
    std::ostringstream out;
    write_tree(out, of);
    EXPECT_EQ(out.str(), "");
    for (const char* const p :
         {"10.0.0.0/8", "10.1.0.0/16", "10.1.2.0/24", "10.2.0.0/16", "192.0.2.0/24", "::/0", "2001:db8::/32"})
        ASSERT_TRUE(of.insert_or_assign(p, 7));
    write_tree(out, of);
    EXPECT_EQ(out.str(), "├─ 10.0.0.0/8 7\n"
                         "│  ├─ 10.1.0.0/16 7\n"
                         "│  │  └─ 10.1.2.0/24 7\n"
                         "│  └─ 10.2.0.0/16 7\n"
                         "├─ 192.0.2.0/24 7\n"
                         "└─ ::/0 7\n"
                         "   └─ 2001:db8::/32 7\n");
}

TEST(map_values_of_any_type, neither_copied_nor_moved_nor_made_from_nothing) {
    counted::alive = 0;
    {
        map<counted> of;
        ASSERT_TRUE(of.try_emplace(four("10.0.0.0/8"), 1));
        ASSERT_TRUE(of.try_emplace(six("2001:db8::/32"), 2));
        const auto again = of.try_emplace(four("10.0.0.0/8"), 3);
        ASSERT_TRUE(again);
        EXPECT_FALSE(*again);
        EXPECT_EQ(counted::alive, 2);
        EXPECT_EQ(of.find(four("10.0.0.0/8"))->number, 1);
        EXPECT_EQ(of.lookup(*parse_address<ipv6_address>("2001:db8::1"))->number, 2);
        EXPECT_EQ(of.insert_or_assign(four("10.0.0.0/8"), 4).has_value(), true);
        EXPECT_EQ(of.find(four("10.0.0.0/8"))->number, 4);
        of.reclaim();
        EXPECT_EQ(counted::alive, 2); // no thread reads the replaced value
    }
    EXPECT_EQ(counted::alive, 0);
}
TEST(map_values_of_any_type, move_only) {
    map<std::unique_ptr<int>> of;
    auto value = std::make_unique<int>(7);
    const int* const at = value.get();
    ASSERT_TRUE(of.insert_or_assign(four("10.0.0.0/8"), std::move(value)));
    EXPECT_EQ(of.lookup(ipv4_address{0x0a000001})->get(), at);
    static_assert(usual_map_values<std::unique_ptr<int>> == map_values::shared);
    static_assert(usual_map_values<double> == map_values::own);
    static_assert(usual_map_values<counted> == map_values::own);
}

TEST(map_memory, equal_values_are_one_object) {
    map<std::string> of;
    map<std::string, map_values::own> other;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        const auto p = ipv4_prefix::make({i << 16}, 16);
        ASSERT_TRUE(of.insert_or_assign(p, text_of(i % 3)));
        ASSERT_TRUE(other.insert_or_assign(p, text_of(i % 3)));
    }
    EXPECT_EQ(of.find(ipv4_prefix::make({3 << 16}, 16)), of.find(ipv4_prefix::make({6 << 16}, 16)));
    EXPECT_NE(other.find(ipv4_prefix::make({3 << 16}, 16)), other.find(ipv4_prefix::make({6 << 16}, 16)));
    EXPECT_LT(of.memory_bytes(), other.memory_bytes());
}
TEST(map_memory, pointers_stay_while_the_map_grows) {
    map<int, map_values::own> of;
    ASSERT_TRUE(of.insert_or_assign(four("0.0.0.0/0"), -1));
    const int* const first = of.lookup(ipv4_address{0});
    auto changes = of.transaction();
    for (std::uint32_t i = 0; i < 100'000; ++i)
        ASSERT_EQ(changes.insert_or_assign(ipv4_prefix::make({i << 8}, 24), int(i)), errc::ok);
    ASSERT_TRUE(changes.commit());
    EXPECT_EQ(of.find(four("0.0.0.0/0")), first);
    EXPECT_EQ(*first, -1);
    for (std::uint32_t i = 0; i < 100'000; i += 777)
        EXPECT_EQ(*of.lookup(ipv4_address{(i << 8) + 5}), int(i));
}
TEST(map_memory, a_stalled_reader_retains_what_it_sees_and_no_more) {
    counted::alive = 0;
    {
        map<counted> of;
        ASSERT_TRUE(of.insert_or_assign(four("10.0.0.0/8"), 0));
        auto reader = of.reader();
        ASSERT_TRUE(reader);
        {
            const auto then = reader->pin();
            const counted* const old = then.lookup(ipv4_address{0x0a000001});
            ASSERT_NE(old, nullptr);
            for (int i = 1; i < 2000; ++i)
                ASSERT_TRUE(of.insert_or_assign(four("10.0.0.0/8"), i));
            EXPECT_EQ(old->number, 0);
            EXPECT_EQ(then.lookup(ipv4_address{0x0a000001}), old);
            EXPECT_EQ(of.lookup(ipv4_address{0x0a000001})->number, 1999);
            EXPECT_LT(counted::alive, 300);
        }
        // Publication may have been deferred while the reader stalled.
        EXPECT_EQ(of.publish(), errc::ok);
        of.reclaim();
        EXPECT_EQ(of.pending(), 0U);
        EXPECT_EQ(counted::alive, 1);
        EXPECT_EQ(reader->pin().lookup(ipv4_address{0x0a000001})->number, 1999);
    }
    EXPECT_EQ(counted::alive, 0);
}
TEST(map_memory, an_exact_answer_lives_as_long_as_its_snapshot) {
    counted::alive = 0;
    map<counted> of;
    auto reader = of.reader();
    ASSERT_TRUE(reader);
    {
        const auto now = reader->pin();
        EXPECT_EQ(now.find(four("10.0.0.0/8")), nullptr);
        // Newer than the snapshot, and removed again before it ends.
        ASSERT_TRUE(of.insert_or_assign(four("10.0.0.0/8"), 5));
        const counted* const newer = now.find(four("10.0.0.0/8"));
        ASSERT_NE(newer, nullptr);
        EXPECT_EQ(now.lookup(ipv4_address{0x0a000001}), nullptr);
        for (int i = 0; i < 500; ++i)
            ASSERT_TRUE(of.insert_or_assign(four("10.0.0.0/8"), i));
        ASSERT_EQ(of.erase(four("10.0.0.0/8")), errc::ok);
        EXPECT_EQ(newer->number, 5);
    }
    EXPECT_EQ(of.publish(), errc::ok);
    of.reclaim();
    EXPECT_EQ(counted::alive, 0);
}

TEST(map_schemes, the_default_is_the_one_of_the_list) {
    EXPECT_EQ(default_scheme_alone<ipv4_address>().facts.name, default_scheme<ipv4_address>().facts.name);
    EXPECT_EQ(default_scheme_alone<ipv6_address>().facts.name, default_scheme<ipv6_address>().facts.name);
}

} // namespace
} // namespace fingerpost::testing::of_maps
