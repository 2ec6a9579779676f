// Several changes of a map that are made at once or not at all.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "fingerpost/map/map_state.hpp"

namespace fingerpost {

// Collects changes and makes them at commit(); without commit() nothing happens. Of several changes of one
// prefix the last one counts. For the writer's thread; the map must outlive it. A call that fails or throws
// has changed nothing.
template <class T, map_values kept>
class [[nodiscard]] map_transaction {
    using state = detail::map_state<T, kept == map_values::shared>;

  public:
    explicit map_transaction(state& in) noexcept
        : in_(&in), ipv4_(in.ipv4.live().begin()), ipv6_(in.ipv6.live().begin()) {}
    map_transaction(map_transaction&& other) noexcept
        : in_(std::exchange(other.in_, nullptr)), ipv4_(std::move(other.ipv4_)),
          ipv6_(std::move(other.ipv6_)) {}
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
        return detail::by_family(p, [&](const auto& q) {
            return in_->of(q.base).stage(part(q.base), q, std::forward<Value>(value));
        });
    }
    // errc::not_found if neither the map nor this transaction has the prefix; errc::out_of_memory.
    template <map_prefix P>
    [[nodiscard]] errc erase(const P& p) noexcept {
        return detail::by_family(p,
                                 [&](const auto& q) { return in_->of(q.base).stage_erase(part(q.base), q); });
    }
    // Prefixes that have a change.
    std::size_t size() const noexcept { return ipv4_.size() + ipv6_.size(); }

    // Makes all changes; then the transaction is empty. When it fails, the map is as before and the changes
    // are still here: commit again or drop them. Readers see the IPv4 changes before those of IPv6. Also ok
    // if they do not see them yet: see commit_result and map::pending().
    [[nodiscard]] expected<both_commits> commit() noexcept try {
        const auto before4 = in_->ipv4.replaced_by(ipv4_);
        const auto before6 = in_->ipv6.replaced_by(ipv6_);
        const auto done = commit_both(ipv4_, ipv6_);
        if (done) {
            in_->ipv4.committed(before4);
            in_->ipv6.committed(before6);
        }
        return done;
    } catch (...) {
        return unexpected{reason_of_exception()};
    }
    void rollback() noexcept {
        in_->ipv4.roll_back(ipv4_);
        in_->ipv6.roll_back(ipv6_);
    }

  private:
    transaction<ipv4_address>& part(ipv4_address) noexcept { return ipv4_; }
    transaction<ipv6_address>& part(ipv6_address) noexcept { return ipv6_; }

    state* in_;
    transaction<ipv4_address> ipv4_;
    transaction<ipv6_address> ipv6_;
};

} // namespace fingerpost
