// Writes netlink messages byte by byte, without libmnl, so that the decoder is not tested with its own
// library.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

namespace fingerpost::router::testing {

using bytes = std::vector<std::byte>;

inline bytes raw(std::initializer_list<unsigned> values) {
    bytes out;
    for (const unsigned value : values)
        out.push_back(static_cast<std::byte>(value));
    return out;
}

class message_bytes {
  public:
    template <class T>
    message_bytes(std::uint16_t type, const T& header, std::uint16_t flags = 0, std::uint32_t sequence = 0) {
        put(nlmsghdr{0, type, flags, sequence, 0});
        put(header);
    }

    template <class T>
    message_bytes& attribute(std::uint16_t type, const T& value) {
        return nest(type, [&] { put(value); });
    }
    message_bytes& attribute(std::uint16_t type, std::initializer_list<unsigned> values) {
        return nest(type, [&] { put_bytes(raw(values)); });
    }
    message_bytes& text(std::uint16_t type, const std::string& value) {
        return nest(type, [&] {
            for (const char c : value)
                bytes_.push_back(static_cast<std::byte>(c));
            bytes_.push_back(std::byte{0});
        });
    }
    message_bytes& nest(std::uint16_t type, const std::function<void()>& fill) {
        const std::size_t start = bytes_.size();
        put(nlattr{0, type});
        fill();
        set_length<std::uint16_t>(start);
        return *this;
    }
    // One path of RTA_MULTIPATH.
    message_bytes& hop(int interface, unsigned weight, const std::function<void()>& fill) {
        const std::size_t start = bytes_.size();
        put(rtnexthop{0, 0, static_cast<unsigned char>(weight - 1), interface});
        fill();
        set_length<std::uint16_t>(start);
        return *this;
    }

    bytes done() const {
        bytes whole = bytes_;
        const auto length = static_cast<std::uint32_t>(whole.size());
        std::memcpy(whole.data(), &length, sizeof length);
        return whole;
    }

  private:
    template <class T>
    void put(const T& value) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + sizeof value);
        std::memcpy(bytes_.data() + at, &value, sizeof value);
    }
    void put_bytes(const bytes& more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
    template <class T>
    void set_length(std::size_t start) {
        const T length = static_cast<T>(bytes_.size() - start);
        std::memcpy(bytes_.data() + start, &length, sizeof length);
        bytes_.resize((bytes_.size() + 3) / 4 * 4);
    }

    bytes bytes_;
};

// The header of a route.
inline rtmsg route_header(int family, unsigned length, unsigned type = RTN_UNICAST) {
    rtmsg header{};
    header.rtm_family = static_cast<unsigned char>(family);
    header.rtm_dst_len = static_cast<unsigned char>(length);
    header.rtm_table = RT_TABLE_MAIN;
    header.rtm_protocol = RTPROT_STATIC;
    header.rtm_type = static_cast<unsigned char>(type);
    return header;
}
inline nhmsg hop_header(int family = AF_UNSPEC) {
    nhmsg header{};
    header.nh_family = static_cast<unsigned char>(family);
    return header;
}
inline bytes operator+(bytes a, const bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// Puts messages into an FPM frame.
inline bytes framed(const bytes& payload) {
    const auto length = static_cast<unsigned>(payload.size() + 4);
    return raw({1, 1, length >> 8, length & 0xff}) + payload;
}

} // namespace fingerpost::router::testing
