// Finds the sockets among the descriptors of the process.
#include "router/ports/ring_losses.hpp"

#include <charconv>
#include <filesystem>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <system_error>

namespace fingerpost::router {
namespace {

bool takes_packets_of(int descriptor, int interface) {
    sockaddr_ll bound{};
    socklen_t length = sizeof bound;
    return ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &length) == 0 &&
           bound.sll_family == AF_PACKET && bound.sll_ifindex == interface;
}

} // namespace

ring_losses::ring_losses(const std::string& interface) {
    const auto number = static_cast<int>(interface.empty() ? 0 : ::if_nametoindex(interface.c_str()));
    std::error_code fault;
    for (std::filesystem::directory_iterator at("/proc/self/fd", fault), end;
         number != 0 && !fault && at != end; at.increment(fault)) {
        const std::string name = at->path().filename().string();
        int descriptor = -1;
        (void)std::from_chars(name.data(), name.data() + name.size(), descriptor);
        if (takes_packets_of(descriptor, number))
            sockets_.push_back(descriptor);
    }
}

std::uint64_t ring_losses::read() noexcept {
    for (const int descriptor : sockets_) {
        tpacket_stats counted{};
        socklen_t length = sizeof counted;
        if (::getsockopt(descriptor, SOL_PACKET, PACKET_STATISTICS, &counted, &length) == 0)
            lost_ += counted.tp_drops;
    }
    return lost_;
}

} // namespace fingerpost::router
