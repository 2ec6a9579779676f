// Threads that are started as connections come, and stay for later ones.
#include "cli/serve/http_server.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

#include "cli/console.hpp"
#include "cli/serve/http_stream.hpp"

namespace fingerpost::cli {
namespace {

// Before the system is asked again for what it has run out of.
constexpr auto pause_when_out = std::chrono::milliseconds(100);

} // namespace

http_server::http_server(router::unique_fd listener, const serve_limits& limits, const reloader& tables,
                         serve_counters& counters, const stop_event& stopping)
    : listener_(std::move(listener)), limits_(limits), counters_(counters), stopping_(stopping),
      service_(limits, tables, counters), acceptor_([this] { accept_all(); }) {}

http_server::~http_server() {
    acceptor_.join();
    {
        const std::lock_guard held(lock_);
        ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& one : threads_)
        one.join();
}

void http_server::accept_all() {
    while (!stopping_.is_set()) {
        pollfd both[2] = {{listener_.get(), POLLIN, 0}, {stopping_.descriptor(), POLLIN, 0}};
        ::poll(both, 2, -1);
        while (accept_one()) {
        }
    }
    // Whoever is connected by now is served; the next one is told that nobody is here.
    while (accept_one()) {
    }
    listener_.reset();
}

// False when there is nobody to accept, or no room for one.
bool http_server::accept_one() {
    router::unique_fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection) {
        const int yes = 1;
        ::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        begin(std::move(connection));
        return true;
    }
    // A client that has gone again, or an error of its network.
    if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO)
        return true;
    if (errno != EAGAIN) {
        report(fmt::format("HTTP: no connection can be accepted: {}", std::strerror(errno)));
        std::this_thread::sleep_for(pause_when_out);
    }
    return false;
}

void http_server::begin(router::unique_fd connection) {
    std::unique_lock held(lock_);
    const std::size_t open = counters_.http.connections.load(std::memory_order_relaxed);
    bool refused = open >= limits_.connections;
    if (!refused && idle_ <= waiting_.size()) {
        try {
            threads_.emplace_back([this] { serve_connections(); });
        } catch (const std::system_error&) {
            refused = true;
        }
    }
    if (refused) {
        held.unlock();
        refuse(connection);
        return;
    }
    counters_.http.connections.fetch_add(1, std::memory_order_relaxed);
    waiting_.push_back(std::move(connection));
    changed_.notify_one();
}

void http_server::refuse(const router::unique_fd& connection) {
    counters_.http.refused.fetch_add(1, std::memory_order_relaxed);
    counters_.count_code(503);
    const std::string words = too_many_connections();
    ::send(connection.get(), words.data(), words.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::shutdown(connection.get(), SHUT_WR);
}

void http_server::serve_connections() {
    std::unique_lock held(lock_);
    for (;;) {
        ++idle_;
        changed_.wait(held, [this] { return !waiting_.empty() || ending_; });
        --idle_;
        if (waiting_.empty())
            return;
        router::unique_fd connection = std::move(waiting_.front());
        waiting_.pop_front();
        held.unlock();
        try {
            http_stream stream(std::move(connection), limits_, stopping_);
            service_.serve(stream, stopping_);
        } catch (const std::exception& error) {
            report(fmt::format("HTTP: a connection is dropped: {}", error.what()));
        }
        held.lock();
        counters_.http.connections.fetch_sub(1, std::memory_order_relaxed);
    }
}

} // namespace fingerpost::cli
