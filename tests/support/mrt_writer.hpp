// Writes MRT records and BGP messages field by field, so that tests can make any field wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fingerpost/net/text.hpp"

namespace fingerpost::testing {

// Bytes in network order.
class octets {
  public:
    octets() = default;

    octets& u8(std::uint64_t value) { return number(value, 1); }
    octets& u16(std::uint64_t value) { return number(value, 2); }
    octets& u32(std::uint64_t value) { return number(value, 4); }
    octets& as(unsigned width, std::uint64_t value) { return number(value, width); }
    octets& add(const octets& more) {
        all_.insert(all_.end(), more.all_.begin(), more.all_.end());
        return *this;
    }
    octets& zeros(std::size_t count) {
        all_.resize(all_.size() + count);
        return *this;
    }
    // Appends `more`, preceded by its size in two bytes.
    octets& sized(const octets& more) { return u16(more.size()).add(more); }
    octets& address(std::string_view text) {
        if (detect_family(text) == family::ipv4)
            return base(*parse_address<ipv4_address>(text), 4);
        return base(*parse_address<ipv6_address>(text), 16);
    }
    // A prefix: its length in bits, and as many bytes as it needs.
    octets& prefix(std::string_view text) {
        if (detect_family(text) == family::ipv4)
            return given(*parse_prefix<ipv4_address>(text));
        return given(*parse_prefix<ipv6_address>(text));
    }

    std::size_t size() const { return all_.size(); }
    std::span<const std::byte> view() const { return all_; }
    std::byte& operator[](std::size_t at) { return all_[at]; }
    octets first(std::size_t count) const {
        octets some;
        some.all_.assign(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(count));
        return some;
    }

  private:
    octets& number(std::uint64_t value, unsigned width) {
        for (unsigned shift = 8 * width; shift != 0; shift -= 8)
            all_.push_back(static_cast<std::byte>(value >> (shift - 8)));
        return *this;
    }
    template <class A>
    octets& base(A whole, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            u8(static_cast<std::uint8_t>(whole.value >> (A::bits - 8 - 8 * i)));
        return *this;
    }
    template <class P>
    octets& given(P where) {
        u8(where.length);
        return base(where.base, (where.length + 7) / 8);
    }

    std::vector<std::byte> all_;
};

inline octets operator+(octets a, const octets& b) {
    return a.add(b);
}

inline octets prefixes(std::initializer_list<std::string_view> all) {
    octets made;
    for (const std::string_view one : all)
        made.prefix(one);
    return made;
}
// Adds path identifiers, counting up from `first`.
inline octets numbered_prefixes(std::initializer_list<std::string_view> all, std::uint32_t first) {
    octets made;
    for (const std::string_view one : all)
        made.u32(first++).prefix(one);
    return made;
}

// Path attributes.
inline octets attribute(unsigned type, const octets& value) {
    octets made;
    if (value.size() > 255)
        return made.u8(0x50).u8(type).sized(value);
    return made.u8(0x40).u8(type).u8(value.size()).add(value);
}
inline octets next_hop_attribute(std::string_view address) {
    return attribute(3, octets().address(address));
}
enum class segment : std::uint8_t { set = 1, sequence = 2, confed_sequence = 3, confed_set = 4 };
inline octets path_segment(unsigned width, std::initializer_list<std::uint32_t> path,
                           segment kind = segment::sequence) {
    octets made;
    made.u8(static_cast<unsigned>(kind)).u8(path.size());
    for (const std::uint32_t one : path)
        made.as(width, one);
    return made;
}
inline octets as_path(unsigned width, std::initializer_list<std::uint32_t> path) {
    return attribute(2, path_segment(width, path));
}
inline octets mp_reach(unsigned afi, unsigned safi, std::string_view next_hop, const octets& list) {
    const octets at = octets().address(next_hop);
    return attribute(14, octets().u16(afi).u8(safi).u8(at.size()).add(at).u8(0).add(list));
}
// In the form that table dumps use.
inline octets mp_next_hop(std::string_view next_hop) {
    const octets at = octets().address(next_hop);
    return attribute(14, octets().u8(at.size()).add(at));
}
inline octets mp_unreach(unsigned afi, unsigned safi, const octets& list) {
    return attribute(15, octets().u16(afi).u8(safi).add(list));
}

// BGP messages.
inline octets message(unsigned type, const octets& body) {
    octets made;
    for (int i = 0; i < 16; ++i)
        made.u8(0xff);
    return made.u16(19 + body.size()).u8(type).add(body);
}
inline octets update_body(const octets& withdrawn, const octets& attributes, const octets& announced) {
    return octets().sized(withdrawn).sized(attributes).add(announced);
}
inline octets update(const octets& withdrawn, const octets& attributes, const octets& announced) {
    return message(2, update_body(withdrawn, attributes, announced));
}

// Records.
inline octets record(std::uint32_t seconds, unsigned type, unsigned subtype, const octets& body) {
    return octets().u32(seconds).u16(type).u16(subtype).u32(body.size()).add(body);
}
// A peer, with all fields that precede the message in a BGP4MP record.
inline octets session(unsigned as_width, std::uint32_t as, std::string_view peer) {
    octets made;
    const octets at = octets().address(peer);
    made.as(as_width, as).as(as_width, 64'999).u16(0).u16(at.size() == 4 ? 1 : 2);
    return made.add(at).zeros(at.size());
}

struct written_peer {
    std::string_view address;
    std::uint32_t as = 0;
    unsigned as_width = 4;
};
inline octets peer_index(std::initializer_list<written_peer> peers) {
    octets made;
    made.u32(0x0a0a0a0a).u16(4).u32(0x76696577).u16(peers.size());
    for (const written_peer& one : peers) {
        const octets at = octets().address(one.address);
        const unsigned kind = (at.size() == 16 ? 1u : 0u) | (one.as_width == 4 ? 2u : 0u);
        made.u8(kind).u32(0x01010101).add(at).as(one.as_width, one.as);
    }
    return made;
}
inline octets rib_entry(unsigned peer, const octets& attributes, std::optional<std::uint32_t> path_id = {}) {
    octets made;
    made.u16(peer).u32(7);
    if (path_id)
        made.u32(*path_id);
    return made.sized(attributes);
}
inline octets rib(std::string_view prefix, std::initializer_list<octets> entries) {
    octets made;
    made.u32(0).prefix(prefix).u16(entries.size());
    for (const octets& one : entries)
        made.add(one);
    return made;
}
// Omits the view and the sequence number at the start of the record.
inline octets table_dump_entry(std::string_view base, unsigned length, std::string_view peer, unsigned as,
                               const octets& attributes) {
    return octets().address(base).u8(length).u8(1).u32(7).address(peer).u16(as).sized(attributes);
}
inline octets table_dump(const octets& entries) {
    return octets().u16(0).u16(0).add(entries);
}

} // namespace fingerpost::testing
