// Packs many tiny universes into one large table, each below its own base, so that one build tests thousands
// of tables.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "tests/oracle/by_length.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/tables/tiny_universe.hpp"

namespace fingerpost::testing {

// One table of a tiny universe: tiny_universe::at(number, pattern).
struct tiny_table {
    std::size_t number;
    std::size_t pattern;
};

// A table of width A::bits with its probes and their answers. The answers come from the tiny tables, address
// by address, and not from a lookup in the wide table.
template <class A>
struct packed {
    table<A> routes;
    std::vector<A> addresses;
    std::vector<next_hop> answers;
};

// Places five-bit universes at bits [offset, offset + 5) of addresses. The `offset` bits above are the base,
// which differs for each universe. The probes have all zeros and all ones in the bits below.
template <class A>
class universe_packer {
  public:
    universe_packer(const tiny_universe<5>& universe, unsigned offset, random_numbers& random)
        : universe_(universe), offset_(offset), below_(A::bits - offset - 5), random_(random) {}

    // Number of universes that fit into one table.
    std::size_t room() const { return offset_ < 20 ? std::size_t{1} << offset_ : std::size_t{1} << 20; }

    // `background` is the next hop of the default route; `none` means no default route. At offset 0 the
    // universe is the whole space, so there is no background.
    packed<A> pack(std::span<const tiny_table> tables, next_hop background) {
        packed<A> out;
        if (offset_ == 0)
            background = next_hop::none;
        if (background != next_hop::none)
            out.routes.push_back({{}, background});
        const std::vector<u128> bases = choose_bases(tables.size());
        for (std::size_t i = 0; i < bases.size(); ++i) {
            // The last address before this universe and the first one after it, unless they belong to a
            // neighbouring universe.
            if (bases[i] > 0 && (i == 0 || bases[i - 1] != bases[i] - 1))
                probe(out, bases[i] - 1, 31, true, background);
            add(out, bases[i], tables[i], static_cast<std::uint32_t>(i % 3), background);
            if (bases[i] < last_base() && (i + 1 == bases.size() || bases[i + 1] != bases[i] + 1))
                probe(out, bases[i] + 1, 0, false, background);
        }
        return out;
    }

  private:
    using tiny_address = address<5>;
    using value = typename A::value_type;

    u128 last_base() const { return low_mask<u128>(offset_); }

    // 1/3 of the bases are consecutive; the others are spread over the space, including both of its ends. In
    // a small space all are consecutive.
    std::vector<u128> choose_bases(std::size_t count) {
        std::set<u128> chosen;
        const u128 all = offset_ < 127 ? u128{1} << offset_ : ~u128{0};
        const std::size_t together = all / 4 < count ? count : count / 3;
        const u128 start = random_.template address<address<128>>().value % (all - together + 1);
        for (std::size_t i = 0; i < together; ++i)
            chosen.insert(start + i);
        for (const u128 near : {0, 1, 2}) {
            if (chosen.size() < count)
                chosen.insert(near & last_base());
            if (chosen.size() < count)
                chosen.insert(last_base() - (near & last_base()));
        }
        while (chosen.size() < count)
            chosen.insert(random_.template address<address<128>>().value & last_base());
        return {chosen.begin(), chosen.end()};
    }
    void add(packed<A>& out, u128 base, const tiny_table& which, std::uint32_t shift, next_hop background) {
        const table<tiny_address> small = universe_.at(which.number, which.pattern);
        for (const auto& [where, hop] : small)
            out.routes.push_back({leading<A>(base << where.length | slice(where.base, 0, where.length),
                                             offset_ + where.length),
                                  {hop.id + shift}});
        const oracle::by_length<tiny_address> right(small);
        for (std::uint32_t v = 0; v < 32; ++v) {
            const next_hop inner = right.lookup({v});
            const next_hop answer = inner == next_hop::none ? background : next_hop{inner.id + shift};
            probe(out, base, v, false, answer);
            if (below_ > 0)
                probe(out, base, v, true, answer);
        }
    }
    void probe(packed<A>& out, u128 base, std::uint32_t v, bool ones_below, next_hop answer) {
        const u128 above = shift_left(base << 5 | v, below_);
        out.addresses.push_back(A{static_cast<value>(above | (ones_below ? low_mask<u128>(below_) : 0))});
        out.answers.push_back(answer);
    }

    const tiny_universe<5>& universe_;
    unsigned offset_;
    unsigned below_;
    random_numbers& random_;
};

} // namespace fingerpost::testing
