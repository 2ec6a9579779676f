// Decodes MRT records to entries: all entries of a record, or the reason why there are none.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "io/format/mrt/counts.hpp"
#include "io/format/mrt/entry.hpp"
#include "io/format/mrt/records.hpp"
#include "io/format/mrt/tables.hpp"

namespace fingerpost::io::mrt {

// The peers that apply to the records after a table of peers; null before the first table, and after a
// damaged one.
using shared_peers = std::shared_ptr<const peer_table>;

// Updates the peers if the record changes them. A caller that decodes records separately must call this for
// all records.
void follow_peers(const record& whole, shared_peers& peers);

struct outcome {
    std::span<const entry> entries; // valid until the next decode(), and as long as the record
    fault damage;                   // if empty, the record is fine, with or without entries
};

class decoder {
  public:
    explicit decoder(shared_peers peers = nullptr) : peers_(std::move(peers)) {}

    // Takes records in the order of their stream.
    outcome decode(const record& whole);
    // For a gap between records, which decode() does not see.
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
