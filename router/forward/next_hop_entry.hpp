// The next hop as a data thread sees it: how to handle a packet. Half a cache line, written once.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/net/address.hpp"
#include "router/packet/rewrite.hpp"

namespace fingerpost::router {

enum class hop_kind : std::uint8_t {
    forward,     // the header is complete
    unresolved,  // the gateway's MAC address is unknown: the host thread holds the packet and asks for it
    connected,   // the destination is a neighbour: look it up among the neighbours of `interface`
    local,       // for the router itself: passed to the kernel
    group,       // the flow hash selects a bucket
    blackhole,   // dropped silently
    unreachable, // dropped, with an ICMP error to the sender
    prohibit,    // likewise, as administratively prohibited
    no_route,    // likewise, because no route covers the destination
    link_down,   // the link of the exit is down: like unreachable, but counted separately
};

constexpr std::string_view name_of(hop_kind kind) noexcept {
    switch (kind) {
    case hop_kind::forward:
        return "forward";
    case hop_kind::unresolved:
        return "unresolved";
    case hop_kind::connected:
        return "connected";
    case hop_kind::local:
        return "local";
    case hop_kind::group:
        return "group";
    case hop_kind::blackhole:
        return "blackhole";
    case hop_kind::unreachable:
        return "unreachable";
    case hop_kind::prohibit:
        return "prohibit";
    case hop_kind::no_route:
        return "no route";
    case hop_kind::link_down:
        return "link down";
    }
    return "unknown";
}

// The flows of a group are distributed over this many buckets.
inline constexpr std::size_t group_buckets = 1024;
using bucket_array = std::array<std::uint32_t, group_buckets>; // numbers of next hops

// True if packets used an entry since the control thread last checked. All data threads share the entry's
// cache line, so the mark is written once after each check, not for every packet. It is not part of the
// entry's value: a copy starts without a mark.
class use_mark {
  public:
    use_mark() noexcept = default;
    use_mark(const use_mark&) noexcept {}
    use_mark& operator=(const use_mark&) noexcept { return *this; }

    void set() const noexcept {
        if (!used_.load(std::memory_order_relaxed))
            used_.store(true, std::memory_order_relaxed);
    }
    bool take() const noexcept {
        const bool used = used_.load(std::memory_order_relaxed);
        if (used)
            used_.store(false, std::memory_order_relaxed);
        return used;
    }

    friend bool operator==(const use_mark&, const use_mark&) noexcept { return true; }

  private:
    mutable std::atomic<bool> used_{false};
};

struct alignas(cache_line_bytes / 2) next_hop_entry {
    hop_kind kind = hop_kind::no_route;
    bool ipv6_gateway = false; // address family of the gateway
    std::uint16_t port = 0;
    std::uint32_t interface = 0; // the kernel's number of the exit interface
    // Used by `forward`; its MTU also by other kinds that leave by an interface. Kinds without a header store
    // other data in its bytes: `unresolved` the gateway, with an IPv4 address in the low 32 bits, and `group`
    // a pointer to a bucket_array.
    way_out out{};
    use_mark used{}; // for `forward`

    ipv6_address gateway() const noexcept { return {instead_of_header<u128>()}; }
    void set_gateway(ipv6_address a) noexcept { put_instead_of_header(a.value); }
    const bucket_array& buckets() const noexcept { return *instead_of_header<const bucket_array*>(); }
    void set_buckets(const bucket_array* to) noexcept { put_instead_of_header(to); }

    friend bool operator==(const next_hop_entry&, const next_hop_entry&) = default;

  private:
    template <class T>
    T instead_of_header() const noexcept {
        return detail::load<T>(out.header.bytes().data());
    }
    template <class T>
    void put_instead_of_header(const T& value) noexcept {
        static_assert(sizeof value <= link_header::most_bytes);
        std::memcpy(out.header.bytes().data(), &value, sizeof value);
    }
};
static_assert(sizeof(next_hop_entry) == cache_line_bytes / 2);
static_assert(std::is_trivially_destructible_v<next_hop_entry>);

} // namespace fingerpost::router
