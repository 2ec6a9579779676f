// Reads addresses in attributes.
#include "router/routes/netlink/netlink_attributes.hpp"

namespace fingerpost::router::netlink {

namespace {

template <class A>
A number_of(std::span<const std::byte> bytes) {
    typename A::value_type value = 0;
    for (const std::byte byte : bytes)
        value = static_cast<typename A::value_type>(value << 8 | std::to_integer<std::uint8_t>(byte));
    return A{value};
}

} // namespace

any_address address_from(std::span<const std::byte> bytes) {
    if (bytes.size() == 4)
        return number_of<ipv4_address>(bytes);
    return number_of<ipv6_address>(bytes);
}

fault attribute::read(any_address& out, std::string_view name) const {
    const region in = payload();
    if (in.bytes.size() != 4 && in.bytes.size() != 16)
        return error_at(offset_, "{} has {} bytes, not 4 or 16", name, in.bytes.size());
    out = address_from(in.bytes);
    return std::nullopt;
}

} // namespace fingerpost::router::netlink
