// Accepts connections, and applies the contents of frames, one burst at a time.
#include "router/routes/fpm/fpm_server.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "router/routes/fpm/socket_address.hpp"
#include "system/log.hpp"
#include "system/network_namespace.hpp"

namespace fingerpost::router {

namespace {

constexpr std::size_t read_bytes = 256 * 1024;
// A burst ends after this many reads, about 50,000 routes. This bounds the size of a transaction and lets the
// rest of the loop run.
constexpr unsigned reads_per_burst = 16;

// A zebra on a machine that died sends nothing, not even the end of its connection, and would block other
// clients. It is detected after 25 s.
void find_dead_peers(int socket) {
    const auto set = [socket](int level, int option, int value) {
        ::setsockopt(socket, level, option, &value, sizeof value);
    };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

// The end of the connection may follow data that has not been read yet.
bool has_hung_up(int socket) {
    pollfd poll{socket, POLLRDHUP, 0};
    return ::poll(&poll, 1, 0) > 0 && (poll.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

} // namespace

fpm_server::fpm_server(system::event_loop& loop, route_sink& sink, const fpm_options& options)
    : loop_(loop), sink_(sink), options_(options), groups_(sink, group_numbering::fresh), buffer_(read_bytes),
      watch_(options.times) {}

fpm_server::~fpm_server() {
    loop_.cancel(timer_);
    if (client_)
        loop_.unwatch(client_.get());
    if (listener_)
        loop_.unwatch(listener_.get());
}

expected<std::unique_ptr<fpm_server>, system::failure>
fpm_server::open(system::event_loop& loop, route_sink& sink, const fpm_options& options) {
    std::unique_ptr<fpm_server> server(new fpm_server(loop, sink, options));
    std::optional<system::failure> failed;
    auto outside =
        system::in_network_namespace(options.network_namespace, [&] { failed = server->listen(); });
    if (outside)
        return unexpected{std::move(*outside)};
    if (failed)
        return unexpected{std::move(*failed)};
    fpm_server* const self = server.get();
    failed = loop.watch(server->listener_.get(), EPOLLIN, [self](std::uint32_t) { self->accept_client(); });
    if (failed)
        return unexpected{std::move(*failed)};
    if (options.takes_over) {
        server->watch_.lost(system::event_loop::clock::now());
        server->sink_.begin_refresh();
        server->look();
    }
    return server;
}

void fpm_server::set_times(const stale_times& times) {
    options_.times = times;
    watch_.set_times(times);
    look();
}

std::optional<system::failure> fpm_server::listen() {
    socket_address where = socket_address_of(options_.address, options_.port);
    const std::string place = to_string(where);
    listener_.reset(::socket(where.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!listener_)
        return system::system_failure("socket", errno);
    const int on = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(listener_.get(), where.get(), where.length) != 0)
        return system::system_failure("bind " + place, errno);
    if (::listen(listener_.get(), 4) != 0)
        return system::system_failure("listen " + place, errno);
    if (::getsockname(listener_.get(), where.get(), &where.length) != 0)
        return system::system_failure("getsockname", errno);
    port_ = port_of(where);
    return std::nullopt;
}

void fpm_server::accept_client() {
    socket_address from;
    system::unique_fd next(
        ::accept4(listener_.get(), from.get(), &from.length, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!next) {
        if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
            system::log(system::log_level::warning, "FPM: {}",
                        system::system_failure("accept", errno).reason);
        return;
    }
    if (client_ && has_hung_up(client_.get()))
        drain_client();
    if (client_) {
        ++statistics_.refused;
        if (!std::exchange(has_logged_refusal_, true))
            system::log(system::log_level::warning,
                        "FPM: {} is refused because {} is connected: the router has one source of routes",
                        to_string(from), peer_);
        return;
    }
    take_client(std::move(next), to_string(from));
}

void fpm_server::take_client(system::unique_fd next, const std::string& from) {
    find_dead_peers(next.get());
    client_ = std::move(next);
    peer_ = from;
    has_logged_refusal_ = has_logged_table_ = false;
    if (const auto failed = loop_.watch(client_.get(), EPOLLIN, [this](std::uint32_t) { read_client(); })) {
        system::log(system::log_level::error, "FPM: {}", failed->reason);
        client_.reset();
        return;
    }
    frames_ = {};
    ++statistics_.connections;
    system::log(system::log_level::info, "FPM: {} connected", peer_);
    sink_.begin_refresh();
    groups_.begin_refresh();
    watch_.connected(system::event_loop::clock::now());
    look();
}

// Reads the rest of the client's data; the socket holds no more than its buffer.
void fpm_server::drain_client() {
    bool more = true;
    while (client_ && more)
        read_some(more);
    sink_.commit();
}

// A truncated table is incomplete, and a table without its daemon becomes outdated, so all routes become
// stale.
void fpm_server::disconnect(const std::string& why) {
    loop_.unwatch(client_.get());
    client_.reset();
    sink_.begin_refresh();
    watch_.lost(system::event_loop::clock::now());
    system::log(system::log_level::warning, "FPM: {} has disconnected ({}); its {} routes stay for {} s",
                peer_, why, sink_.stale().left(), std::chrono::duration<double>(options_.times.hold).count());
    look();
}

void fpm_server::read_client() {
    bool more = true;
    const std::uint64_t before = statistics_.frames;
    for (unsigned reads = 0; reads < reads_per_burst && more; ++reads)
        if (!read_some(more))
            break;
    if (statistics_.frames == before)
        return;
    sink_.commit();
    if (!client_)
        return;
    watch_.heard(system::event_loop::clock::now());
    look();
}

bool fpm_server::read_some(bool& more) {
    const ssize_t count = ::recv(client_.get(), buffer_.data(), buffer_.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        more = false;
        return true;
    }
    if (count <= 0) {
        disconnect(count == 0 ? "it closed the connection" : system::system_failure("recv", errno).reason);
        return false;
    }
    statistics_.bytes += static_cast<std::uint64_t>(count);
    frames_.feed(std::span(buffer_).first(static_cast<std::size_t>(count)));
    return take_frames();
}

bool fpm_server::take_frames() {
    const auto refuse = [this](const fpm_error& error) {
        ++statistics_.errors;
        system::log(system::log_level::error, "FPM: {}: byte {} of its stream: {}", peer_, error.offset,
                    error.reason);
        disconnect("it sent a damaged frame");
        return false;
    };
    for (;;) {
        const auto frame = frames_.next();
        if (!frame)
            return refuse(frame.error());
        if (!*frame)
            return true;
        const auto messages = decode_fpm(**frame);
        if (!messages)
            return refuse(messages.error());
        ++statistics_.frames;
        for (const netlink_message& message : *messages)
            apply(message);
    }
}

void fpm_server::apply(const netlink_message& message) {
    if (const auto* const route = std::get_if<route_message>(&message.body))
        apply(*route);
    else if (const auto* const hop = std::get_if<next_hop_message>(&message.body))
        apply(*hop);
    else
        ++statistics_.ignored;
}

void fpm_server::apply(const route_message& route) {
    // Zebra names the table; other senders may omit it.
    const auto vrf =
        options_.vrfs.with_table(route.table == RT_TABLE_UNSPEC ? std::uint32_t{RT_TABLE_MAIN} : route.table);
    if (!vrf)
        return leave_out(route.table);
    const bool known = route.removed || forwarded_as(route).has_value();
    if (route.of_some_sources || !known || !is_forwarded(route.where)) {
        ++statistics_.ignored;
        return;
    }
    if (route.removed) {
        ++statistics_.withdrawals;
        sink_.withdraw(*vrf, route.where);
        return;
    }
    ++statistics_.routes;
    statistics_.unsupported += route.unsupported;
    // A route that drops its packets needs no group, even if it names one.
    if (route.group && forwarded_as(route) == action::forward)
        sink_.announce(*vrf, route.where, groups_.name_of(route.group->id));
    else
        sink_.announce(*vrf, route.where, destination_of(route));
}

void fpm_server::leave_out(std::uint32_t table) {
    ++statistics_.other_tables;
    if (!std::exchange(has_logged_table_, true))
        system::log(system::log_level::warning,
                    "FPM: {} sends routes of table {}, which no VRF uses: they are ignored", peer_, table);
}

void fpm_server::apply(const next_hop_message& hop) {
    if (hop.removed) {
        ++statistics_.group_removals;
        groups_.remove(hop.id);
        return;
    }
    ++statistics_.groups;
    statistics_.unsupported += hop.unsupported ? 1 : 0;
    groups_.set(hop);
}

// Messages postpone the deadline, so the timer may fire early; it is then set again. It never fires late.
void fpm_server::look() {
    const auto next = watch_.decide(system::event_loop::clock::now(), sink_.stale());
    if (next.withdraw)
        return sweep();
    if (!next.again || (timer_ != system::event_loop::timer_id::none && timer_end_ <= *next.again))
        return;
    loop_.cancel(timer_);
    timer_end_ = *next.again;
    timer_ = loop_.after(timer_end_ - system::event_loop::clock::now(), [this] {
        timer_ = system::event_loop::timer_id::none;
        look();
    });
}

void fpm_server::sweep() {
    loop_.cancel(timer_);
    timer_ = system::event_loop::timer_id::none;
    ++statistics_.sweeps;
    const std::uint64_t stale = sink_.stale().left();
    sink_.sweep();
    if (!client_)
        groups_.begin_refresh();
    groups_.sweep();
    sink_.commit();
    watch_.withdrawn();
    if (client_)
        system::log(system::log_level::info,
                    "FPM: the table of {} is complete; {} stale routes were withdrawn", peer_, stale);
    else if (peer_.empty())
        system::log(system::log_level::error,
                    "FPM: zebra did not connect; the {} routes of the former source were withdrawn", stale);
    else
        system::log(system::log_level::error, "FPM: {} did not reconnect; its {} routes were withdrawn",
                    peer_, stale);
}

} // namespace fingerpost::router
