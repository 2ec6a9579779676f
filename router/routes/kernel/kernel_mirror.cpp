// Reads dumps and events of rtnetlink.
#include "router/routes/kernel/kernel_mirror.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <linux/rtnetlink.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "system/log.hpp"
#include "system/network_namespace.hpp"

namespace fingerpost::router {

namespace {

// Larger than one read of a dump, for which the kernel uses at most 32 KiB.
constexpr std::size_t read_words = 64 * 1024;
// After this many reads the rest of the loop runs.
constexpr unsigned reads_per_turn = 64;
// If something changes during a dump, entries may be missing. For IPv6, each route removed during the dump
// can hide another one: up to 5 % of 20,000 routes were missing in a test. An entry that does not appear in
// this many dumps no longer exists.
constexpr unsigned most_repeats = 7;
// Dumps may be requested at any rate. Each is followed by a pause, so that they take at most 1/5 of the time.
constexpr int rest_factor = 4;
constexpr auto shortest_rest = std::chrono::milliseconds(50);
constexpr auto rest_after_failure = std::chrono::seconds(1);

void join(mnl_socket* socket, int group) {
    if (mnl_socket_setsockopt(socket, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) < 0)
        system::log(system::log_level::warning, "kernel: {}",
                    system::system_failure("no events of one kind", errno).reason);
}

bool readable(int fd) {
    pollfd waiting{fd, POLLIN, 0};
    return ::poll(&waiting, 1, 0) != 0;
}

} // namespace

kernel_mirror::kernel_mirror(system::event_loop& loop, interface_sink& interfaces, route_sink* routes,
                             const mirror_options& options)
    : loop_(loop), interfaces_(interfaces), route_sink_(routes), options_(options), buffer_(read_words) {
    if (routes != nullptr)
        routes_.emplace(*routes, options.vrfs);
}

kernel_mirror::~kernel_mirror() {
    loop_.cancel(start_timer_);
    for (const socket* netlink : {&events_, &requests_})
        if (*netlink)
            loop_.unwatch(mnl_socket_get_fd(netlink->get()));
}

expected<std::unique_ptr<kernel_mirror>, system::failure> kernel_mirror::open(system::event_loop& loop,
                                                                              interface_sink& interfaces,
                                                                              route_sink* routes,
                                                                              const mirror_options& options) {
    std::unique_ptr<kernel_mirror> mirror(new kernel_mirror(loop, interfaces, routes, options));
    std::optional<system::failure> failed;
    auto outside =
        system::in_network_namespace(options.network_namespace, [&] { failed = mirror->open_sockets(); });
    if (outside)
        return unexpected{std::move(*outside)};
    kernel_mirror* const self = mirror.get();
    if (!failed)
        failed = loop.watch(mnl_socket_get_fd(mirror->requests_.get()), EPOLLIN,
                            [self](std::uint32_t) { self->read_dump(); });
    if (!failed)
        failed = mirror->watch_events();
    if (failed)
        return unexpected{std::move(*failed)};
    mirror->request(scope::everything);
    return mirror;
}

std::optional<system::failure> kernel_mirror::open_sockets() {
    for (socket* netlink : {&events_, &requests_}) {
        netlink->reset(mnl_socket_open2(NETLINK_ROUTE, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!*netlink || mnl_socket_bind(netlink->get(), 0, MNL_SOCKET_AUTOPID) < 0)
            return system::system_failure("netlink socket", errno);
    }
    const int fd = mnl_socket_get_fd(events_.get());
    const int size = options_.receive_buffer;
    if (::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0 &&
        ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) != 0)
        return system::system_failure("SO_RCVBUF of a netlink socket", errno);
    // Kernels without this option return more than requested; the rest is ignored here.
    int on = 1;
    mnl_socket_setsockopt(requests_.get(), NETLINK_GET_STRICT_CHK, &on, sizeof on);
    for (const int group : groups())
        join(events_.get(), group);
    return std::nullopt;
}

std::vector<int> kernel_mirror::groups() const {
    std::vector<int> memberships = {RTNLGRP_LINK};
    if (!options_.links_only)
        memberships.insert(memberships.end(), {RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_NEIGH});
    if (routes_)
        memberships.insert(memberships.end(), {RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE, RTNLGRP_NEXTHOP});
    return memberships;
}

std::optional<system::failure> kernel_mirror::watch_events() {
    return loop_.watch(mnl_socket_get_fd(events_.get()), EPOLLIN, [this](std::uint32_t) { read_events(); });
}

std::optional<system::failure> kernel_mirror::resolve(std::uint32_t interface, const any_address& address) {
    netlink_request writer;
    return send(writer.resolve(interface, address, ++sequence_), "ask for a neighbour");
}

std::optional<system::failure> kernel_mirror::set_carrier(std::uint32_t interface, bool up) {
    netlink_request writer;
    carrier_sequence_ = ++sequence_;
    return send(writer.carrier(interface, up, carrier_sequence_), "change a carrier");
}

std::optional<system::failure> kernel_mirror::send(const nlmsghdr* message, const char* what) {
    const bool sent = mnl_socket_sendto(requests_.get(), message, message->nlmsg_len) >= 0;
    return sent ? std::nullopt : std::optional(system::system_failure(what, errno));
}

// Only one refresh runs at a time; requests in the meantime are served after it.
void kernel_mirror::request(scope what) {
    requested_ = std::max(requested_, what);
    if (refreshing_ == scope::nothing)
        start_later();
}

void kernel_mirror::start_later() {
    if (start_timer_ != system::event_loop::timer_id::none)
        return;
    const auto wait = not_before_ - system::event_loop::clock::now();
    start_timer_ = loop_.after(std::max(wait, system::event_loop::clock::duration::zero()), [this] {
        start_timer_ = system::event_loop::timer_id::none;
        start();
    });
}

void kernel_mirror::start() {
    const bool repeats = refreshing_ != scope::nothing;
    if (!repeats) {
        refreshing_ = std::exchange(requested_, scope::nothing);
        repeats_ = 0;
    }
    stage_ = stage::dumping;
    statistics_.synchronised = false;
    started_ = system::event_loop::clock::now();
    interrupted_ = failed_ = false;
    loop_.unwatch(mnl_socket_get_fd(events_.get()));
    plan_.clear();
    step_ = 0;
    if (refreshing_ == scope::everything) {
        if (!repeats)
            interfaces_.begin_refresh();
        plan_ = {{RTM_GETLINK, AF_UNSPEC}};
        if (!options_.links_only)
            plan_.insert(plan_.end(), {{RTM_GETADDR, AF_UNSPEC}, {RTM_GETNEIGH, AF_UNSPEC}});
    }
    if (routes_) {
        if (!repeats)
            routes_->begin_refresh();
        routes_->begin_dump();
        plan_.push_back({RTM_GETNEXTHOP, AF_UNSPEC});
        for (const std::uint32_t table : options_.vrfs.tables())
            plan_.insert(plan_.end(), {{RTM_GETROUTE, AF_INET, table}, {RTM_GETROUTE, AF_INET6, table}});
    }
    send_dump();
}

void kernel_mirror::send_dump() {
    netlink_request writer;
    dump_sequence_ = ++sequence_;
    const nlmsghdr* const message = writer.dump(plan_[step_], dump_sequence_);
    if (mnl_socket_sendto(requests_.get(), message, message->nlmsg_len) < 0)
        end_dump(errno);
}

std::optional<netlink_messages> kernel_mirror::read(mnl_socket* from) {
    const ssize_t count = mnl_socket_recvfrom(from, buffer_.data(), buffer_.size() * sizeof(std::uint32_t));
    if (count < 0)
        return std::nullopt;
    auto messages = decode_netlink(std::as_bytes(std::span(buffer_)).first(static_cast<std::size_t>(count)));
    if (messages)
        return std::move(*messages);
    ++statistics_.errors;
    system::log(system::log_level::error, "kernel: byte {} of a netlink message: {}", messages.error().offset,
                messages.error().reason);
    return netlink_messages{};
}

void kernel_mirror::read_dump() {
    for (unsigned reads = 0; reads < reads_per_turn; ++reads) {
        const auto messages = read(requests_.get());
        if (!messages) {
            // A truncated dump is useless, so it starts again.
            if (errno != EAGAIN && errno != EINTR && stage_ == stage::dumping)
                end_dump(errno);
            return;
        }
        for (const netlink_message& message : *messages)
            if (!take_dumped(message))
                break;
    }
}

// Returns false if the dump has ended.
bool kernel_mirror::take_dumped(const netlink_message& message) {
    const auto* const answer = std::get_if<answer_message>(&message.body);
    if (stage_ != stage::dumping || message.sequence != dump_sequence_) {
        if (answer != nullptr && answer->error != 0)
            system::log(message.sequence == carrier_sequence_ ? system::log_level::warning
                                                              : system::log_level::debug,
                        "kernel: {}", system::system_failure("a request was refused", answer->error).reason);
        return true;
    }
    interrupted_ = interrupted_ || (message.flags & NLM_F_DUMP_INTR) != 0;
    if (answer != nullptr) {
        end_dump(answer->error);
        return false;
    }
    const auto* const route = std::get_if<route_message>(&message.body);
    const auto* const hop = std::get_if<next_hop_message>(&message.body);
    if (route != nullptr && routes_)
        routes_->take_dumped(*route);
    else if (hop != nullptr && routes_)
        routes_->groups().set(*hop);
    else
        apply_interface(message);
    return true;
}

void kernel_mirror::end_dump(int error) {
    // Kernels before 5.3 have no next-hop objects, some have no IPv6, and a table does not exist before its
    // first route.
    const bool absent = error == EOPNOTSUPP || error == EAFNOSUPPORT ||
                        (error == ENOENT && plan_[step_].type == RTM_GETROUTE);
    if (error != 0 && !absent) {
        ++statistics_.errors;
        failed_ = true;
        system::log(system::log_level::error, "kernel: {}",
                    system::system_failure("a dump failed", error).reason);
    }
    if (!failed_ && ++step_ < plan_.size())
        send_dump();
    else
        finish();
}

void kernel_mirror::finish() {
    const auto now = system::event_loop::clock::now();
    not_before_ =
        now + std::max<system::event_loop::clock::duration>(shortest_rest, rest_factor * (now - started_));
    if (failed_)
        not_before_ = std::max<system::event_loop::clock::time_point>(not_before_, now + rest_after_failure);
    stage_ = stage::dumped;
    if (const auto failed = watch_events())
        system::log(system::log_level::error, "kernel: {}", failed->reason);
    read_events();
}

// Called when all events that arrived during the kernel's dump have been read. Only then is it known whether
// the dump may lack entries.
void kernel_mirror::conclude() {
    stage_ = stage::waiting;
    if (failed_ || (interrupted_ && repeats_++ < most_repeats)) {
        // Entries read so far are correct and stay. Entries not read may still exist.
        commit();
        return start_later();
    }
    if (std::exchange(refreshing_, scope::nothing) == scope::everything)
        interfaces_.sweep();
    if (routes_)
        routes_->sweep();
    commit();
    ++statistics_.dumps;
    statistics_.synchronised = true;
    system::log(
        system::log_level::debug, "kernel: synchronised after {} dumps, the last of which took {} ms",
        repeats_ + 1,
        std::chrono::duration_cast<std::chrono::milliseconds>(system::event_loop::clock::now() - started_)
            .count());
    if (requested_ != scope::nothing)
        start_later();
}

void kernel_mirror::read_events() {
    bool any = false;
    bool read_all = false;
    unsigned reads = 0;
    for (; reads < reads_per_turn; ++reads) {
        const auto messages = read(events_.get());
        if (!messages) {
            read_all = errno == EAGAIN;
            if (errno == ENOBUFS || errno == ENOSPC)
                drop_events();
            else if (errno != EAGAIN && errno != EINTR)
                system::log(system::log_level::error, "kernel: {}",
                            system::system_failure("events", errno).reason);
            break;
        }
        for (const netlink_message& message : *messages)
            take_event(message);
        any = any || !messages->empty();
    }
    if (any)
        commit();
    // The loop calls again only if events are left.
    if (reads == reads_per_turn)
        read_all = !readable(mnl_socket_get_fd(events_.get()));
    if (read_all && stage_ == stage::dumped)
        conclude();
}

// After a loss, events older than the next dump must not be applied after it, because the events that
// followed them may be lost. The contents of earlier dumps are not valid either.
void kernel_mirror::drop_events() {
    ++statistics_.overruns;
    system::log(system::log_level::warning, "kernel: events were lost; reading everything again");
    for (;;) {
        const ssize_t count =
            mnl_socket_recvfrom(events_.get(), buffer_.data(), buffer_.size() * sizeof(std::uint32_t));
        if (count < 0 && (errno == EAGAIN || errno == EBADF || errno == ENOTSOCK))
            break;
    }
    stage_ = stage::waiting;
    refreshing_ = scope::nothing;
    request(scope::everything);
}

void kernel_mirror::take_event(const netlink_message& message) {
    ++statistics_.events;
    const auto* const route = std::get_if<route_message>(&message.body);
    const auto* const hop = std::get_if<next_hop_message>(&message.body);
    if (route == nullptr && hop == nullptr)
        return apply_interface(message);
    if (!routes_)
        return;
    if (hop != nullptr)
        apply(*hop);
    else if (!routes_->take_event(*route))
        request(scope::routes);
    // The kernel resumes an IPv6 dump by the number of routes already shown.
    if (route != nullptr && route->removed && options_.vrfs.with_table(route->table) &&
        std::holds_alternative<ipv6_prefix>(route->where))
        interrupted_ = true;
}

void kernel_mirror::apply_interface(const netlink_message& message) {
    if (const auto* const link = std::get_if<link_message>(&message.body))
        apply(*link);
    else if (const auto* const address = std::get_if<address_message>(&message.body))
        apply(*address);
    else if (const auto* const neighbour = std::get_if<neighbour_message>(&message.body))
        apply(*neighbour);
}

// The kernel silently removes IPv4 routes if their link goes down, or if their source address or next-hop
// object is removed. Only a dump shows which routes are gone.
void kernel_mirror::apply(const link_message& message) {
    const link_state& link = message.link;
    const auto before = up_.find(link.index);
    const bool was_up = before != up_.end() && before->second;
    const bool is_up = link.up && !message.removed;
    if (message.removed) {
        up_.erase(link.index);
        interfaces_.remove_link(link.index);
    } else {
        up_.insert_or_assign(link.index, link.up);
        interfaces_.set_link(link);
    }
    if (was_up && !is_up && routes_)
        request(scope::routes);
}

void kernel_mirror::apply(const address_message& message) {
    if (!message.removed)
        return interfaces_.set_address(message.address);
    interfaces_.remove_address(message.address);
    if (routes_)
        request(scope::routes);
}

void kernel_mirror::apply(const neighbour_message& message) {
    if (message.of_link)
        return;
    if (message.removed)
        interfaces_.remove_neighbour(message.entry.interface, message.entry.address);
    else
        interfaces_.set_neighbour(message.entry);
}

void kernel_mirror::apply(const next_hop_message& message) {
    if (!message.removed)
        return routes_->groups().set(message);
    routes_->groups().remove(message.id);
    request(scope::routes);
}

void kernel_mirror::commit() {
    interfaces_.commit();
    if (route_sink_ != nullptr)
        route_sink_->commit();
}

} // namespace fingerpost::router
