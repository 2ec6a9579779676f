// Reading a map while another thread changes it. A thread keeps a reader and takes a snapshot for each batch.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/map/map_queries.hpp"
#include "fingerpost/map/map_state.hpp"

namespace fingerpost {

template <class T, map_values Storage>
class map_reader;

namespace detail {

// The view() of a snapshot (map_queries.hpp).
template <class State>
struct snapshot_view {
    const State& of;
    const ip_snapshot& pinned;

    template <class A>
    next_hop hop_of(A a) const noexcept {
        return pinned.lookup(a);
    }
    template <class A>
    void hops_of(std::span<const A> in, std::span<next_hop> out) const noexcept {
        pinned.lookup(in, out);
    }
    template <class A>
    auto value_of(A a, next_hop hop) const noexcept {
        return of.value_of(a, hop);
    }
    bool has_mapped() const noexcept { return of.has_mapped(); }
    unsigned mapped_length(ipv6_address a, next_hop match) const noexcept {
        return of.mapped_length(a, match);
    }
    template <class A, class Ask>
    decltype(auto) with_routes(Ask ask) const {
        pinned.retain_later();
        return of.template with_routes<A>(ask);
    }
    template <class A>
    std::vector<route<A>> covered(const prefix<A>& p) const {
        pinned.retain_later();
        return of.covered(p);
    }
    std::size_t size() const noexcept { return of.size(); }
};

} // namespace detail

// One version of the map, pinned as long as this object lives. Values that it returned are valid as long,
// unless refresh() returns true. Destroy it after a batch, or call refresh() between batches.
//
// lookup() uses this version and is wait-free. The other queries use the current contents of the map, which
// may be newer. They share a lock with the writer. After such a query the snapshot retains all later versions
// too, and publication waits for it, so destroy it soon (docs/inside/live_table.md).
template <class T, map_values Storage>
class [[nodiscard]] map_snapshot : public map_queries<map_snapshot<T, Storage>, T> {
    using state = detail::map_state<T, Storage == map_values::shared>;

  public:
    // Moves to the newest version. Returns true if there was a newer one.
    bool refresh() noexcept { return pinned_.refresh(); }

  private:
    friend class map_queries<map_snapshot, T>;
    friend class map_reader<T, Storage>;

    map_snapshot(state& of, ip_snapshot pinned) noexcept : of_(&of), pinned_(std::move(pinned)) {}
    detail::snapshot_view<state> view() const noexcept { return {*of_, pinned_}; }

    state* of_;
    ip_snapshot pinned_;
};

// Must be used by one thread at a time, but may move to another thread. The map must outlive its readers.
template <class T, map_values Storage>
class [[nodiscard]] map_reader {
    using state = detail::map_state<T, Storage == map_values::shared>;

  public:
    // errc::out_of_memory.
    static expected<map_reader> make(state& of) noexcept {
        auto by = of.live().reader();
        if (!by)
            return unexpected{by.error()};
        return map_reader(of, std::move(*by));
    }

    // Wait-free. While the reader has a snapshot, another snapshot pins the same version.
    map_snapshot<T, Storage> pin() noexcept { return {*of_, by_.pin()}; }

  private:
    map_reader(state& of, ip_reader by) noexcept : of_(&of), by_(std::move(by)) {}

    state* of_;
    ip_reader by_;
};

} // namespace fingerpost
