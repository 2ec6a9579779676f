// How a thread reads a map that another one changes: it keeps a reader, and takes a snapshot for each batch.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/map/map_state.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost {

template <class T, map_values kept>
class map_reader;

// One version of the map, for as long as this object lives. Values that it gave out live as long, unless
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
    // Of an address as text.
    expected<const T*, text_error> lookup(std::string_view a) const noexcept {
        const auto address = parse_address(a);
        return address ? expected<const T*, text_error>(lookup(*address)) : unexpected{address.error()};
    }
    // `out` is at least as long as `in`.
    void lookup(std::span<const ipv4_address> in, std::span<const T*> out) const noexcept {
        of_->lookup(pinned_, in, out);
        detail::ask_other_forms(*of_, in, out, hops());
    }
    void lookup(std::span<const ipv6_address> in, std::span<const T*> out) const noexcept {
        of_->lookup(pinned_, in, out);
        detail::ask_other_forms(*of_, in, out, hops());
    }
    // Moves to the newest version; true if there was a newer one.
    bool refresh() noexcept { return pinned_.refresh(); }

    // The exact queries of map.
    std::size_t size() const noexcept { return of_->live().size(); }
    template <map_prefix P>
    const T* find(const P& p) const noexcept {
        pinned_.retain_later();
        return detail::by_family(p, [&](const auto& q) { return of_->find(q); });
    }
    template <map_address A>
    std::optional<entry<detail::prefix_for<A>>> match(const A& a) const noexcept {
        pinned_.retain_later();
        // Exact as the rest of it.
        return detail::match_in<A>(*of_, a, [this](auto b) { return of_->exact_hop_of(b); });
    }
    // Throw std::bad_alloc.
    template <map_prefix P>
    std::vector<entry<P>> covering(const P& p) const {
        pinned_.retain_later();
        return detail::by_family(p, [&](const auto& q) { return of_->template covering<P>(q); });
    }
    template <map_prefix P>
    std::vector<entry<P>> covered(const P& p) const {
        pinned_.retain_later();
        return detail::by_family(p, [&](const auto& q) { return of_->template covered<P>(q); });
    }

  private:
    friend class map_reader<T, kept>;

    map_snapshot(state& of, ip_snapshot pinned) noexcept : of_(&of), pinned_(std::move(pinned)) {}
    auto hops() const noexcept {
        return [this](auto a) { return pinned_.lookup(a); };
    }

    state* of_;
    ip_snapshot pinned_;
};

// For one thread at a time, and may move to another. The map must outlive its readers.
template <class T, map_values kept>
class [[nodiscard]] map_reader {
    using state = detail::map_state<T, kept == map_values::shared>;

  public:
    // errc::out_of_memory.
    static expected<map_reader> make(state& of) noexcept {
        auto by = of.live().reader();
        if (!by)
            return unexpected{by.error()};
        return map_reader(of, std::move(*by));
    }

    // Wait-free. While the reader has a snapshot, another one shows the same version.
    map_snapshot<T, kept> pin() noexcept { return {*of_, by_.pin()}; }

  private:
    map_reader(state& of, ip_reader by) noexcept : of_(&of), by_(std::move(by)) {}

    state* of_;
    ip_reader by_;
};

} // namespace fingerpost
