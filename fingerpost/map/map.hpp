// A map from prefixes of both families to values of any type, with longest-prefix match. It is a live table
// that stores the values.
//
//      map<std::string> sites;
//      sites.insert_or_assign(prefix, "Zurich");                        one writer
//      const std::string* site = sites.lookup(address);                 null without a route
//
//      auto reader = sites.reader();                                    each reading thread
//      { auto snapshot = reader->pin(); snapshot.lookup(in, out); }     each batch
//
// Lookups return pointers to values. A value never changes while it is stored; replace it instead. T needs
// neither a copy nor a default constructor, and may even be immovable. Its destructor must not throw. It runs
// in a later call by the writer, when no reader can see the value.
//
// Threads. One thread at a time, the writer, changes the map. Meanwhile other threads query it through a
// snapshot; the only member of the map that they may call is reader(). While no thread changes the map, any
// number of threads may call const members. A pointer returned to the writer is valid until its prefix is
// replaced or erased. A pointer returned by a snapshot is valid until that snapshot ends or refresh() returns
// true. Lookups in a snapshot never wait. Its other queries share a lock with the writer.
//
// Failures. A call that returns an error, or that throws an exception from T's constructor, comparison or
// hash, does not change the map. A value passed by move may have been moved from. Readers see all changes of
// a transaction together.
//
// Links only the default scheme. Guide: docs/use/map.md.
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

template <class T, map_values Storage = usual_map_values<T>>
class map : public map_queries<map<T, Storage>, T> {
    static_assert(std::is_object_v<T> && !std::is_array_v<T> && std::same_as<T, std::remove_cv_t<T>>,
                  "a map keeps objects of a type without const");
    static_assert(std::is_nothrow_destructible_v<T>, "the destructor of a value must not throw");
    static_assert(Storage == map_values::own || shareable_value<T>,
                  "values that are shared need operator== and std::hash");
    using state = detail::map_state<T, Storage == map_values::shared>;

  public:
    using value_type = T;
    using snapshot_type = map_snapshot<T, Storage>;
    using reader_type = map_reader<T, Storage>;
    using transaction_type = map_transaction<T, Storage>;
    using iterator = detail::map_iterator<state, T>;

    // Creates an empty map. errc::unsupported: a map does not support these options; errc::invalid:
    // most_old_versions is 0; errc::out_of_memory.
    static expected<map> create(const map_options& options = {}) {
        auto state = detail::make_map_state<T, Storage == map_values::shared>(options);
        if (!state)
            return unexpected{state.error()};
        return map(std::move(*state));
    }
    // Creates an empty map with the default options. Throws std::bad_alloc.
    map() : map(detail::map_state_or_throw<T, Storage == map_values::shared>()) {}
    map(map&&) noexcept = default;
    map& operator=(map&&) noexcept = default;

    // Creates a reader for the calling thread or another one; errc::out_of_memory. The map must outlive it.
    expected<reader_type> reader() noexcept { return reader_type::make(*state_); }

    // Each call is one transaction. `p` is an ipv4_prefix, an ipv6_prefix or an any_prefix. Bits past its
    // length are cleared. errc::invalid if the length is above the width, errc::out_of_memory,
    // errc::capacity.
    //
    // Returns true if the prefix is new, false if its value was replaced.
    template <map_prefix P, class Value>
        requires std::constructible_from<T, Value>
    [[nodiscard]] expected<bool> insert_or_assign(const P& p, Value&& value) {
        return detail::by_family(p,
                                 [&](const auto& q) { return state_->set(q, std::forward<Value>(value)); });
    }
    // Takes the prefix as text. errc::invalid also if parse_prefix() refuses the text.
    template <class Value>
        requires std::constructible_from<T, Value>
    [[nodiscard]] expected<bool> insert_or_assign(std::string_view p, Value&& value) {
        const auto where = parse_prefix(p);
        return where ? insert_or_assign(*where, std::forward<Value>(value)) : unexpected{errc::invalid};
    }
    // Inserts T(parts...) unless the prefix has a value. Returns true if it was inserted.
    template <map_prefix P, class... Parts>
        requires std::constructible_from<T, Parts...>
    [[nodiscard]] expected<bool> try_emplace(const P& p, Parts&&... parts) {
        if (this->find(p) != nullptr)
            return false;
        return detail::by_family(
            p, [&](const auto& q) { return state_->set(q, std::forward<Parts>(parts)...); });
    }
    // Replaces the value of a prefix by the result of change(value), a std::optional<T>. An empty result
    // erases the prefix. `value` is a const T*, null if the prefix is not in the map. Returns true if the map
    // has changed.
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
    // Inserts or replaces all entries of another map or a map_image in one transaction.
    template <class Other>
    [[nodiscard]] errc merge(const map_queries<Other, T>& other);
    // errc::not_found if the prefix is not in the map.
    template <map_prefix P>
    [[nodiscard]] errc erase(const P& p) noexcept {
        return detail::by_family(p, [&](const auto& q) { return state_->erase(q); });
    }
    [[nodiscard]] errc erase(std::string_view p) noexcept {
        const auto where = parse_prefix(p);
        return where ? erase(*where) : errc::invalid;
    }
    // Erases all entries in one transaction.
    [[nodiscard]] errc clear();
    // Starts a transaction: several changes, applied together or not at all.
    transaction_type transaction() noexcept { return transaction_type(*state_); }

    // True if both maps have the same prefixes with equal values.
    friend bool operator==(const map& a, const map& b)
        requires requires(const T& value) {
            { value == value } -> std::convertible_to<bool>;
        }
    {
        if (a.size() != b.size())
            return false;
        auto at = b.begin();
        for (const auto& entry : a) {
            if (entry.where != (*at).where || !(*entry.value == *(*at).value))
                return false;
            ++at;
        }
        return true;
    }
    // Returns a map with copies of all values and with the same schemes, updated by policy::automatic. It
    // shares nothing with this map, so this takes about as long as filling it. errc::out_of_memory,
    // errc::capacity. Throws exceptions from copying T.
    expected<map> clone() const
        requires std::copy_constructible<T>;
    // All entries as map_entry<any_prefix, T>, IPv4 first, each family in prefix order. Changes invalidate
    // the iterators.
    iterator begin() const noexcept { return iterator(*state_); }
    end_of_routes end() const noexcept { return {}; }

    // Size in bytes, without memory that values point to.
    std::size_t memory_bytes() const noexcept { return state_->memory_bytes(); }

    // Lower bound of the number of prefixes with changes that readers do not see yet. 0 unless readers stall.
    std::size_t pending() const noexcept { return state_->live().pending(); }
    // Publishes commits that were deferred. Every later commit does this too.
    [[nodiscard]] errc publish() noexcept;
    // Frees values and old versions that readers no longer see. Every change does this too.
    void reclaim() noexcept;

  private:
    friend class map_queries<map, T>;

    explicit map(owner<state> state) noexcept : state_(std::move(state)) {}
    // Calls change(transaction, entry) for each entry, in one transaction.
    template <class Entries, class Change>
    errc change_each(const Entries& entries, Change change);
    const state& view() const noexcept { return *state_; }

    owner<state> state_;
};

template <class T, map_values Storage>
template <class Entries, class Change>
errc map<T, Storage>::change_each(const Entries& entries, Change change) try {
    auto changes = transaction();
    for (const auto& entry : entries)
        if (const errc failure = change(changes, entry); failure != errc::ok)
            return failure;
    const auto done = changes.commit();
    return done ? errc::ok : done.error();
} catch (...) {
    return reason_of_exception();
}

template <class T, map_values Storage>
errc map<T, Storage>::clear() {
    return change_each(*this, [](auto& changes, const auto& entry) { return changes.erase(entry.where); });
}

template <class T, map_values Storage>
template <class Other>
errc map<T, Storage>::merge(const map_queries<Other, T>& other) {
    return change_each(static_cast<const Other&>(other), [](auto& changes, const auto& entry) {
        return changes.insert_or_assign(entry.where, *entry.value);
    });
}

template <class T, map_values Storage>
expected<map<T, Storage>> map<T, Storage>::clone() const
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

template <class T, map_values Storage>
errc map<T, Storage>::publish() noexcept {
    const auto result = state_->live().publish();
    state_->settle();
    return result ? errc::ok : result.error();
}

template <class T, map_values Storage>
void map<T, Storage>::reclaim() noexcept {
    state_->live().reclaim();
    state_->settle();
}

} // namespace fingerpost
