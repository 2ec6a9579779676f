// Finds the sockets among the descriptors of the process, and asks the kernel.
#include "router/ports/ring_losses.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <sstream>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace fingerpost::router {
namespace {

bool takes_packets_of(int descriptor, int interface) {
    sockaddr_ll bound{};
    socklen_t length = sizeof bound;
    return ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &length) == 0 &&
           bound.sll_family == AF_PACKET && bound.sll_ifindex == interface;
}

bool is_xdp(int descriptor) {
    int domain = 0;
    socklen_t length = sizeof domain;
    return ::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_XDP;
}

std::vector<int> descriptors() {
    std::vector<int> numbers;
    std::error_code fault;
    for (std::filesystem::directory_iterator at("/proc/self/fd", fault), end; !fault && at != end;
         at.increment(fault)) {
        const std::string name = at->path().filename().string();
        int descriptor = -1;
        (void)std::from_chars(name.data(), name.data() + name.size(), descriptor);
        numbers.push_back(descriptor);
    }
    return numbers;
}

// Packets that the kernel could not send to the TAP because its queue was full.
std::uint64_t not_sent_by(const std::string& interface) {
    std::ifstream lines("/proc/thread-self/net/dev");
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        if (name != interface + ":")
            continue;
        // Received bytes, packets, errors, drops and four more columns, then the sent columns in the same
        // order.
        std::array<std::uint64_t, 12> numbers{};
        for (std::uint64_t& column : numbers)
            words >> column;
        return words ? numbers[11] : 0;
    }
    return 0;
}

} // namespace

ring_losses::ring_losses(const std::vector<std::string>& interfaces,
                         const std::vector<ring_losses>& earlier) {
    if (interfaces.empty())
        return;
    std::vector<int> numbers;
    for (const std::string& interface_name : interfaces)
        if (const auto number = static_cast<int>(::if_nametoindex(interface_name.c_str())); number != 0)
            numbers.push_back(number);
    const auto is_of_another = [&](int descriptor) {
        return std::ranges::any_of(earlier, [&](const ring_losses& other) {
            return std::ranges::find(other.xdp_sockets_, descriptor) != other.xdp_sockets_.end();
        });
    };
    for (const int descriptor : descriptors()) {
        const auto takes = [&](int interface) { return takes_packets_of(descriptor, interface); };
        if (std::ranges::any_of(numbers, takes))
            packet_sockets_.push_back(descriptor);
        else if (is_xdp(descriptor) && !is_of_another(descriptor))
            xdp_sockets_.push_back(descriptor);
    }
}

ring_losses ring_losses::of_tap(std::string interface) {
    ring_losses losses;
    losses.tap_ = std::move(interface);
    return losses;
}

std::uint64_t ring_losses::read() noexcept {
    for (const int descriptor : packet_sockets_) {
        tpacket_stats counted{};
        socklen_t length = sizeof counted;
        if (::getsockopt(descriptor, SOL_PACKET, PACKET_STATISTICS, &counted, &length) == 0)
            lost_ += counted.tp_drops;
    }
    std::uint64_t others = 0;
    for (const int descriptor : xdp_sockets_) {
        xdp_statistics counted{};
        socklen_t length = sizeof counted;
        if (::getsockopt(descriptor, SOL_XDP, XDP_STATISTICS, &counted, &length) == 0)
            others += counted.rx_ring_full;
    }
    if (!tap_.empty())
        others += not_sent_by(tap_);
    return lost_ + others;
}

} // namespace fingerpost::router
