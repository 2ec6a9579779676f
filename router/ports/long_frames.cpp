// Makes room for long frames, and passes them to the kernel.
#include "router/ports/long_frames.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <linux/filter.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <span>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <system_error>

#include <fmt/format.h>
#include <rte_version.h>

#include "router/config/text_checks.hpp"

namespace fingerpost::router {
namespace {

constexpr unsigned default_frame = 2048;
constexpr unsigned page = 4096;
// Bytes of a frame in the ring in addition to the packet: headers of the kernel and of Ethernet, and a tag.
constexpr unsigned beside_packet = 128;

unsigned wanted_frame(const port_config& port) {
    if (port.mtu + beside_packet <= default_frame)
        return default_frame;
    return (port.mtu + beside_packet + page - 1) / page * page;
}

// The kernel reports "no four bytes before each frame" and "no filter" with the same bit. So query it while a
// filter is attached that accepts everything.
bool has_bytes_before_frames(int tap) {
    sock_filter pass = BPF_STMT(BPF_RET | BPF_K, 0xffffffff);
    sock_fprog filter{1, &pass};
    ifreq is{};
    const bool filtered = ::ioctl(tap, TUNATTACHFILTER, &filter) == 0;
    const bool answered = ::ioctl(tap, TUNGETIFF, &is) == 0;
    if (filtered)
        (void)::ioctl(tap, TUNDETACHFILTER, &filter);
    return !filtered || !answered || (is.ifr_flags & IFF_NO_PI) == 0;
}

// Adds the members and, unless the configuration sets another mode, LACP (mode 4).
std::string bond_arguments(const port_config& port) {
#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
    constexpr std::string_view member_argument = "member";
#else
    constexpr std::string_view member_argument = "slave";
#endif
    std::string text = port.device;
    if (text.find(",mode=") == std::string::npos)
        text += ",mode=4";
    for (const std::string& member : port.members)
        text += fmt::format(",{}={}", member_argument, member.substr(0, member.find(',')));
    return text;
}

} // namespace

std::string device_arguments(const port_config& port) {
    if (port.is_bond())
        return bond_arguments(port);
    const unsigned bytes = wanted_frame(port);
    if (!port.is_af_packet() || bytes == default_frame || number_argument(port.device, "framesz", 0) != 0 ||
        number_argument(port.device, "blocksz", 0) != 0)
        return port.device;
    return fmt::format("{},framesz={},blocksz={}", port.device, bytes, bytes);
}

unsigned ring_frame_bytes(const port_config& port) {
    if (port.is_bond()) {
        unsigned longest = 0;
        for (const port_config& device : devices_of(port))
            longest = std::max(longest, ring_frame_bytes(device));
        return longest;
    }
    if (!port.is_af_packet())
        return 0;
    return number_argument(device_arguments(port), "framesz", default_frame);
}

int set_kernel_mtu(std::uint32_t interface, unsigned mtu) {
    ifreq request{};
    if (::if_indextoname(interface, request.ifr_name) == nullptr)
        return errno;
    const system::unique_fd asking(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    request.ifr_mtu = static_cast<int>(mtu);
    return ::ioctl(asking.get(), SIOCSIFMTU, &request) == 0 ? 0 : errno;
}

// The driver does not expose its files, so they are found by asking the kernel about each file of the
// process. A file whose queue is detached (the driver has one) is not suitable for writing.
tap_file tap_file::find(const std::string& tap) {
    tap_file match;
    std::error_code fault;
    for (std::filesystem::directory_iterator at("/proc/self/fd", fault), end; !fault && at != end;
         at.increment(fault)) {
        if (std::filesystem::read_symlink(at->path(), fault) != "/dev/net/tun")
            continue;
        const std::string name = at->path().filename().string();
        int number = -1;
        (void)std::from_chars(name.data(), name.data() + name.size(), number);
        ifreq is{};
        if (::ioctl(number, TUNGETIFF, &is) != 0 || tap != is.ifr_name ||
            (is.ifr_flags & IFF_DETACH_QUEUE) != 0)
            continue;
        match.file_ = system::unique_fd(::fcntl(number, F_DUPFD_CLOEXEC, 0));
        match.has_packet_information_ = has_bytes_before_frames(number);
        break;
    }
    return match;
}

bool tap_file::keep(bool stays) const noexcept {
    return file_ && ::ioctl(file_.get(), TUNSETPERSIST, stays ? 1UL : 0UL) == 0;
}

bool tap_file::write(const rte_mbuf& frame) const noexcept {
    if (!file_ || frame.nb_segs != 1)
        return false;
    tun_pi information{};
    std::array<iovec, 2> parts = {
        iovec{&information, sizeof information},
        iovec{rte_pktmbuf_mtod(&frame, void*), frame.data_len},
    };
    const auto pieces = std::span(parts).subspan(has_packet_information_ ? 0 : 1);
    return ::writev(file_.get(), pieces.data(), static_cast<int>(pieces.size())) >= 0;
}

} // namespace fingerpost::router
