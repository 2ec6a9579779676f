// The changes of a transaction as they come: the last one for each prefix, found by prefix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fingerpost/base/place_table.hpp"
#include "fingerpost/net/prefix.hpp"
#include "fingerpost/table/update.hpp"

namespace fingerpost::detail {

// A list in the order of the first mention, with the places of prefixes in a hash table: a map of nodes took
// an eighth of the time of a burst of changes.
template <class A>
class edit_list {
    auto is_of(const prefix<A>& p) const noexcept {
        return [this, &p](std::uint32_t place) { return edits_[place].where == p; };
    }

  public:
    std::size_t size() const noexcept { return edits_.size(); }
    const std::vector<edit<A>>& all() const noexcept { return edits_; }
    void clear() noexcept {
        edits_.clear();
        places_.clear();
    }

    // Null when the prefix has none.
    const edit<A>* find(const prefix<A>& p) const noexcept {
        const std::uint32_t place = places_.find(hash(places_.key(), p), is_of(p));
        return place == place_table::none ? nullptr : &edits_[place];
    }
    // Throws std::bad_alloc and is then as before.
    void set(const prefix<A>& p, next_hop hop) {
        places_.grow(edits_.size(), [this](const hash_key& key, std::uint32_t place) {
            return hash(key, edits_[place].where);
        });
        std::uint32_t& place = places_.slot(hash(places_.key(), p), is_of(p));
        if (place != place_table::none) {
            edits_[place].hop = hop;
            return;
        }
        edits_.push_back({p, hop});
        place = static_cast<std::uint32_t>(edits_.size() - 1);
    }
    const place_table& places() const noexcept { return places_; }

  private:
    static std::uint32_t hash(const hash_key& key, const prefix<A>& p) noexcept {
        return key.hash(static_cast<u128>(p.base.value), p.length);
    }

    std::vector<edit<A>> edits_;
    place_table places_;
};

} // namespace fingerpost::detail
