// From MRT records to entries: all of a record, or the reason why there are none.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "io/format/mrt/counts.hpp"
#include "io/format/mrt/entry.hpp"
#include "io/format/mrt/peers.hpp"
#include "io/format/mrt/records.hpp"

namespace fingerpost::io::mrt {

// The peers that hold for the records behind a table of peers; nothing before the first one, and after one
// that is damaged.
using shared_peers = std::shared_ptr<const peer_table>;

// What a record changes of these; whoever decodes records apart has to know them all the same.
void follow_peers(const record& whole, shared_peers& peers);

struct outcome {
    std::span<const entry> entries; // live until the next decode(), and while the record does
    fault damage;                   // without it the record is whole, be there entries or none
};

class decoder {
  public:
    explicit decoder(shared_peers peers = nullptr) : peers_(std::move(peers)) {}

    // Records in the order of their stream.
    outcome decode(const record& whole);
    // For a gap between records, which no decode() sees.
    void count_gap(const damage& gap) noexcept;

    const counts& counted() const noexcept { return counted_; }

  private:
    fault read(const record& whole);
    fault read_table_dump_v2(const record& whole);

    shared_peers peers_;
    std::vector<entry> entries_;
    counts counted_;
};

// Decodes one record for a receiver of entries and damage.
template <class R>
void decode_one(decoder& with, const record& whole, R&& receive) {
    const outcome read = with.decode(whole);
    if (!read.entries.empty())
        receive.take(read.entries);
    if (!read.damage.empty())
        receive.skip(damage{whole.offset, header_bytes + whole.body.size(), read.damage});
}

} // namespace fingerpost::io::mrt
