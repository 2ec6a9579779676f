// Records that one thread collects for another to decode.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "io/format/mrt/mrt_decoder.hpp"

namespace fingerpost::io::mrt {

// Contains copies of whole records, and the peers that apply to the first one, so that batches can be decoded
// in any order, or at the same time.
class batch {
  public:
    // Large enough to make up for the cost of handing it over, small enough to stay in the cache of the core
    // that decodes it.
    static constexpr std::size_t usual_room = std::size_t{256} << 10;

    explicit batch(shared_peers peers = nullptr, std::size_t room = usual_room) : peers_(std::move(peers)) {
        bytes_.reserve(room);
    }

    // Whether there is no room for a body of this size. A single body may be larger than the room.
    bool is_full_for(std::size_t size) const noexcept {
        return !parts_.empty() && (size > bytes_.capacity() - bytes_.size() || parts_.size() >= most_parts);
    }
    bool is_empty() const noexcept { return parts_.empty(); }

    // Call it only if the batch is not full for the record.
    void add(const record& whole) {
        // The bodies of earlier records must not move: this makes room for the first one only.
        bytes_.reserve(bytes_.size() + whole.body.size());
        record& added = parts_.emplace_back(part{whole, {}}).whole;
        const std::size_t start = bytes_.size();
        bytes_.insert(bytes_.end(), whole.body.begin(), whole.body.end());
        added.body = bytes(bytes_).subspan(start);
    }
    void add(const damage& gap) { parts_.push_back({{}, gap}); }

    // Calls receive.take(entries) for each record with entries, and receive.skip(damage) for each damaged
    // record and for each gap; returns the counts.
    template <class R>
    counts decode(R&& receive) const {
        decoder with(peers_);
        for (const part& one : parts_) {
            if (one.gap.size != 0) {
                with.count_gap(one.gap);
                receive.skip(one.gap);
            } else {
                decode_one(with, one.whole, receive);
            }
        }
        return with.counted();
    }

  private:
    struct part {
        record whole;
        damage gap; // in its place, if its size is not 0
    };
    static constexpr std::size_t most_parts = 4096;

    shared_peers peers_;
    std::vector<std::byte> bytes_;
    std::vector<part> parts_;
};

} // namespace fingerpost::io::mrt
