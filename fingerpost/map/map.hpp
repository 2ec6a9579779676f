// A map from prefixes of both families to values of any type, with longest match: a live table that keeps the
// values itself.
//
//      map<std::string> sites;
//      sites.insert_or_assign(prefix, "Zurich");              one writer
//      const std::string* site = sites.lookup(address);       null without a route
//
//      auto reader = sites.reader();                          each reading thread
//      { auto now = reader->pin(); now.lookup(in, out); }     each batch
//
// A value is given out as a pointer and never changes while it is there: to change it, replace it. T needs
// neither a copy nor a default constructor; it may be move-only or not even that. Its destructor must not
// throw, and runs in a later call of the writer, when no reader sees the value any more.
//
// Threads. One thread at a time, the writer, changes the map. Meanwhile the others ask through a snapshot; of
// the map itself they may call reader() only. While no thread changes the map, any number of them may call
// what is const. A pointer that the writer got is valid until its prefix is replaced or erased, one from a
// snapshot until that snapshot ends or refresh() returns true. Lookups of a snapshot never wait; its other
// queries share a lock with the writer.
//
// Failures. A call that returns an error, or throws what T's constructor, comparison or hash throws, has
// not changed the map; a value that was given to be moved may have been moved from. Readers see all changes
// of one transaction at once.
//
// Links the default scheme and no other. Guide: docs/use/map.md.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fingerpost/base/owner.hpp"
#include "fingerpost/map/map_entry.hpp"
#include "fingerpost/map/map_queries.hpp"
#include "fingerpost/map/map_reader.hpp"
#include "fingerpost/map/map_state.hpp"
#include "fingerpost/map/map_transaction.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost {

template <class T, map_values kept = usual_map_values<T>>
class map : public map_queries<map<T, kept>, T> {
    static_assert(std::is_object_v<T> && !std::is_array_v<T> && std::same_as<T, std::remove_cv_t<T>>,
                  "a map keeps objects of a type without const");
    static_assert(std::is_nothrow_destructible_v<T>, "the destructor of a value must not throw");
    static_assert(kept == map_values::own || shareable_value<T>,
                  "values that are shared need operator== and std::hash");
    using state = detail::map_state<T, kept == map_values::shared>;

  public:
    using value_type = T;
    using snapshot_type = map_snapshot<T, kept>;
    using reader_type = map_reader<T, kept>;
    using transaction_type = map_transaction<T, kept>;
    using iterator = detail::map_iterator<state, T>;

    // An empty map. errc::unsupported: a map cannot be updated as `options` say; errc::invalid:
    // most_old_versions is 0; errc::out_of_memory.
    static expected<map> create(const map_options& options = {}) {
        auto made = detail::make_map_state<T, kept == map_values::shared>(options);
        if (!made)
            return unexpected{made.error()};
        return map(std::move(*made));
    }
    // The same with the usual options. Throws std::bad_alloc.
    map() : map(detail::map_state_or_throw<T, kept == map_values::shared>()) {}
    map(map&&) noexcept = default;
    map& operator=(map&&) noexcept = default;

    // A reader for the calling thread or another one; errc::out_of_memory. The map must outlive it.
    expected<reader_type> reader() noexcept { return reader_type::make(*state_); }

    // Each is a transaction of its own. `p` is an ipv4_prefix, an ipv6_prefix or an any_prefix; bits past its
    // length are cleared. errc::invalid for a length above the width, errc::out_of_memory, errc::capacity.
    //
    // True if the prefix is new, false if its value was replaced.
    template <map_prefix P, class Value>
        requires std::constructible_from<T, Value>
    [[nodiscard]] expected<bool> insert_or_assign(const P& p, Value&& value) {
        return detail::by_family(p,
                                 [&](const auto& q) { return state_->set(q, std::forward<Value>(value)); });
    }
    // With the prefix as text; errc::invalid too for a text that is none, of which parse_prefix() says why.
    template <class Value>
        requires std::constructible_from<T, Value>
    [[nodiscard]] expected<bool> insert_or_assign(std::string_view p, Value&& value) {
        const auto where = parse_prefix(p);
        return where ? insert_or_assign(*where, std::forward<Value>(value)) : unexpected{errc::invalid};
    }
    // True if T(parts...) is now there; false if the prefix had a value, which stays.
    template <map_prefix P, class... Parts>
        requires std::constructible_from<T, Parts...>
    [[nodiscard]] expected<bool> try_emplace(const P& p, Parts&&... parts) {
        if (this->find(p) != nullptr)
            return false;
        return detail::by_family(
            p, [&](const auto& q) { return state_->set(q, std::forward<Parts>(parts)...); });
    }
    // Sets the value of a prefix to what change(value) returns, a std::optional<T>; without a value erases
    // it. `value` is a const T*, null if the prefix is not there. True if something has changed.
    template <map_prefix P, class Change>
        requires std::convertible_to<std::invoke_result_t<Change, const T*>, std::optional<T>>
    [[nodiscard]] expected<bool> modify(const P& p, Change change) {
        const T* const before = this->find(p);
        std::optional<T> after = change(before);
        if (after) {
            const auto set = insert_or_assign(p, std::move(*after));
            return set ? expected<bool>(true) : unexpected{set.error()};
        }
        if (before == nullptr)
            return false;
        const errc failure = erase(p);
        return failure == errc::ok ? expected<bool>(true) : unexpected{failure};
    }
    // Sets all entries of another map or a map_image as one transaction.
    template <class Other>
    [[nodiscard]] errc merge(const map_queries<Other, T>& other);
    // errc::not_found if the prefix is not there.
    template <map_prefix P>
    [[nodiscard]] errc erase(const P& p) noexcept {
        return detail::by_family(p, [&](const auto& q) { return state_->erase(q); });
    }
    [[nodiscard]] errc erase(std::string_view p) noexcept {
        const auto where = parse_prefix(p);
        return where ? erase(*where) : errc::invalid;
    }
    // Erases all of it as one transaction.
    [[nodiscard]] errc clear();
    // Several changes that are made at once or not at all.
    transaction_type transaction() noexcept { return transaction_type(*state_); }

    // The same prefixes with equal values.
    friend bool operator==(const map& a, const map& b)
        requires requires(const T& value) {
            { value == value } -> std::convertible_to<bool>;
        }
    {
        if (a.size() != b.size())
            return false;
        auto at = b.begin();
        for (const auto& one : a) {
            if (one.where != (*at).where || !(*one.value == *(*at).value))
                return false;
            ++at;
        }
        return true;
    }
    // A map with copies of all values and the schemes of this one, updated by policy::automatic. Nothing is
    // shared, so it takes about as long as to fill the map. errc::out_of_memory, errc::capacity; throws what
    // copying T throws.
    expected<map> clone() const
        requires std::copy_constructible<T>;
    // All entries as map_entry<any_prefix, T>, those of IPv4 first, each family in prefix order. A change
    // ends the iteration.
    iterator begin() const noexcept { return iterator(*state_); }
    end_of_routes end() const noexcept { return {}; }

    // In bytes; not what values point to.
    std::size_t memory_bytes() const noexcept { return state_->memory_bytes(); }

    // A lower bound on the prefixes that readers do not yet see as they are here: 0 unless readers stall.
    std::size_t pending() const noexcept { return state_->live().pending(); }
    // Shows readers what commits could not show yet, as every later commit does too.
    [[nodiscard]] errc publish() noexcept;
    // Frees values and old versions that no reader sees any more, as every change does.
    void reclaim() noexcept;

  private:
    friend class map_queries<map, T>;

    explicit map(owner<state> made) noexcept : state_(std::move(made)) {}
    // One transaction of change(transaction, entry) for each entry.
    template <class Entries, class Change>
    errc change_each(const Entries& entries, Change change);
    const state& view() const noexcept { return *state_; }

    owner<state> state_;
};

template <class T, map_values kept>
template <class Entries, class Change>
errc map<T, kept>::change_each(const Entries& entries, Change change) try {
    auto all = transaction();
    for (const auto& one : entries)
        if (const errc failure = change(all, one); failure != errc::ok)
            return failure;
    const auto done = all.commit();
    return done ? errc::ok : done.error();
} catch (...) {
    return reason_of_exception();
}

template <class T, map_values kept>
errc map<T, kept>::clear() {
    return change_each(*this, [](auto& all, const auto& one) { return all.erase(one.where); });
}

template <class T, map_values kept>
template <class Other>
errc map<T, kept>::merge(const map_queries<Other, T>& other) {
    return change_each(static_cast<const Other&>(other), [](auto& all, const auto& one) {
        return all.insert_or_assign(one.where, *one.value);
    });
}

template <class T, map_values kept>
expected<map<T, kept>> map<T, kept>::clone() const
    requires std::copy_constructible<T>
{
    map_options options;
    options.ipv4_scheme = &state_->live().template of<ipv4_address>().scheme();
    options.ipv6_scheme = &state_->live().template of<ipv6_address>().scheme();
    auto copy = create(options);
    if (!copy)
        return copy;
    const errc failure = copy->state_->copy_from(*state_);
    return failure == errc::ok ? std::move(copy) : unexpected{failure};
}

template <class T, map_values kept>
errc map<T, kept>::publish() noexcept {
    const auto result = state_->live().publish();
    state_->settle();
    return result ? errc::ok : result.error();
}

template <class T, map_values kept>
void map<T, kept>::reclaim() noexcept {
    state_->live().reclaim();
    state_->settle();
}

} // namespace fingerpost
