// Changes of a transaction: the last one for each prefix, in the order in which prefixes first occurred.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fingerpost/base/hash_index.hpp"
#include "fingerpost/net/prefix.hpp"
#include "fingerpost/table/edit.hpp"

namespace fingerpost::detail {

// A list, and a hash table with the positions of prefixes in it. std::map took 1/8 of the time of a burst of
// changes. Tables are usually filled in prefix order, and as long as prefixes ascend, the list needs no hash
// table.
template <class A>
class edit_list {
    auto is_of(const prefix<A>& p) const noexcept {
        return [this, &p](std::uint32_t position) { return edits_[position].where == p; };
    }

  public:
    std::size_t size() const noexcept { return edits_.size(); }
    const std::vector<edit<A>>& edits() const noexcept { return edits_; }
    bool is_in_order() const noexcept { return is_in_order_; }
    void clear() noexcept {
        edits_.clear();
        index_.clear();
        is_in_order_ = true;
    }

    // Returns nullptr if this prefix has no change.
    const edit<A>* find(const prefix<A>& p) const noexcept {
        if (is_in_order_) {
            if (edits_.empty() || edits_.back().where < p)
                return nullptr;
            const auto at =
                std::lower_bound(edits_.begin(), edits_.end(), p,
                                 [](const edit<A>& e, const prefix<A>& q) { return e.where < q; });
            return at->where == p ? &*at : nullptr;
        }
        const std::uint32_t position = index_.find(hash(index_.key(), p), is_of(p));
        return position == hash_index::none ? nullptr : &edits_[position];
    }
    // Replaces or adds the change of this prefix. Throws std::bad_alloc, and then nothing has changed.
    void set(const prefix<A>& p, next_hop hop) {
        if (is_in_order_) {
            if (edits_.empty() || edits_.back().where < p) {
                edits_.push_back({p, hop});
                return;
            }
            index_all();
        }
        std::uint32_t& position = place_of(p, edits_.size());
        if (position != hash_index::none) {
            edits_[position].hop = hop;
            return;
        }
        edits_.push_back({p, hop});
        position = static_cast<std::uint32_t>(edits_.size() - 1);
    }
    const hash_index& index() const noexcept { return index_; }

  private:
    static std::uint32_t hash(const hash_key& key, const prefix<A>& p) noexcept {
        return key.hash(static_cast<u128>(p.base.value), p.length);
    }

    // Returns the index slot of this prefix. `count` prefixes are in the index already.
    std::uint32_t& place_of(const prefix<A>& p, std::size_t count) {
        index_.grow(count, [this](const hash_key& key, std::uint32_t position) {
            return hash(key, edits_[position].where);
        });
        return index_.slot(hash(index_.key(), p), is_of(p));
    }
    void index_all() {
        try {
            for (std::uint32_t i = 0; i < edits_.size(); ++i)
                place_of(edits_[i].where, i) = i;
        } catch (...) {
            index_.clear();
            throw;
        }
        is_in_order_ = false;
    }

    std::vector<edit<A>> edits_;
    hash_index index_;
    bool is_in_order_ = true;
};

} // namespace fingerpost::detail
