// Binary search on prefixes: a search among the end points of all routes, with precomputed answers.
//
// Every route is a range of addresses. The points are the first and last addresses of all routes in ascending
// order. All addresses between two neighbouring points have the same answer, and a point itself may have
// another. So each point stores two answers, and a lookup searches for the first point that is not below the
// address.
//
//     routes        10.0.0.0/8 A                10.1.0.0/16 B
//     points        10.0.0.0   10.1.0.0   10.1.255.255   10.255.255.255   255.255.255.255
//     below it      -          A          B              A                -
//     equal to it   A          B          B              A                -
//
// The main form is a multiway search, as the paper recommends: a node is a cache line of keys, 16 of 32 bits
// or 8 of 64. Level 0 has the points in ascending order; key i of each level above is the largest key of node
// i below. A front array over the first 16 bits stores the ranks of the points of each slot; a lookup starts
// on the lowest level at which one node has all of these. The variant `binary` is the plain binary search.
//
//     front    [ rank of the first point of each slot, 2^16 + 1 ]
//     level 2  |   node   |
//     level 1  | node | node | node | ...
//     level 0  | node | node | node | node | ...       the points
//     codes    | below, equal | below, equal | ...     2 or 4 bytes each
//
// Addresses of more than 64 bits have two columns. The first column is searched as above. If it contains the
// address's first half, a binary search in the second column follows, among the points with that first half.
// Each point stores the rank after the last of these.
//
// Lookup: 1 line of the front array, 2 to 3 nodes of IPv4 and 5 to 6 of IPv6, 1 line of codes. A batch takes
// each step for all lanes of a vector, without a branch on data. Update: not supported; a live table rebuilds
// the FIB. Limits: 2^32 - 1 points, at most two for each route.
//
// Source: B. Lampson, V. Srinivasan, G. Varghese, IP lookups using multiway and multicolumn search, IEEE/ACM
// Transactions on Networking 7(3), 1999.
//
// Tested by: the registry's suites and tests/schemes/binary_search_on_prefixes. Reading order:
// binary_search_on_prefixes.hpp, view.hpp, points.hpp, halving.hpp, kernels.inl.hpp, kernels.cpp, visit.hpp,
// entries.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/scheme.hpp"
#include "fingerpost/schemes/binary_search_on_prefixes/halving.hpp"
#include "fingerpost/schemes/binary_search_on_prefixes/points.hpp"
#include "fingerpost/schemes/binary_search_on_prefixes/view.hpp"
#include "fingerpost/schemes/binary_search_on_prefixes/visit.hpp"

namespace fingerpost::binary_search_on_prefixes {

enum class search { multiway, binary };

template <class A, search Search = search::multiway>
class fib : public laid_out<fib<A, Search>, A> {
    friend laid_out<fib, A>;
    static constexpr bool has_tree = Search == search::multiway;
    static constexpr unsigned front_bits = has_tree ? std::min(A::bits, 16u) : 0;
    using wide = wide_address<A>;
    using key = column_key<wide>;
    static constexpr bool has_second = wide::bits == 128;
    static constexpr key bias = has_tree ? simd::bias_of<key> : 0;
    static constexpr key padding = static_cast<key>(~key{0} ^ bias);
    static constexpr std::size_t node = node_keys<key>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("points", of.points_);
        visit("levels", of.levels_);
        visit("front", of.front_);
        visit("second halves", of.second_);
        visit("run ends", of.run_ends_);
        visit("codes", of.codes_);
        visit("next hops", of.codec_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        const key sought = key_of(a);
        std::size_t rank = 0;
        if constexpr (has_tree)
            rank = find_in_tree(read, sought);
        else
            find_by_halving<A, 1>(read, points_.data(), count_, &sought, &rank);
        return read.answer(codec_.decoder(), number_of(read, a, rank));
    }

    // Fails with more than `most` points. Tests pass a limit below 2^32 - 1.
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
        if (!built.allocate())
            return unexpected{errc::out_of_memory};
        built.fill(points);
        built.ready(options);
        return built;
    }

    next_hop lookup(A a) const noexcept {
        if constexpr (has_tree)
            return codec_.decode(kernels_->single[width()](view_, widen(a)));
        else
            return find(plain_reads{}, a);
    }

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        auto* const numbers = reinterpret_cast<std::uint32_t*>(out.data());
        if constexpr (has_tree) {
            for_each_wide_piece(in, [&](const wide* piece, std::size_t from, std::size_t count) {
                kernels_->batch[width()](view_, piece, numbers + from, count);
            });
            codec_.decode(out.first(in.size()));
        } else {
            std::size_t done = 0;
            for (; done + lanes <= in.size(); done += lanes)
                halve_block(in.data() + done, numbers + done);
            codec_.decode(out.first(done));
            for (; done < in.size(); ++done)
                out[done] = lookup(in[done]);
        }
    }

    void visit(node_visitor<A> each) const {
        structure<A, front_bits>{.count = count_,
                                 .level_keys = sizes(),
                                 .code_bytes = codec_.bytes(),
                                 .view = view_,
                                 .codec = codec_}
            .visit(each);
    }

    // Everything derived from the points must be consistent, so that a search ends at the first point that is
    // not below the address. No address is above the last point.
    void check(const layout_check& in) {
        count_ = codec_.bytes() < 2 ? 0 : to_u32(codes_.size() / codec_.bytes() / 2, "end points");
        in.require(count_ > 0 && codes_.size() == std::size_t{count_} * 2 * codec_.bytes(), nullptr,
                   "wrong number of codes");
        const std::size_t halves = has_second ? count_ : 0;
        in.require(points_.size() == sizes()[0] && levels_.size() == keys_above() &&
                       front_.size() == front_size() && second_.size() == halves &&
                       run_ends_.size() == halves,
                   nullptr, "an array does not match the number of points");
        make_view();
        for (std::size_t i = 0; i + 1 < points_.size(); ++i)
            in.require((points_[i] ^ bias) <= (points_[i + 1] ^ bias), &points_[i],
                       "points are not in ascending order");
        in.require(!(point(count_ - 1) < widen(A::last())), &points_[count_ - 1],
                   "the last point is not the last address");
        for_each_inner([&](key& at, key of_below) {
            in.require(at == of_below, &at, "a key of a level is missing on the level below");
        });
        for_each_slot([&](std::uint32_t& at, std::uint32_t rank) {
            in.require(at == rank, &at, "a slot of the front has a wrong first point");
        });
        for_each_run([&](std::uint32_t& at, std::uint32_t end) {
            in.require(at == end, &at, "a run of equal halves has a wrong end");
        });
        for (std::size_t i = 0; i < std::size_t{count_} * 2; ++i)
            in.is_code(codec_, read_code(plain_reads{}, i), &codes_[i * codec_.bytes()]);
    }
    void ready(const build_options& options) noexcept {
        make_view();
        kernels_ = &kernels_of(options.isa).template of<wide>();
    }

  private:
    static constexpr unsigned lanes = 16; // lanes of the plain search

    std::size_t width() const noexcept { return codec_.bytes() == 2 ? 0 : 1; }
    static key key_of(A a) noexcept { return first_column(widen(a)); }
    wide point(std::size_t rank) const noexcept {
        const auto first = static_cast<key>(points_[rank] ^ bias);
        if constexpr (has_second)
            return from_halves<wide>(first, second_[rank]);
        else
            return wide{first};
    }
    // Level sizes in keys. They are whole nodes, because a search compares whole nodes.
    std::array<std::size_t, most_levels<key>> sizes() const noexcept {
        if constexpr (has_tree)
            return keys_of_levels<key>(count_);
        else
            return {count_};
    }
    std::size_t keys_above() const noexcept {
        const auto keys = sizes();
        return std::accumulate(keys.begin() + 1, keys.end(), std::size_t{0});
    }
    static constexpr std::size_t front_size() noexcept {
        return has_tree ? (std::size_t{1} << front_bits) + 1 : 0;
    }

    bool allocate() noexcept {
        const auto make = [](auto& array, std::size_t size) {
            auto new_array = std::remove_reference_t<decltype(array)>::make(size);
            if (new_array)
                array = std::move(*new_array);
            return new_array.has_value();
        };
        const std::size_t halves = has_second ? count_ : 0;
        return make(points_, sizes()[0]) && make(levels_, keys_above()) && make(front_, front_size()) &&
               make(second_, halves) && make(run_ends_, halves) &&
               make(codes_, std::size_t{count_} * 2 * codec_.bytes());
    }
    void fill(const point_list<A>& points) noexcept {
        for (std::size_t i = 0; i < count_; ++i) {
            points_[i] = key_of(points.keys[i]) ^ bias;
            if constexpr (has_second)
                second_[i] = bottom64(widen(points.keys[i]));
            for (const bool equal : {false, true}) {
                const std::uint32_t code = equal ? points.equal[i] : points.below[i];
                if (codec_.bytes() == 2)
                    reinterpret_cast<std::uint16_t*>(codes_.data())[2 * i + equal] =
                        static_cast<std::uint16_t>(code);
                else
                    reinterpret_cast<std::uint32_t*>(codes_.data())[2 * i + equal] = code;
            }
        }
        std::fill(points_.begin() + count_, points_.end(), padding);
        make_view();
        const auto set = [](auto& at, auto value) { at = value; };
        for_each_inner(set);
        for_each_slot(set);
        for_each_run(set);
    }
    // Calls each(key, value) for the keys of the levels above the points, the lowest level first.
    template <class Each>
    void for_each_inner(Each each) {
        const auto keys = sizes();
        const key* below = points_.data();
        key* at = levels_.data();
        for (std::size_t level = 1; level < keys.size() && keys[level] != 0; ++level) {
            key* const first = at;
            for (std::size_t i = 0; i < keys[level]; ++i)
                each(*at++, i < keys[level - 1] / node ? below[(i + 1) * node - 1] : padding);
            below = first;
        }
    }
    // Calls each(slot, rank) for each slot of the front in order. Slots after the last point get its rank.
    template <class Each>
    void for_each_slot(Each each) {
        std::uint32_t rank = 0;
        for (std::size_t slot = 0; slot < front_.size(); ++slot) {
            while (rank + 1 < count_ && (points_[rank] ^ bias) >> view_.front_shift < slot)
                ++rank;
            each(front_[slot], rank);
        }
    }
    // Calls each(end, rank) for each point, the last one first.
    template <class Each>
    void for_each_run(Each each) {
        std::uint32_t end = count_;
        for (std::size_t i = run_ends_.size(); i-- > 0;) {
            if (i + 1 < count_ && points_[i] != points_[i + 1])
                end = static_cast<std::uint32_t>(i + 1);
            each(run_ends_[i], end);
        }
    }
    void make_view() noexcept {
        view_ = {.front = front_.data(),
                 .front_shift = sizeof(key) * 8 - front_bits,
                 .codes = codes_.data(),
                 .second = second_.data(),
                 .run_ends = run_ends_.data()};
        view_.level[0] = points_.data();
        const key* at = levels_.data();
        const auto keys = sizes();
        for (std::size_t level = 1; level < keys.size() && keys[level] != 0; at += keys[level++])
            view_.level[level] = at;
    }

    template <class Read>
    std::size_t find_in_tree(Read& read, key sought) const {
        const std::uint32_t* const slot = read(view_.front, sought >> view_.front_shift, 2);
        read.tell([](auto& step) { step.looks_at(0, front_bits); });
        constexpr unsigned shift = node_shift<key>;
        unsigned level = (static_cast<unsigned>(std::bit_width(slot[0] ^ slot[1])) + shift - 1) / shift;
        std::size_t rank = shift_right(slot[0], shift * level);
        while (level-- > 0) {
            const key* const keys = read(view_.level[level], rank * node, node);
            rank *= node;
            for (std::size_t k = 0; k < node; ++k)
                rank += (keys[k] ^ bias) < sought ? 1 : 0;
            read.tell([&](auto& step) {
                step.looks_at(0, 64);
                step.compares_keys(in_step<A>(sought), {});
                for (std::size_t k = 0; k < node; ++k)
                    step.held.push_back(in_step<A>(keys[k] ^ bias));
            });
        }
        return rank;
    }
    template <class Read>
    std::uint32_t read_code(Read&& read, std::size_t place) const {
        if (codec_.bytes() == 2)
            return read(static_cast<const std::uint16_t*>(view_.codes), place);
        return read(static_cast<const std::uint32_t*>(view_.codes), place);
    }
    // The code minus one of an address; `rank` is that of the first point whose first half is not below the
    // address's.
    template <class Read>
    std::uint32_t number_of(Read&& read, A a, std::size_t rank) const {
        const bool equal = points_[rank] == (key_of(a) ^ bias);
        std::size_t place = 2 * rank + (equal ? 1 : 0);
        if constexpr (has_second)
            if (equal)
                place = place_in_run(view_, read, rank, bottom64(widen(a)));
        const std::uint32_t code = read_code(read, place);
        read.tell([&](auto& step) { step.key = place / 2; });
        return code - 1;
    }
    // Writes the code minus one of each address, by plain binary search.
    void halve_block(const A* in, std::uint32_t* out) const noexcept {
        std::array<key, lanes> sought;
        std::array<std::size_t, lanes> ranks;
        for (unsigned i = 0; i < lanes; ++i)
            sought[i] = key_of(in[i]);
        find_by_halving<A, lanes>(plain_reads{}, points_.data(), count_, sought.data(), ranks.data());
        for (unsigned i = 0; i < lanes; ++i)
            out[i] = number_of(plain_reads{}, in[i], ranks[i]);
    }

    aligned_array<key> points_;
    aligned_array<key> levels_; // levels above the points, the lowest first
    aligned_array<std::uint32_t> front_;
    aligned_array<std::uint64_t> second_;
    aligned_array<std::uint32_t> run_ends_;
    aligned_array<std::byte> codes_;
    points_view<wide> view_;
    const point_kernels<wide>* kernels_ = nullptr;
    std::uint32_t count_ = 0;
    next_hop_codec codec_;
};

} // namespace fingerpost::binary_search_on_prefixes
