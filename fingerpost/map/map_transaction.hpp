// Several changes of a map that are made at once or not at all.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "fingerpost/map/map_state.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost {

// Collects changes and makes them at commit(); without commit() nothing happens. Of several changes of one
// prefix the last one counts. For the writer's thread; the map must outlive it. A call that fails or throws
// has changed nothing.
template <class T, map_values kept>
class [[nodiscard]] map_transaction {
    using state = detail::map_state<T, kept == map_values::shared>;

  public:
    explicit map_transaction(state& in) noexcept : in_(&in), changes_(in.live().begin()) {}
    map_transaction(map_transaction&& other) noexcept
        : in_(std::exchange(other.in_, nullptr)), changes_(std::move(other.changes_)) {}
    map_transaction& operator=(map_transaction&&) = delete;
    ~map_transaction() {
        if (in_ != nullptr)
            rollback();
    }

    // Sets the value of a prefix, new or not. errc::invalid for a length above the width,
    // errc::out_of_memory, errc::capacity. Throws what constructing T throws.
    template <map_prefix P, class Value>
        requires std::constructible_from<T, Value>
    [[nodiscard]] errc insert_or_assign(const P& p, Value&& value) {
        return detail::by_family(
            p, [&](const auto& q) { return in_->stage(changes_, q, std::forward<Value>(value)); });
    }
    // With the prefix as text; errc::invalid too for a text that is none, of which parse_prefix() says why.
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
    // Prefixes that have a change.
    std::size_t size() const noexcept { return changes_.size(); }

    // Makes all changes; then the transaction is empty. When it fails, the map is as before and the changes
    // are still here: commit again or drop them. Also ok if readers do not see them yet: see commit_result
    // and map::pending().
    [[nodiscard]] expected<commit_result> commit() noexcept { return in_->commit(changes_); }
    void rollback() noexcept { in_->roll_back(changes_); }

  private:
    state* in_;
    ip_transaction changes_;
};

} // namespace fingerpost
