// Takes a stream of bytes apart into MRT records (RFC 6396), and finds the next record where some are
// damaged.
//
//      byte 0   seconds since 1970, 32 bits
//      byte 4   type, 16 bits
//      byte 6   subtype, 16 bits
//      byte 8   length of the body, 32 bits
//      byte 12  the body
//
// A length that is wrong leads astray. So nothing is taken for a record whose type is not known, unless
// another record follows it; and of the types that may be long, those of tables, a record that no other one
// follows is searched for one that begins within it. The search wants two headers in a row that can be true.
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
// Longer bodies are none: all attributes of 2,000 peers take a sixteenth of this. It bounds the memory too.
inline constexpr std::size_t max_body_bytes = std::size_t{16} << 20;

struct record {
    std::uint64_t offset = 0; // of its header, within the stream
    std::uint32_t seconds = 0;
    std::uint16_t type = 0;
    std::uint16_t subtype = 0;
    bytes body;
};

// The rules, without any memory: what a stream begins with, seen through a window onto it.
struct frame {
    enum class kind : std::uint8_t { record, damage, unknown };
    kind what = kind::unknown;
    std::size_t size = 0; // of the record with its header, or of the damage; `unknown` needs this many bytes
    fault reason{};       // of damage
};

// `ended` says that nothing follows the window, which is not empty. A later part of a stream that is skipped
// is searched with `reason`, that of its beginning; without one it begins with a record or is damaged there.
// The answer for a longer window of the same stream is the same, or was `unknown`.
frame next_frame(bytes window, bool ended, fault reason = {});

// Takes pieces of any size. A record that lies within one piece is not copied.
class record_reader {
  public:
    // Calls receive.take(const record&) and receive.skip(const damage&), in order. What they are given lives
    // for the call.
    template <class R>
    void feed(bytes piece, R&& receive) {
        while (!piece.empty()) {
            if (held_.empty()) {
                const std::size_t used = run(piece, false, receive);
                held_.assign(piece.begin() + static_cast<std::ptrdiff_t>(used), piece.end());
                break;
            }
            complete(piece);
            if (held().size() < wanted_)
                break;
            drop(run(held(), false, receive), piece);
        }
        from_piece_ = 0;
    }
    // The end of the stream: what is left is a record or damaged.
    template <class R>
    void finish(R&& receive) {
        run(held(), true, receive);
        tell_damage(receive);
        held_.clear();
    }

  private:
    // How much of the window was used; all of it, or more is wanted.
    template <class R>
    std::size_t run(bytes window, bool ended, R& receive) {
        std::size_t used = 0;
        while (used != window.size()) {
            const frame next = next_frame(window.subspan(used), ended, damage_.reason);
            if (next.what == frame::kind::unknown) {
                wanted_ = next.size;
                return used;
            }
            if (next.what == frame::kind::record)
                give(window.subspan(used, next.size), receive);
            else
                add_damage(next);
            used += next.size;
            offset_ += next.size;
        }
        wanted_ = header_bytes;
        return used;
    }
    template <class R>
    void give(bytes whole, R& receive) {
        tell_damage(receive);
        const std::byte* const at = whole.data();
        receive.take(record{offset_, load<std::uint32_t>(at), load<std::uint16_t>(at + 4),
                            load<std::uint16_t>(at + 6), whole.subspan(header_bytes)});
    }
    template <class R>
    void tell_damage(R& receive) {
        if (damage_.size != 0)
            receive.skip(damage_);
        damage_ = {};
    }
    void add_damage(const frame& next);
    bytes held() const noexcept { return bytes(held_).subspan(dropped_); }
    void complete(bytes& piece);
    void drop(std::size_t used, bytes& piece);

    std::vector<std::byte> held_; // the start of what the next piece continues, behind what was dropped
    std::size_t dropped_ = 0;
    std::size_t from_piece_ = 0; // how many of the last bytes of held_ are from the piece at hand
    std::size_t wanted_ = header_bytes;
    std::uint64_t offset_ = 0; // of what comes next
    damage damage_;            // not yet told, as it may go on
};

} // namespace fingerpost::io::mrt
