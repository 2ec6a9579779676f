// Binary search on prefixes: finds the longest match by a search among the end points of all routes, with
// answers computed in advance.
//
// Idea. Every route is a range of addresses. The first and last addresses of all routes, sorted, are points.
// All addresses between two neighbouring points have one answer, and a point has an answer of its own. So
// each point stores two answers, and a lookup searches for the first point that is not below the address.
//
//     routes        10.0.0.0/8 A                10.1.0.0/16 B
//     points        10.0.0.0   10.1.0.0   10.1.255.255   10.255.255.255   255.255.255.255
//     below it      -          A          B              A                -
//     equal to it   A          B          B              A                -
//
// The scheme itself is a multiway search, as the paper recommends: a node is a cache line of keys, 16 of 32
// bits or 8 of 64. Level 0 is the sorted column of points; key i of each level above is the largest key of
// node i below. A front array over the first 16 bits stores the ranks of the points of each slot; a lookup
// starts on the lowest level that has all of these in one node. The variant `binary` is the plain binary
// search.
//
//     front    [ rank of the first point of each slot, 2^16 + 1 ]
//     level 2  |   node   |
//     level 1  | node | node | node | ...
//     level 0  | node | node | node | node | ...       the points
//     codes    | below, equal | below, equal | ...     2 or 4 bytes each
//
// Addresses of more than 64 bits have two columns. The first one is searched as above. If it contains the
// address's first half, a binary search follows in the second column, among the points with that first half;
// each point stores the rank behind these.
//
// Lookup: 1 line of the front array, 2 to 3 nodes of IPv4 and 5 to 6 of IPv6, 1 line of codes. A batch takes
// each step for as many addresses as the instruction set has lanes, without a branch on data.
// Update: none; a change needs a new build.
// Limits: 2^32 - 1 points, at most two for a route.
//
// Source: B. Lampson, V. Srinivasan, G. Varghese, IP lookups using multiway and multicolumn search, IEEE/ACM
// Transactions on Networking 7(3), 1999.
//
// Tested by: the suites over the registry, and tests/schemes/binary_search_on_prefixes.
// Read in this order: binary_search_on_prefixes.hpp, view.hpp, points.hpp, halving.hpp, kernels.inl.hpp,
// kernels.cpp, inspect.hpp, entries.{hpp,cpp}.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/scheme.hpp"
#include "fingerpost/schemes/binary_search_on_prefixes/halving.hpp"
#include "fingerpost/schemes/binary_search_on_prefixes/inspect.hpp"
#include "fingerpost/schemes/binary_search_on_prefixes/points.hpp"
#include "fingerpost/schemes/binary_search_on_prefixes/view.hpp"

namespace fingerpost::binary_search_on_prefixes {

enum class search { multiway, binary };

template <class A, search Search = search::multiway>
class fib {
    static constexpr bool has_tree = Search == search::multiway;
    static constexpr unsigned front_bits = has_tree ? std::min(A::bits, 16u) : 0;
    using wide = wide_address<A>;
    using key = column_key<wide>;
    static constexpr bool has_second = wide::bits == 128;

  public:
    // Refuses more than `most` points; fewer than 2^32 - 1 are for tests.
    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               std::size_t most = 0xffffffff) {
        fib built;
        std::vector<next_hop> hops;
        hops.reserve(table.size());
        for (const route<A>& r : table.sorted())
            hops.push_back(r.hop);
        built.codec_ = next_hop_codec::choose(hops, 2);
        const point_list<A> points = end_points(table.sorted(), built.codec_);
        check_size(points.size(), most, "end points");
        built.count_ = to_u32(points.size(), "end points");
        built.kernels_ = &kernels_of(options.isa).template of<wide>();
        for (const auto fill : {&fib::fill_columns, &fib::fill_levels, &fib::fill_front, &fib::fill_codes})
            if (const errc failure = (built.*fill)(points); failure != errc::ok)
                return unexpected{failure};
        built.set_view();
        return built;
    }

    next_hop lookup(A a) const noexcept {
        if constexpr (has_tree)
            return codec_.decode(kernels_->single[width()](view_, widen(a)));
        else {
            std::uint32_t number;
            find_each<1>(&a, &number);
            return codec_.decode(number);
        }
    }

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        auto* const numbers = reinterpret_cast<std::uint32_t*>(out.data());
        if constexpr (has_tree)
            for_each_wide_piece(in, [&](const wide* piece, std::size_t from, std::size_t count) {
                kernels_->batch[width()](view_, piece, numbers + from, count);
            });
        else
            halve_batch(in, numbers);
        codec_.decode(out.first(in.size()));
    }

    std::size_t memory_bytes() const noexcept { return total_bytes(inspect().parts()); }

    next_hop trace(A a, step_visitor each) const { return inspect().trace(a, each); }
    std::vector<memory_part> memory_parts() const {
        const auto all = inspect().parts();
        return {all.begin(), all.end()};
    }
    void visit(node_visitor<A> each) const { inspect().visit(each); }

  private:
    static constexpr unsigned lanes = 16; // of the plain search

    inspector<A, front_bits> inspect() const noexcept {
        return {.count = count_,
                .level_keys = level_keys(),
                .front_size = front_.size(),
                .code_bytes = codec_.bytes(),
                .view = view_,
                .codec = codec_};
    }
    std::size_t width() const noexcept { return codec_.bytes() == 2 ? 0 : 1; }
    std::array<std::size_t, most_levels<key>> level_keys() const noexcept {
        std::array<std::size_t, most_levels<key>> sizes{};
        for (std::size_t i = 0; i < sizes.size(); ++i)
            sizes[i] = levels_[i].size();
        return sizes;
    }
    static key key_of(A a) noexcept { return first_column(widen(a)); }
    key bias() const noexcept { return has_tree ? kernels_->bias : 0; }

    errc fill_columns(const point_list<A>& points) {
        // Whole nodes, because a node is compared as one.
        const std::size_t room = has_tree ? padded(count_) : count_;
        auto made = aligned_array<key>::make(room);
        if (!made)
            return made.error();
        levels_[0] = std::move(*made);
        for (std::size_t i = 0; i < count_; ++i)
            levels_[0][i] = key_of(points.keys[i]) ^ bias();
        std::fill(levels_[0].begin() + count_, levels_[0].end(), static_cast<key>(~key{0} ^ bias()));
        if constexpr (has_second) {
            auto second = aligned_array<std::uint64_t>::make(count_);
            auto ends = aligned_array<std::uint32_t>::make(count_);
            if (!second || !ends)
                return errc::out_of_memory;
            for (std::uint32_t i = count_; i-- > 0;) {
                (*second)[i] = bottom64(widen(points.keys[i]));
                const bool in_run = i + 1 < count_ && key_of(points.keys[i]) == key_of(points.keys[i + 1]);
                (*ends)[i] = in_run ? (*ends)[i + 1] : i + 1;
            }
            second_ = std::move(*second);
            run_ends_ = std::move(*ends);
        }
        return errc::ok;
    }
    // Adds levels above the points until one node is enough.
    errc fill_levels(const point_list<A>&) {
        if constexpr (has_tree) {
            constexpr std::size_t node = node_keys<key>;
            for (std::size_t level = 1; levels_[level - 1].size() > node; ++level) {
                const auto& below = levels_[level - 1];
                const std::size_t keys = below.size() / node;
                auto made = aligned_array<key>::make(padded(keys));
                if (!made)
                    return made.error();
                for (std::size_t i = 0; i < keys; ++i)
                    (*made)[i] = below[(i + 1) * node - 1];
                std::fill(made->begin() + keys, made->end(), static_cast<key>(~key{0} ^ bias()));
                levels_[level] = std::move(*made);
            }
        }
        return errc::ok;
    }
    errc fill_front(const point_list<A>& points) {
        if constexpr (has_tree) {
            auto made = aligned_array<std::uint32_t>::make((std::size_t{1} << front_bits) + 1);
            if (!made)
                return made.error();
            std::size_t slot = 0;
            for (std::uint32_t i = 0; i < count_; ++i)
                for (const std::size_t of = slice(points.keys[i], 0, front_bits); slot <= of; ++slot)
                    (*made)[slot] = i;
            std::fill(made->begin() + slot, made->end(), count_ - 1);
            front_ = std::move(*made);
        }
        return errc::ok;
    }
    errc fill_codes(const point_list<A>& points) {
        auto made = aligned_array<std::byte>::make(std::size_t{count_} * 2 * codec_.bytes());
        if (!made)
            return made.error();
        codes_ = std::move(*made);
        const auto fill = [&](auto* codes) {
            using code = std::remove_reference_t<decltype(*codes)>;
            for (std::size_t i = 0; i < count_; ++i) {
                codes[2 * i] = static_cast<code>(points.below[i]);
                codes[2 * i + 1] = static_cast<code>(points.equal[i]);
            }
        };
        if (codec_.bytes() == 2)
            fill(reinterpret_cast<std::uint16_t*>(codes_.data()));
        else
            fill(reinterpret_cast<std::uint32_t*>(codes_.data()));
        return errc::ok;
    }
    void set_view() noexcept {
        for (std::size_t i = 0; i < levels_.size(); ++i)
            view_.level[i] = levels_[i].data();
        view_.front = front_.data();
        view_.front_shift = sizeof(key) * 8 - front_bits;
        view_.bias = bias();
        view_.codes = codes_.data();
        view_.second = second_.data();
        view_.run_ends = run_ends_.data();
    }
    static std::size_t padded(std::size_t keys) noexcept {
        return (keys + node_keys<key> - 1) / node_keys<key> * node_keys<key>;
    }

    void halve_batch(std::span<const A> in, std::uint32_t* out) const noexcept {
        std::size_t done = 0;
        for (; done + lanes <= in.size(); done += lanes)
            find_each<lanes>(in.data() + done, out + done);
        for (const A& a : in.subspan(done))
            find_each<1>(&a, out + done++);
    }
    std::uint32_t number_at(std::size_t at) const noexcept {
        return codec_.bytes() == 2 ? reinterpret_cast<const std::uint16_t*>(codes_.data())[at] - 1u
                                   : reinterpret_cast<const std::uint32_t*>(codes_.data())[at] - 1u;
    }
    // Writes codes minus one for this many addresses, by binary search.
    template <unsigned Lanes>
    void find_each(const A* in, std::uint32_t* out) const noexcept {
        std::array<key, Lanes> sought;
        std::array<std::size_t, Lanes> ranks;
        for (unsigned i = 0; i < Lanes; ++i)
            sought[i] = key_of(in[i]);
        find_by_halving<Lanes>(levels_[0].data(), count_, sought.data(), ranks.data());
        for (unsigned i = 0; i < Lanes; ++i) {
            bool equal = levels_[0][ranks[i]] == sought[i];
            if constexpr (has_second)
                if (equal) {
                    const std::uint64_t rest = bottom64(widen(in[i]));
                    const std::uint32_t end = run_ends_[ranks[i]];
                    ranks[i] = find_in_run(second_.data(), static_cast<std::uint32_t>(ranks[i]), end, rest);
                    equal = ranks[i] < end && second_[ranks[i]] == rest;
                }
            out[i] = number_at(2 * ranks[i] + (equal ? 1 : 0));
        }
    }

    std::array<aligned_array<key>, most_levels<key>> levels_;
    aligned_array<std::uint32_t> front_;
    aligned_array<std::byte> codes_;
    aligned_array<std::uint64_t> second_;
    aligned_array<std::uint32_t> run_ends_;
    points_view<wide> view_;
    const point_kernels<wide>* kernels_ = nullptr;
    std::uint32_t count_ = 0;
    next_hop_codec codec_;
};

} // namespace fingerpost::binary_search_on_prefixes
