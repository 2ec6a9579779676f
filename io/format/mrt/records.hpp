// Cuts a stream of bytes into MRT records (RFC 6396), and finds the next record after damage.
//
//      byte 0   seconds since 1970, 32 bits
//      byte 4   type, 16 bits
//      byte 6   subtype, 16 bits
//      byte 8   length of the body, 32 bits
//      byte 12  the body
//
// A wrong length would lead past the next record. So data of an unknown type is accepted as a record only if
// another record follows. Records of tables may be long; if no record follows one, records are searched
// inside it. The search requires two plausible headers in a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "io/format/mrt/bytes.hpp"
#include "io/format/mrt/entry.hpp"

namespace fingerpost::io::mrt {

inline constexpr std::size_t header_bytes = 12;
// No valid body is longer: all attributes of 2,000 peers take 1/16 of this. Also limits the memory.
inline constexpr std::size_t max_body_bytes = std::size_t{16} << 20;

struct record {
    std::uint64_t offset = 0; // of the header in the stream
    std::uint32_t seconds = 0;
    std::uint16_t type = 0;
    std::uint16_t subtype = 0;
    bytes body;
};

// The kind and size of the data at the start of a window into a stream.
struct frame {
    enum class kind : std::uint8_t { record, damage, unknown };
    kind what = kind::unknown;
    // of the record with its header, or of the damage; for `unknown`, the window size that is needed
    std::size_t size = 0;
    fault reason{}; // of damage
};

// Cuts the next record, without keeping state. `ended`: the window is the rest of the stream; it is not
// empty. While damage is being skipped, `reason` is the fault at its start; it is empty before a record or
// new damage. A longer window of the same stream gives the same result, unless it was `unknown`.
frame next_frame(bytes window, bool ended, fault reason = {});

// Takes pieces of any size. A record within one piece is not copied.
class record_reader {
  public:
    // Calls receive.take(const record&) and receive.skip(const damage&), in stream order.
    template <class R>
    void feed(bytes piece, R&& receive) {
        while (!piece.empty()) {
            if (held_.empty()) {
                const std::size_t used = run(piece, false, receive);
                held_.assign(piece.begin() + static_cast<std::ptrdiff_t>(used), piece.end());
                break;
            }
            complete(piece);
            if (held().size() < needed_)
                break;
            drop(run(held(), false, receive), piece);
        }
        from_piece_ = 0;
    }
    // Ends the stream. The rest is a record or damage.
    template <class R>
    void finish(R&& receive) {
        run(held(), true, receive);
        report_damage(receive);
        held_.clear();
    }

  private:
    // Returns how many bytes of the window were used. If all were used, more input is needed.
    template <class R>
    std::size_t run(bytes window, bool ended, R& receive) {
        std::size_t used = 0;
        while (used != window.size()) {
            const frame next = next_frame(window.subspan(used), ended, damage_.reason);
            if (next.what == frame::kind::unknown) {
                needed_ = next.size;
                return used;
            }
            if (next.what == frame::kind::record)
                give(window.subspan(used, next.size), receive);
            else
                add_damage(next);
            used += next.size;
            offset_ += next.size;
        }
        needed_ = header_bytes;
        return used;
    }
    template <class R>
    void give(bytes whole, R& receive) {
        report_damage(receive);
        const std::byte* const at = whole.data();
        receive.take(record{offset_, load<std::uint32_t>(at), load<std::uint16_t>(at + 4),
                            load<std::uint16_t>(at + 6), whole.subspan(header_bytes)});
    }
    template <class R>
    void report_damage(R& receive) {
        if (damage_.size != 0)
            receive.skip(damage_);
        damage_ = {};
    }
    void add_damage(const frame& next);
    bytes held() const noexcept { return bytes(held_).subspan(dropped_); }
    void complete(bytes& piece);
    void drop(std::size_t used, bytes& piece);

    std::vector<std::byte> held_; // dropped bytes, then the start of a record that the next piece continues
    std::size_t dropped_ = 0;
    std::size_t from_piece_ = 0; // number of bytes at the end of held_ that come from the current piece
    std::size_t needed_ = header_bytes;
    std::uint64_t offset_ = 0; // of the next record
    damage damage_;            // not reported yet, because it may continue
};

} // namespace fingerpost::io::mrt
