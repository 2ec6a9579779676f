// ::ffff:a.b.c.d and a.b.c.d in a map, its snapshots and its image, compared with a scan over all prefixes.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "fingerpost/map/map_image.hpp"
#include "fingerpost/net/text.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing::of_mapped_addresses {
namespace {

using value_map = map<std::string>;

struct known {
    any_prefix where;
    std::string value;
};

template <class A>
const known* longest(const std::vector<known>& all, A a, unsigned least = 0) {
    const known* found = nullptr;
    for (const known& one : all)
        if (const auto* const p = std::get_if<prefix<A>>(&one.where);
            p != nullptr && p->length >= least && p->contains(a) &&
            (found == nullptr || p->length > std::get<prefix<A>>(found->where).length))
            found = &one;
    return found;
}
// The rule as docs/use/library.md states it.
const known* answering(const std::vector<known>& all, ipv4_address a) {
    const known* const four = longest(all, a);
    return four != nullptr ? four : longest(all, ipv6_address{u128{0xffff} << 32 | a.value}, 96);
}
const known* answering(const std::vector<known>& all, ipv6_address a) {
    const bool is_mapped = a.value >> 32 == 0xffff;
    const known* const four =
        is_mapped ? longest(all, ipv4_address{static_cast<std::uint32_t>(a.value)}) : nullptr;
    return four != nullptr ? four : longest(all, a);
}

class random_tables {
  public:
    explicit random_tables(std::uint64_t seed) : random_(seed) {}

    std::vector<known> table() {
        std::vector<known> all;
        const auto add = [&](any_prefix where) {
            for (const known& one : all)
                if (one.where == where)
                    return;
            all.push_back({where, std::to_string(below(5))});
        };
        const unsigned kinds = 1 + below(7);
        for (int i = 0; i < 6; ++i) {
            const auto base = ipv4_address{below(4) << 30 | below(64)};
            const auto four = ipv4_prefix::make(base, below(33));
            if ((kinds & 1) != 0 && four.length > 0)
                add(four);
            if ((kinds & 2) != 0)
                add(mapped(ipv4_prefix::make(base, below(33))));
        }
        for (const char* const text : {"::/0", "::/64", "::ffff:0:0/95", "2001:db8::/32"})
            if ((kinds & 4) != 0 && below(2) == 0)
                add(*parse_prefix<ipv6_address>(text));
        return all;
    }
    std::vector<ipv4_address> probes(const std::vector<known>& all) {
        std::vector<ipv4_address> made;
        for (const known& one : all) {
            const auto* const six = std::get_if<ipv6_prefix>(&one.where);
            const auto p = six != nullptr ? (is_ipv4_mapped(*six) ? unmapped(*six) : ipv4_prefix{})
                                          : std::get<ipv4_prefix>(one.where);
            for (const std::uint32_t number : {p.first().value, p.last().value, p.first().value - 1,
                                               p.last().value + 1, static_cast<std::uint32_t>(random_())})
                made.push_back({number});
        }
        return made;
    }
    bool coin() { return below(2) == 0; }

  private:
    unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

    std::mt19937_64 random_;
};

// All ways to query `in`, for addresses of one family.
template <class A, class Of>
void expect_rule(const Of& in, const std::vector<known>& all, const std::vector<A>& probes) {
    std::vector<const std::string*> out(probes.size());
    in.lookup(probes, out);
    for (std::size_t i = 0; i < probes.size(); ++i) {
        const known* const right = answering(all, probes[i]);
        const auto expect = [&](const std::string* found) {
            EXPECT_EQ(found == nullptr ? "none" : *found, right == nullptr ? "none" : right->value)
                << to_string(probes[i]);
        };
        expect(out[i]);
        expect(in.lookup(probes[i]));
        expect(in.lookup(any_address(probes[i])));
        const auto best = in.match(any_address(probes[i]));
        expect(best ? best->value : nullptr);
        EXPECT_EQ(best ? to_string(best->where) : "none",
                  right == nullptr ? "none" : to_string(right->where));
        const auto typed = in.match(probes[i]);
        expect(typed ? typed->value : nullptr);
        // In the form of the query.
        EXPECT_TRUE(!typed || typed->where.contains(probes[i])) << to_string(probes[i]);
    }
}

template <class Of>
void expect_rule(const Of& in, const std::vector<known>& all, const std::vector<ipv4_address>& four) {
    std::vector<ipv6_address> six{*parse_address<ipv6_address>("2001:db8::1"), {0}};
    for (const ipv4_address a : four)
        six.push_back(mapped(a));
    expect_rule<ipv4_address>(in, all, four);
    expect_rule<ipv6_address>(in, all, six);
}

} // namespace

TEST(mapped_addresses, InAMapItsSnapshotsAndItsImage) {
    for (std::uint64_t seed = 0; seed < scaled(300); ++seed) {
        SCOPED_TRACE(seed);
        random_tables tables(seed);
        const std::vector<known> all = tables.table();
        const auto probes = tables.probes(all);
        value_map made;
        auto changes = made.transaction();
        for (const known& one : all) {
            const bool is_single = tables.coin();
            const bool done = is_single ? made.insert_or_assign(one.where, one.value).has_value()
                                        : changes.insert_or_assign(one.where, one.value) == errc::ok;
            ASSERT_TRUE(done);
        }
        ASSERT_TRUE(changes.commit());
        expect_rule(made, all, probes);
        auto reader = made.reader();
        ASSERT_TRUE(reader);
        expect_rule(reader->pin(), all, probes);
        if (seed % 10 != 0)
            continue;
        const scratch_folder folder;
        ASSERT_FALSE(save_map(folder / "map", made).failed());
        const auto opened = map_image<std::string>::open(folder / "map");
        ASSERT_TRUE(opened);
        expect_rule(*opened, all, probes);
    }
}

TEST(mapped_addresses, OfRoutesThatGo) {
    value_map made;
    const auto set = [&](const char* text, const char* value) {
        if (detect_family(text) == family::ipv4)
            ASSERT_TRUE(made.insert_or_assign(*parse_prefix<ipv4_address>(text), value));
        else
            ASSERT_TRUE(made.insert_or_assign(*parse_prefix<ipv6_address>(text), value));
    };
    const ipv4_address four{0xc0000201};
    const auto found = [&](auto a) {
        const std::string* const value = made.lookup(a);
        return value == nullptr ? std::string("none") : *value;
    };
    set("::/0", "all");
    EXPECT_EQ(found(four), "none");
    EXPECT_EQ(found(mapped(four)), "all");
    set("::ffff:192.0.2.0/120", "all");
    EXPECT_EQ(found(four), "all") << "equal values are one object, but only one of the prefixes is for IPv4";
    set("192.0.0.0/16", "four");
    EXPECT_EQ(found(four), "four");
    EXPECT_EQ(found(mapped(four)), "four");
    ASSERT_EQ(made.erase(*parse_prefix<ipv4_address>("192.0.0.0/16")), errc::ok);
    EXPECT_EQ(*made.match(four)->value, "all");
    EXPECT_EQ(to_string(made.match(four)->where), "192.0.2.0/24");
    auto changes = made.transaction();
    ASSERT_EQ(changes.insert_or_assign(*parse_prefix<ipv6_address>("::ffff:192.0.2.1/128"), "one"), errc::ok);
    ASSERT_EQ(changes.erase(*parse_prefix<ipv6_address>("::ffff:192.0.2.0/120")), errc::ok);
    changes.rollback();
    EXPECT_EQ(found(four), "all");
    ASSERT_EQ(made.erase(*parse_prefix<ipv6_address>("::ffff:192.0.2.0/120")), errc::ok);
    EXPECT_EQ(found(four), "none");
    EXPECT_EQ(made.size(), 1U);
    made.reclaim();
}

} // namespace fingerpost::testing::of_mapped_addresses
