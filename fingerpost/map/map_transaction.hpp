// Several changes of a map that are applied together or not at all.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "fingerpost/map/map_state.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost {

// Collects changes and applies them at commit(). Without commit() nothing changes. If a prefix is changed
// several times, the last change counts. Must be used by the writer's thread, and the map must outlive it. A
// call that fails or throws changes nothing.
template <class T, map_values Storage>
class [[nodiscard]] map_transaction {
    using state = detail::map_state<T, Storage == map_values::shared>;

  public:
    explicit map_transaction(state& in) noexcept : in_(&in), changes_(in.live().begin()) {}
    map_transaction(map_transaction&& other) noexcept
        : in_(std::exchange(other.in_, nullptr)), changes_(std::move(other.changes_)) {}
    map_transaction& operator=(map_transaction&&) = delete;
    ~map_transaction() {
        if (in_ != nullptr)
            rollback();
    }

    // Sets the value of a new or existing prefix. errc::invalid if the length is above the width,
    // errc::out_of_memory, errc::capacity. Throws exceptions from constructing T.
    template <map_prefix P, class Value>
        requires std::constructible_from<T, Value>
    [[nodiscard]] errc insert_or_assign(const P& p, Value&& value) {
        return detail::by_family(
            p, [&](const auto& q) { return in_->stage(changes_, q, std::forward<Value>(value)); });
    }
    // Takes the prefix as text. errc::invalid also if parse_prefix() refuses the text.
    template <class Value>
        requires std::constructible_from<T, Value>
    [[nodiscard]] errc insert_or_assign(std::string_view p, Value&& value) {
        const auto where = parse_prefix(p);
        return where ? insert_or_assign(*where, std::forward<Value>(value)) : errc::invalid;
    }
    // errc::not_found if neither the map nor this transaction has the prefix; errc::out_of_memory.
    template <map_prefix P>
    [[nodiscard]] errc erase(const P& p) noexcept {
        return detail::by_family(p, [&](const auto& q) { return in_->stage_erase(changes_, q); });
    }
    [[nodiscard]] errc erase(std::string_view p) noexcept {
        const auto where = parse_prefix(p);
        return where ? erase(*where) : errc::invalid;
    }
    // Number of prefixes with a change.
    std::size_t size() const noexcept { return changes_.size(); }

    // Applies all changes; the transaction is then empty. On failure the map is unchanged and the transaction
    // keeps its changes: commit again or drop them. Succeeds also if readers do not see the changes yet; see
    // commit_result and map::pending().
    [[nodiscard]] expected<commit_result> commit() noexcept { return in_->commit(changes_); }
    void rollback() noexcept { in_->roll_back(changes_); }

  private:
    state* in_;
    ip_transaction changes_;
};

} // namespace fingerpost
