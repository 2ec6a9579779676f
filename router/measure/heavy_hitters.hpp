// Finds the most frequent keys in bounded memory (Metwally, Agrawal and El Abbadi, "Efficient Computation of
// Frequent and Top-k Elements in Data Streams", ICDT 2005: Space-Saving).
//
// When all counters are in use, a new key takes over the lowest counter together with its count. A count is
// therefore never too low, and too high by at most its `error`, which is at most the total number of hits
// divided by the number of counters. Every key with more hits than that has a counter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace fingerpost::router {

template <class Key>
class heavy_hitters {
  public:
    struct hits {
        std::uint64_t count = 0;
        std::uint64_t error = 0;
    };

    // `counters` is at least 1.
    explicit heavy_hitters(std::size_t counters) : counters_(counters) {}
    heavy_hitters(const heavy_hitters&) = delete;
    heavy_hitters& operator=(const heavy_hitters&) = delete;

    // Throws std::bad_alloc.
    void add(const Key& key) {
        ++total_;
        auto known = keys_.find(key);
        if (known == keys_.end())
            known = keys_.size() < counters_ ? insert(key) : replace(key);
        auto moved = by_count_.extract(known->second.place);
        ++moved.key();
        known->second.place = by_count_.insert(std::move(moved));
    }

    std::optional<hits> find(const Key& key) const {
        const auto known = keys_.find(key);
        return known == keys_.end() ? std::nullopt : std::optional(of(known->second));
    }
    // Calls use(key, hits) for each key, in key order.
    template <class F>
    void each(F use) const {
        for (const auto& [key, entry] : keys_)
            use(key, of(entry));
    }
    // Hits of all keys, including those without a counter.
    std::uint64_t total() const noexcept { return total_; }
    void clear() noexcept {
        keys_.clear();
        by_count_.clear();
        total_ = 0;
    }

  private:
    struct counted {
        typename std::multimap<std::uint64_t, const Key*>::iterator place{};
        std::uint64_t error = 0;
    };
    using key_map = std::map<Key, counted>;

    static hits of(const counted& entry) { return {entry.place->first, entry.error}; }
    typename key_map::iterator insert(const Key& key) {
        const auto entry = keys_.emplace(key, counted{}).first;
        entry->second.place = by_count_.emplace(0, &entry->first);
        return entry;
    }
    typename key_map::iterator replace(const Key& key) {
        const auto lowest = by_count_.begin();
        auto node = keys_.extract(*lowest->second);
        node.key() = key;
        node.mapped().error = lowest->first;
        const auto entry = keys_.insert(std::move(node)).position;
        lowest->second = &entry->first;
        return entry;
    }

    std::size_t counters_;
    std::uint64_t total_ = 0;
    key_map keys_;
    std::multimap<std::uint64_t, const Key*> by_count_;
};

} // namespace fingerpost::router
