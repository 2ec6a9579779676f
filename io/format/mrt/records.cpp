// Implements the rules for cutting a stream into records.
#include "io/format/mrt/records.hpp"

#include <algorithm>
#include <array>

#include "io/format/mrt/types.hpp"
#include "io/format/parts/format_entry.hpp"

namespace fingerpost::io::mrt {
namespace {

// Number of bytes after a doubtful record that are searched for another record.
constexpr std::size_t max_record_bytes = header_bytes + max_body_bytes;
// The length in TABLE_DUMP records of early dumps does not include the first two fields.
constexpr std::size_t uncounted_bytes = 4;
constexpr std::uint32_t one_day = 86'400;

struct header {
    std::uint32_t seconds;
    std::uint16_t type;
    std::uint16_t subtype;
    std::uint32_t length;
};

header header_at(bytes window, std::size_t at) {
    const std::byte* const start = window.data() + at;
    return {load<std::uint32_t>(start), load<std::uint16_t>(start + 4), load<std::uint16_t>(start + 6),
            load<std::uint32_t>(start + 8)};
}

bool is_table(const header& h) {
    return h.type == type::table_dump || h.type == type::table_dump_v2;
}

// A BGP message has at most 65,535 bytes (RFC 8654). Times, ASes and addresses precede it.
constexpr std::uint32_t max_message_bytes = 65'535 + 64;
// A TABLE_DUMP record of early dumps has all entries that fit in 8 KiB; each takes at least 18 bytes.
constexpr std::uint32_t max_table_dump_bytes = std::uint32_t{1} << 20;

// Whether the decoder supports such records, and whether they may have this length.
bool is_known(const header& h) {
    switch (h.type) {
    case type::bgp:
        return h.subtype <= 7 && h.length <= max_message_bytes;
    case type::table_dump:
        return (h.subtype == 1 || h.subtype == 2) && h.length >= 18 && h.length <= max_table_dump_bytes;
    case type::table_dump_v2:
        return h.subtype >= 1 && h.subtype <= 12 && h.length >= 7 && h.length <= max_body_bytes;
    case type::bgp4mp:
    case type::bgp4mp_et:
        return h.subtype <= 11 && h.length >= 4 && h.length <= max_message_bytes;
    default:
        return false;
    }
}

// Records of other types are accepted if another record follows them.
bool may_be_foreign(const header& h) {
    return h.length != 0 && h.length <= max_body_bytes;
}

bool is_near(const header& a, const header& b) {
    return std::max(a.seconds, b.seconds) - std::min(a.seconds, b.seconds) <= one_day;
}

// Whether another record or the end is at `at`, after a record with header `h`.
bool is_followed(bytes window, const header& h, std::size_t at, bool ended) {
    if (at >= window.size() || window.size() - at < header_bytes)
        return ended && at == window.size();
    const header next = header_at(window, at);
    return is_known(next) || (next.type == h.type && may_be_foreign(next));
}

// A stricter test for the search, which requires two records in a row.
bool is_followed_soon(bytes window, const header& h, std::size_t at, bool ended) {
    if (at >= window.size() || window.size() - at < header_bytes)
        return ended && at == window.size();
    const header next = header_at(window, at);
    return is_known(next) && is_near(h, next);
}

// The result of a search.
struct search_result {
    std::size_t at = 0;          // a record begins or may begin here
    std::size_t window_size = 0; // window size that is needed to decide; 0 if decided
    bool is_record = false;
};

// Searches [from, to) of the window for the start of a record. If there is none, the search must continue at
// `at` in a longer window.
search_result search(bytes window, std::size_t from, std::size_t to, bool ended) {
    for (std::size_t at = from; at < to; ++at) {
        if (window.size() - at < header_bytes)
            return {ended ? to : at, ended ? 0 : at + header_bytes, false};
        // Most positions are not headers, which the upper bytes of type and subtype show.
        if (window[at + 4] != std::byte{0} || window[at + 6] != std::byte{0})
            continue;
        const header h = header_at(window, at);
        if (!is_known(h))
            continue;
        const std::size_t end = at + header_bytes + h.length;
        const std::size_t needed = end + uncounted_bytes + header_bytes;
        if (!ended && window.size() < needed)
            return {at, needed, false};
        if (is_followed_soon(window, h, end, ended) ||
            (h.type == type::table_dump && is_followed_soon(window, h, end + uncounted_bytes, ended)))
            return {at, 0, true};
    }
    return {to, 0, false};
}

frame record_of(std::size_t size) {
    return {frame::kind::record, size, {}};
}
frame unknown_until(std::size_t window_size) {
    return {frame::kind::unknown, window_size, {}};
}

// Whether the body of a TABLE_DUMP record ends where one of its entries ends.
bool has_whole_entries(bytes body, std::uint16_t subtype) {
    const std::size_t before_attributes = subtype == afi_ipv4 ? 16 : 40;
    byte_reader in(body);
    in.skip(4); // number of the view, number of the record
    while (in.left() != 0) {
        in.skip(before_attributes);
        in.skip(in.u16());
    }
    return in.ok();
}

// The four bytes after the record may belong to it, or begin a truncated record; the entries decide.
bool has_uncounted_bytes(bytes window, const header& h, bool ended) {
    const std::size_t size = header_bytes + h.length + uncounted_bytes;
    return h.type == type::table_dump && is_followed(window, h, size, ended) &&
           has_whole_entries(window.subspan(header_bytes, size - header_bytes), h.subtype);
}

// Cuts a record of a table, the only kind whose length is not trusted.
frame table_frame(bytes window, const header& h, bool ended) {
    const std::size_t size = header_bytes + h.length;
    if (!ended && window.size() < size + uncounted_bytes + header_bytes)
        return unknown_until(size + uncounted_bytes + header_bytes);
    if (is_followed(window, h, size, ended))
        return record_of(size);
    if (has_uncounted_bytes(window, h, ended))
        return record_of(size + uncounted_bytes);
    const search_result inside = search(window, 1, size, ended);
    if (inside.is_record)
        return {frame::kind::damage, inside.at, "no record follows at the record's end"};
    // Requests the most that any search may need, so there is at most one more search.
    if (inside.window_size != 0)
        return unknown_until(
            std::max(inside.window_size, size + max_record_bytes + uncounted_bytes + header_bytes));
    return record_of(size);
}

frame frame_at_start(bytes window, bool ended);

// Skips to the next record that begins at `from` or later, or to the end of the window.
frame skip_from(std::size_t from, bytes window, bool ended, fault reason) {
    const search_result next = search(window, from, window.size(), ended);
    if (next.at != 0)
        return {frame::kind::damage, next.at, reason};
    return next.is_record ? frame_at_start(window, ended) : unknown_until(next.window_size);
}

frame frame_at_start(bytes window, bool ended) {
    if (window.size() < header_bytes) {
        if (!ended)
            return unknown_until(header_bytes);
        return {frame::kind::damage, window.size(), "the input ends within a record header"};
    }
    const header h = header_at(window, 0);
    const std::size_t size = header_bytes + h.length;
    if (!is_known(h)) {
        if (may_be_foreign(h)) {
            if (!ended && window.size() < size + header_bytes)
                return unknown_until(size + header_bytes);
            if (is_followed(window, h, size, ended))
                return record_of(size);
        }
        return skip_from(1, window, ended, "no record begins here");
    }
    if (window.size() < size)
        return ended ? skip_from(1, window, ended, "the input ends within the record") : unknown_until(size);
    return is_table(h) ? table_frame(window, h, ended) : record_of(size);
}

} // namespace

frame next_frame(bytes window, bool ended, fault reason) {
    return reason.empty() ? frame_at_start(window, ended) : skip_from(0, window, ended, reason);
}

void record_reader::add_damage(const frame& next) {
    if (damage_.size == 0)
        damage_ = {offset_, 0, next.reason};
    damage_.size += next.size;
}

void record_reader::complete(bytes& piece) {
    const std::size_t count = std::min(needed_ - held().size(), piece.size());
    held_.insert(held_.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    piece = piece.subspan(count);
    from_piece_ += count;
}

// If possible, the rest becomes the start of the piece again. Otherwise it is moved, which is rare.
void record_reader::drop(std::size_t used, bytes& piece) {
    const std::size_t remaining = held().size() - used;
    if (used != 0 && remaining <= from_piece_) {
        piece = {piece.data() - remaining, piece.size() + remaining};
        held_.clear();
        dropped_ = 0;
        from_piece_ = 0;
        return;
    }
    dropped_ += used;
    if (dropped_ > held_.size() / 2) {
        held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(dropped_));
        dropped_ = 0;
    }
}

} // namespace fingerpost::io::mrt

namespace fingerpost::io {
namespace {

// The current types of RFC 6396, and the deprecated type BGP.
bool is_mrt(std::string_view start) {
    constexpr std::array<unsigned char, 10> types{5, 11, 12, 13, 16, 17, 32, 33, 48, 49};
    return start.size() >= 12 && start[4] == '\0' && start[6] == '\0' &&
           std::find(types.begin(), types.end(), static_cast<unsigned char>(start[5])) != types.end();
}

} // namespace

extern const format_entry mrt_format;
constinit const format_entry mrt_format{.name = "mrt",
                                        .summary = "an MRT file",
                                        .written_as = "mrt",
                                        .has_magic = is_mrt,
                                        .no_text = "an MRT file, not text"};

} // namespace fingerpost::io
