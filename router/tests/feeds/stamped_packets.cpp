// Sends numbered packets at a given rate from one network namespace and receives them in another, for tests
// that change a router in between.
//
//   stamped_packets FROM INTERFACE MAC TO INTERFACE RATE ADDRESS...
//
// Packets go to the addresses in turn. Packets to address number i must arrive for the MAC address
// 02:00:00:00:03:HH, where HH is i. The program sends until its standard input ends, waits for packets that
// are still on their way, and prints one JSON object: packets sent, lost, for a wrong MAC address, received
// twice or out of order, and the rate achieved.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using clock_type = std::chrono::steady_clock;

constexpr unsigned at_once = 16;
// Maximum number of packets on their way. A router without a core cannot keep up, and nothing else may lose
// packets.
constexpr std::uint64_t most_on_their_way = 16'384;
constexpr std::size_t mark_bytes = 8;
constexpr char mark[mark_bytes + 1] = "stamped!";
constexpr auto last_wait = std::chrono::seconds(3);

[[noreturn]] void fail(const char* what) {
    std::perror(what);
    std::exit(1);
}

struct trailer {
    char mark[mark_bytes];
    std::uint32_t flow;
    std::uint64_t sequence; // among all packets
} __attribute__((packed));

using frame = std::vector<std::uint8_t>;

std::uint16_t ip_checksum(const std::uint8_t* bytes, std::size_t count) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < count; i += 2)
        sum += static_cast<std::uint32_t>(bytes[i] << 8 | bytes[i + 1]);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(~(sum + (sum >> 16)));
}

void put_address(frame& into, std::size_t at, int family, const char* text) {
    if (inet_pton(family, text, into.data() + at) != 1)
        fail(text);
}

frame make_frame(const std::string& mac, const std::string& to, std::uint32_t flow) {
    const bool six = to.find(':') != std::string::npos;
    const std::size_t header = six ? 40 : 20;
    const std::size_t payload = 8 + sizeof(trailer);
    frame made(14 + header + payload);
    unsigned bytes[6];
    if (std::sscanf(mac.c_str(), "%x:%x:%x:%x:%x:%x", &bytes[0], &bytes[1], &bytes[2], &bytes[3], &bytes[4],
                    &bytes[5]) != 6)
        fail("MAC address");
    for (std::size_t i = 0; i < 6; ++i)
        made[i] = static_cast<std::uint8_t>(bytes[i]);
    made[6] = 2;
    made[11] = 0xee;
    made[12] = six ? 0x86 : 0x08;
    made[13] = six ? 0xdd : 0x00;
    if (six) {
        made[14] = 0x60;
        made[14 + 5] = static_cast<std::uint8_t>(payload);
        made[14 + 6] = 17;
        made[14 + 7] = 64;
        put_address(made, 14 + 8, AF_INET6, "2001:db8::2");
        put_address(made, 14 + 24, AF_INET6, to.c_str());
    } else {
        made[14] = 0x45;
        made[14 + 3] = static_cast<std::uint8_t>(header + payload);
        made[14 + 8] = 64;
        made[14 + 9] = 17;
        put_address(made, 14 + 12, AF_INET, "10.0.0.2");
        put_address(made, 14 + 16, AF_INET, to.c_str());
        const std::uint16_t sum = ip_checksum(made.data() + 14, header);
        made[14 + 10] = static_cast<std::uint8_t>(sum >> 8);
        made[14 + 11] = static_cast<std::uint8_t>(sum);
    }
    std::uint8_t* const udp = made.data() + 14 + header;
    udp[0] = static_cast<std::uint8_t>(0x80 | flow >> 8);
    udp[1] = static_cast<std::uint8_t>(flow);
    udp[3] = 9;
    udp[5] = static_cast<std::uint8_t>(payload);
    trailer at_end{{}, flow, 0};
    std::memcpy(at_end.mark, mark, mark_bytes);
    std::memcpy(udp + 8, &at_end, sizeof at_end);
    return made;
}

int raw_socket(const char* space, const char* interface) {
    const int home = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    const int there = ::open((std::string("/run/netns/") + space).c_str(), O_RDONLY | O_CLOEXEC);
    if (there < 0 || setns(there, CLONE_NEWNET) != 0)
        fail(space);
    const int made = ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));
    sockaddr_ll where{};
    where.sll_family = AF_PACKET;
    where.sll_protocol = htons(ETH_P_ALL);
    where.sll_ifindex = static_cast<int>(if_nametoindex(interface));
    if (made < 0 || where.sll_ifindex == 0 ||
        ::bind(made, reinterpret_cast<sockaddr*>(&where), sizeof where) != 0)
        fail(interface);
    const int size = 512 << 20;
    (void)::setsockopt(made, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
    (void)::setsockopt(made, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size);
    if (setns(home, CLONE_NEWNET) != 0)
        fail("setns");
    ::close(home);
    ::close(there);
    return made;
}

std::atomic<bool> sending{true};
std::atomic<std::uint64_t> sent{0};
std::atomic<std::uint64_t> arrived{0};

// Late packets are sent later, but never in a burst that would fill a queue.
double send_all(int out, std::vector<frame> frames, double rate) {
    const auto start = clock_type::now();
    auto pace = start;
    std::uint64_t paced = 0, number = 0;
    while (sending.load()) {
        const auto now = clock_type::now();
        const auto due = static_cast<std::uint64_t>(std::chrono::duration<double>(now - pace).count() * rate);
        if (due < paced + at_once || number >= arrived.load() + most_on_their_way) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            continue;
        }
        if (due > paced + 1000) {
            pace = now;
            paced = 0;
        }
        std::array<mmsghdr, at_once> messages{};
        std::array<iovec, at_once> parts;
        std::array<frame, at_once> copies;
        for (unsigned i = 0; i < at_once; ++i) {
            copies[i] = frames[(number + i) % frames.size()];
            const std::uint64_t sequence = number + i;
            std::memcpy(copies[i].data() + copies[i].size() - sizeof sequence, &sequence, sizeof sequence);
            parts[i] = {copies[i].data(), copies[i].size()};
            messages[i].msg_hdr.msg_iov = &parts[i];
            messages[i].msg_hdr.msg_iovlen = 1;
        }
        for (unsigned done = 0; done < at_once;) {
            const int count = ::sendmmsg(out, messages.data() + done, at_once - done, 0);
            if (count < 0 && errno != EINTR && errno != ENOBUFS && errno != EAGAIN)
                fail("sendmmsg");
            done += count > 0 ? static_cast<unsigned>(count) : 0;
        }
        number += at_once;
        paced += at_once;
        sent.store(number);
    }
    return static_cast<double>(number) / std::chrono::duration<double>(clock_type::now() - start).count();
}

struct counts {
    std::uint64_t received = 0, wrong = 0, twice = 0, reordered = 0;
};

counts receive_all(int in, std::size_t flows) {
    counts found;
    std::vector<std::uint64_t> next(flows, 0);
    std::vector<bool> seen;
    auto last = clock_type::now();
    constexpr unsigned most = 64;
    std::vector<std::array<std::uint8_t, 2048>> buffers(most);
    std::array<iovec, most> parts;
    std::array<mmsghdr, most> messages;
    while (sending.load() || (clock_type::now() - last < last_wait && found.received < sent.load())) {
        pollfd asked{in, POLLIN, 0};
        if (::poll(&asked, 1, 100) <= 0)
            continue;
        for (unsigned i = 0; i < most; ++i) {
            parts[i] = {buffers[i].data(), buffers[i].size()};
            messages[i] = {};
            messages[i].msg_hdr.msg_iov = &parts[i];
            messages[i].msg_hdr.msg_iovlen = 1;
        }
        const int count = ::recvmmsg(in, messages.data(), most, MSG_DONTWAIT, nullptr);
        for (int i = 0; i < count; ++i) {
            const std::uint8_t* const bytes = buffers[static_cast<unsigned>(i)].data();
            const std::size_t size = messages[static_cast<unsigned>(i)].msg_len;
            trailer got;
            if (size < 14 + 20 + 8 + sizeof got)
                continue;
            std::memcpy(&got, bytes + size - sizeof got, sizeof got);
            if (std::memcmp(got.mark, mark, mark_bytes) != 0 || got.flow >= flows)
                continue;
            last = clock_type::now();
            const std::uint8_t right[6] = {2, 0, 0, 0, 3, static_cast<std::uint8_t>(got.flow)};
            found.wrong += std::memcmp(bytes, right, sizeof right) != 0;
            if (got.sequence >= seen.size())
                seen.resize(got.sequence + 1'000'000);
            if (seen[got.sequence]) {
                ++found.twice;
                continue;
            }
            seen[got.sequence] = true;
            ++found.received;
            arrived.store(found.received);
            found.reordered += got.sequence < next[got.flow];
            next[got.flow] = std::max(next[got.flow], got.sequence + 1);
        }
    }
    return found;
}

} // namespace

int main(int count, char** words) {
    if (count < 8) {
        std::fprintf(stderr, "stamped_packets FROM INTERFACE MAC TO INTERFACE RATE ADDRESS...\n");
        return 2;
    }
    std::vector<frame> frames;
    for (int i = 7; i < count; ++i)
        frames.push_back(make_frame(words[3], words[i], static_cast<std::uint32_t>(i - 7)));
    const std::size_t flows = frames.size();
    const int out = raw_socket(words[1], words[2]);
    const int in = raw_socket(words[4], words[5]);
    counts found;
    double rate = 0;
    std::thread receiver([&] { found = receive_all(in, flows); });
    std::thread sender([&] { rate = send_all(out, std::move(frames), std::atof(words[6])); });
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) > 0) {
        std::printf("%llu\n", static_cast<unsigned long long>(sent.load()));
        std::fflush(stdout);
    }
    sending.store(false);
    sender.join();
    receiver.join();
    std::printf("{\"sent\": %llu, \"lost\": %llu, \"wrong\": %llu, \"twice\": %llu, \"reordered\": %llu, "
                "\"rate\": %.0f}\n",
                static_cast<unsigned long long>(sent.load()),
                static_cast<unsigned long long>(sent.load() - found.received),
                static_cast<unsigned long long>(found.wrong), static_cast<unsigned long long>(found.twice),
                static_cast<unsigned long long>(found.reordered), rate);
    return 0;
}
