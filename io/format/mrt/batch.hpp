// A batch of records that one thread collects and another decodes.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "io/format/mrt/mrt_decoder.hpp"

namespace fingerpost::io::mrt {

// A batch has copies of whole records, and the peers that apply to the first record. So batches can be
// decoded in any order, or at the same time.
class batch {
  public:
    // Large enough to outweigh the cost of passing it to another thread, and small enough for the cache of
    // the core that decodes it.
    static constexpr std::size_t usual_capacity = std::size_t{256} << 10;

    explicit batch(shared_peers peers = nullptr, std::size_t capacity = usual_capacity)
        : peers_(std::move(peers)) {
        bytes_.reserve(capacity);
    }

    // Whether a body of this size does not fit. A single body may exceed the capacity.
    bool is_full_for(std::size_t size) const noexcept {
        return !parts_.empty() && (size > bytes_.capacity() - bytes_.size() || parts_.size() >= max_parts);
    }
    bool is_empty() const noexcept { return parts_.empty(); }

    // Adds a record for which the batch is not full.
    void add(const record& whole) {
        // Bodies of earlier records must not move, so this only makes space for the first one.
        bytes_.reserve(bytes_.size() + whole.body.size());
        record& added = parts_.emplace_back(part{whole, {}}).whole;
        const std::size_t start = bytes_.size();
        bytes_.insert(bytes_.end(), whole.body.begin(), whole.body.end());
        added.body = bytes(bytes_).subspan(start);
    }
    void add(const damage& gap) { parts_.push_back({{}, gap}); }

    // Calls receive.take(entries) for each record with entries, and receive.skip(damage) for each damaged
    // record and each gap. Returns the counts.
    template <class R>
    counts decode(R&& receive) const {
        decoder with(peers_);
        for (const part& item : parts_) {
            if (item.gap.size != 0) {
                with.count_gap(item.gap);
                receive.skip(item.gap);
            } else {
                decode_one(with, item.whole, receive);
            }
        }
        return with.counted();
    }

  private:
    struct part {
        record whole;
        damage gap; // not a record if its size is not 0
    };
    static constexpr std::size_t max_parts = 4096;

    shared_peers peers_;
    std::vector<std::byte> bytes_;
    std::vector<part> parts_;
};

} // namespace fingerpost::io::mrt
