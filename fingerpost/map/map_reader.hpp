// How a thread reads a map that another one changes: it keeps a reader, and takes a snapshot for each batch.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/map/map_state.hpp"

namespace fingerpost {

template <class T, map_values kept>
class map_reader;

// One version of each family, for as long as this object lives. Values that it gave out live as long, unless
// refresh() returns true. So destroy it after a batch, or refresh() it between batches.
//
// lookup() answers from this version, wait-free. The exact queries answer with what is in the map now, which
// may be newer. They share a lock with the writer, and a snapshot that has asked one retains all later
// versions too: such a snapshot must be short, as publication waits for it (docs/inside/live_table.md).
template <class T, map_values kept>
class [[nodiscard]] map_snapshot {
    using state = detail::map_state<T, kept == map_values::shared>;

  public:
    template <class P>
    using entry = map_entry<P, T>;

    // Null if no prefix matches.
    template <map_address A>
    const T* lookup(const A& a) const noexcept {
        return detail::lookup_in(*of_, a, hops());
    }
    // `out` is at least as long as `in`.
    void lookup(std::span<const ipv4_address> in, std::span<const T*> out) const noexcept {
        of_->ipv4.lookup(ipv4_, in, out);
        detail::ask_other_forms(*of_, in, out, hops());
    }
    void lookup(std::span<const ipv6_address> in, std::span<const T*> out) const noexcept {
        of_->ipv6.lookup(ipv6_, in, out);
        detail::ask_other_forms(*of_, in, out, hops());
    }
    // Moves to the newest versions; true if there was a newer one.
    bool refresh() noexcept {
        const bool four = ipv4_.refresh();
        return ipv6_.refresh() || four;
    }

    // The exact queries of map.
    std::size_t size() const noexcept { return of_->ipv4.live().size() + of_->ipv6.live().size(); }
    template <map_prefix P>
    const T* find(const P& p) const noexcept {
        retain_later();
        return detail::by_family(p, [&](const auto& q) { return of_->of(q.base).find(q); });
    }
    template <map_address A>
    std::optional<entry<detail::prefix_for<A>>> match(const A& a) const noexcept {
        retain_later();
        // Exact as the rest of it.
        return detail::match_in<A>(*of_, a, [this](auto b) { return of_->of(b).exact_hop_of(b); });
    }
    // Throw std::bad_alloc.
    template <map_prefix P>
    std::vector<entry<P>> covering(const P& p) const {
        retain_later();
        return detail::covering_in(*of_, p);
    }
    template <map_prefix P>
    std::vector<entry<P>> covered(const P& p) const {
        retain_later();
        return detail::covered_in(*of_, p);
    }

  private:
    friend class map_reader<T, kept>;

    map_snapshot(state& of, snapshot<ipv4_address> four, snapshot<ipv6_address> six) noexcept
        : of_(&of), ipv4_(std::move(four)), ipv6_(std::move(six)) {}
    auto hops() const noexcept {
        return [this](auto a) { return this->pinned(a).lookup(a); };
    }
    const snapshot<ipv4_address>& pinned(ipv4_address) const noexcept { return ipv4_; }
    const snapshot<ipv6_address>& pinned(ipv6_address) const noexcept { return ipv6_; }
    void retain_later() const noexcept {
        ipv4_.retain_later();
        ipv6_.retain_later();
    }

    state* of_;
    snapshot<ipv4_address> ipv4_;
    snapshot<ipv6_address> ipv6_;
};

// For one thread at a time, and may move to another. The map must outlive its readers.
template <class T, map_values kept>
class [[nodiscard]] map_reader {
    using state = detail::map_state<T, kept == map_values::shared>;

  public:
    // errc::out_of_memory.
    static expected<map_reader> make(state& of) noexcept {
        auto four = of.ipv4.live().reader();
        auto six = of.ipv6.live().reader();
        if (!four || !six)
            return unexpected{errc::out_of_memory};
        return map_reader(of, std::move(*four), std::move(*six));
    }

    // Wait-free. While the reader has a snapshot, another one shows the same version.
    map_snapshot<T, kept> pin() noexcept { return {*of_, ipv4_.pin(), ipv6_.pin()}; }

  private:
    map_reader(state& of, reader<ipv4_address> four, reader<ipv6_address> six) noexcept
        : of_(&of), ipv4_(std::move(four)), ipv6_(std::move(six)) {}

    state* of_;
    reader<ipv4_address> ipv4_;
    reader<ipv6_address> ipv6_;
};

} // namespace fingerpost
