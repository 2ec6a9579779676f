// Checked access to the attributes of a netlink message: the part of the decoder that does not depend on the
// type of message.
//
// libmnl handles the layout of an attribute and checks its length. Its own loops stop silently at a damaged
// attribute, which is an error here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <libmnl/libmnl.h>

#include "router/routes/netlink/netlink_message.hpp"

namespace fingerpost::router::netlink {

// Bytes, and their offset in the decoded input.
struct region {
    std::span<const std::byte> bytes;
    std::size_t offset = 0;

    region from(std::size_t at) const { return {bytes.subspan(at), offset + at}; }
    region first(std::size_t count) const { return {bytes.first(count), offset}; }
};

// The result of a decoder: nothing, or the first error.
using fault = std::optional<netlink_error>;

template <class... T>
netlink_error error_at(std::size_t offset, fmt::format_string<T...> format, T&&... arguments) {
    return {offset, fmt::format(format, std::forward<T>(arguments)...)};
}

// Copies a structure of the kernel's interface from the start of a region; nothing if there are too few
// bytes.
template <class T>
std::optional<T> header_of(const region& in) {
    if (in.bytes.size() < sizeof(T))
        return std::nullopt;
    T header;
    std::memcpy(&header, in.bytes.data(), sizeof header);
    return header;
}

// One attribute whose length has been checked.
class attribute {
  public:
    attribute(const nlattr* raw, std::size_t offset) : raw_(raw), offset_(offset) {}

    std::uint16_t type() const { return mnl_attr_get_type(raw_); }
    std::size_t offset() const { return offset_; }
    region payload() const {
        const auto* const start = static_cast<const std::byte*>(mnl_attr_get_payload(raw_));
        return {{start, mnl_attr_get_payload_len(raw_)}, offset_ + MNL_ATTR_HDRLEN};
    }

    // Reads a number of exactly this size.
    template <class T>
    fault read(T& out, std::string_view name) const {
        const region in = payload();
        if (in.bytes.size() != sizeof(T))
            return error_at(offset_, "{} has {} bytes, not {}", name, in.bytes.size(), sizeof(T));
        std::memcpy(&out, in.bytes.data(), sizeof(T));
        return std::nullopt;
    }
    // Reads an address of 4 or 16 bytes, in network order.
    fault read(any_address& out, std::string_view name) const;

  private:
    const nlattr* raw_;
    std::size_t offset_;
};

// Calls visit(attribute), which returns a fault, for all attributes. `in` must be aligned to four bytes.
template <class F>
fault for_each_attribute(region in, F visit) {
    // Less than a header can only be padding.
    while (in.bytes.size() >= sizeof(nlattr)) {
        const auto* const raw = reinterpret_cast<const nlattr*>(in.bytes.data());
        if (!mnl_attr_ok(raw, static_cast<int>(in.bytes.size())))
            return error_at(in.offset, "an attribute of {} bytes where {} are left", raw->nla_len,
                            in.bytes.size());
        if (fault failed = visit(attribute(raw, in.offset)))
            return failed;
        const std::size_t step = MNL_ALIGN(mnl_attr_get_len(raw));
        in = in.from(std::min(step, in.bytes.size()));
    }
    return std::nullopt;
}

// Converts `bytes`, of which there must be 4 or 16, to an address.
any_address address_from(std::span<const std::byte> bytes);

} // namespace fingerpost::router::netlink
