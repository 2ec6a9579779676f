// Decodes MRT records into entries, or returns the reason for which a record is damaged.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "io/format/mrt/counts.hpp"
#include "io/format/mrt/entry.hpp"
#include "io/format/mrt/records.hpp"
#include "io/format/mrt/tables.hpp"

namespace fingerpost::io::mrt {

// The peers for the records after a table of peers. Null before the first table, and after a damaged one.
using shared_peers = std::shared_ptr<const peer_table>;

// Updates the peers if the record is a table of peers. A caller that decodes records separately must call
// this for every record.
void follow_peers(const record& whole, shared_peers& peers);

struct outcome {
    std::span<const entry> entries; // valid until the next decode(), and as long as the record
    fault damage;                   // empty if the record is valid, even if it has no entries
};

class decoder {
  public:
    explicit decoder(shared_peers peers = nullptr) : peers_(std::move(peers)) {}

    // Decodes a record. Records must come in stream order.
    outcome decode(const record& whole);
    // Counts a gap between records, which decode() does not see.
    void count_gap(const damage& gap) noexcept;

    const counts& counted() const noexcept { return counted_; }

  private:
    fault read(const record& whole);
    fault read_table_dump_v2(const record& whole);

    shared_peers peers_;
    std::vector<entry> entries_;
    counts counted_;
};

// Decodes one record, and passes its entries or damage to a receiver.
template <class R>
void decode_one(decoder& with, const record& whole, R&& receive) {
    const outcome read = with.decode(whole);
    if (!read.entries.empty())
        receive.take(read.entries);
    if (!read.damage.empty())
        receive.skip(damage{whole.offset, header_bytes + whole.body.size(), read.damage});
}

} // namespace fingerpost::io::mrt
