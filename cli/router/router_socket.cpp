// Implements version 2 of DPDK's telemetry protocol.
#include "cli/router/router_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <utility>

#include "io/format/parts/input_error.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

using nlohmann::ordered_json;

// Packet size before the greeting announces the limit, which is never smaller.
constexpr std::size_t first_longest = 16384;
constexpr std::size_t greatest_longest = std::size_t{16} << 20;

std::string words_of_connect(int fault) {
    switch (fault) {
    case EACCES:
    case EPERM:
        return "permission denied: the socket belongs to the user who started the router";
    case ECONNREFUSED:
        return "no answer: the router of this socket has ended";
    case EAGAIN:
        return "the router does not accept connections; it may hang";
    case EPROTOTYPE:
        return "not a telemetry socket of DPDK";
    default:
        return std::strerror(fault);
    }
}

} // namespace

router_socket::router_socket(std::string path, std::chrono::milliseconds patience)
    : path_(std::move(path)), patience_(patience), longest_(first_longest) {
    connect();
    read_greeting();
}

void router_socket::connect() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path_.size() >= sizeof(address.sun_path))
        fail(fmt::format("the path is longer than {} bytes", sizeof(address.sun_path) - 1));
    std::copy(path_.begin(), path_.end(), address.sun_path);
    socket_.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    // Connecting also waits this long for a place in a full queue.
    const auto whole = std::chrono::floor<std::chrono::seconds>(patience_);
    const timeval most{.tv_sec = whole.count(),
                       .tv_usec = std::chrono::microseconds(patience_ - whole).count()};
    if (!socket_ || ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most)) != 0 ||
        ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
        fail(words_of_connect(errno));
}

void router_socket::read_greeting() {
    const std::string text = receive("greeting");
    // DPDK serves ten connections at once and closes all others.
    if (text.empty())
        fail("the router closed the connection: it may have too many");
    const ordered_json greeting = parse(text, "greeting");
    const auto pid = greeting.find("pid");
    const auto longest = greeting.find("max_output_len");
    if (pid == greeting.end() || longest == greeting.end() || !pid->is_number_unsigned() ||
        !longest->is_number_unsigned())
        fail(fmt::format("not a telemetry socket of DPDK: its greeting is {}", io::quoted(text)));
    pid_ = pid->get<std::uint64_t>();
    longest_ = std::clamp(longest->get<std::size_t>(), first_longest, greatest_longest);
}

nlohmann::ordered_json router_socket::ask(std::string_view command) {
    const std::string whole = fmt::format("/fingerpost/{}", command);
    send(whole);
    const std::string text = receive(whole);
    if (text.empty())
        fail(fmt::format("the router ended before it answered {}", whole));
    ordered_json reply = parse(text, whole);
    // The answer names the command without its parameter.
    const auto inner = reply.find(whole.substr(0, whole.find(',')));
    if (inner == reply.end())
        fail(fmt::format("the answer to {} belongs to another request: {}", whole, io::quoted(text)));
    if (inner->is_null())
        fail(fmt::format("no answer to {}: the router is starting or ending, or this is another program",
                         whole));
    if (!inner->is_object())
        fail(fmt::format("the answer to {} is not an object: {}", whole, io::quoted(text)));
    return std::move(*inner);
}

void router_socket::send(const std::string& command) {
    wait_for(POLLOUT, command);
    ssize_t sent = 0;
    do {
        sent = ::send(socket_.get(), command.data(), command.size(), MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent >= 0)
        return;
    if (errno == EPIPE || errno == ECONNRESET)
        fail(fmt::format("the router ended before the request {}", command));
    fail(std::strerror(errno));
}

// Empty if the router closed the connection.
std::string router_socket::receive(std::string_view what) {
    std::string text(longest_, '\0');
    for (;;) {
        wait_for(POLLIN, what);
        // With this flag the size is that of the packet, not of the part that fitted.
        const ssize_t size = ::recv(socket_.get(), text.data(), text.size(), MSG_TRUNC);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0 && errno == ECONNRESET)
            return {};
        if (size < 0)
            fail(std::strerror(errno));
        if (static_cast<std::size_t>(size) > text.size())
            fail(fmt::format("{}: {} bytes are more than the router's limit of {}", what, size, text.size()));
        text.resize(static_cast<std::size_t>(size));
        return text;
    }
}

void router_socket::wait_for(short event, std::string_view what) {
    using std::chrono::steady_clock;
    const auto end = steady_clock::now() + patience_;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now());
        pollfd entry{.fd = socket_.get(), .events = event, .revents = 0};
        const int ready = ::poll(&entry, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (ready > 0)
            return;
        if (ready == 0)
            fail(fmt::format("no answer within {} s ({})", static_cast<double>(patience_.count()) / 1000,
                             what));
        if (errno != EINTR)
            fail(std::strerror(errno));
    }
}

nlohmann::ordered_json router_socket::parse(const std::string& text, std::string_view what) const {
    try {
        ordered_json object = ordered_json::parse(text);
        if (object.is_object())
            return object;
    } catch (const ordered_json::parse_error& error) {
        fail(fmt::format("{}: invalid JSON at byte {} of {}: {}", what, error.byte, text.size(),
                         io::quoted(text)));
    }
    fail(fmt::format("{}: not an object: {}", what, io::quoted(text)));
}

void router_socket::fail(std::string_view words) const {
    throw failure(fmt::format("{}: {}", path_, words));
}

} // namespace fingerpost::cli
