// Accepts connections, and passes each to the thread with the fewest.
#include "system/http/http_server.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "system/event_loop.hpp"
#include "system/http/http_clients.hpp"
#include "system/tcp_listener.hpp"

namespace fingerpost::system {
namespace {

// Pause before the system is asked again for a resource that it had run out of.
constexpr int pause_milliseconds = 100;

unique_fd new_event() {
    return unique_fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
}

void raise(const unique_fd& event) noexcept {
    const std::uint64_t one = 1;
    // An eventfd accepts this any number of times before it is read.
    (void)!::write(event.get(), &one, sizeof one);
}

} // namespace

// One thread with its loop. Connections are passed to it in a list.
class http_server::worker {
  public:
    static expected<std::unique_ptr<worker>, failure> create(http_server& of) {
        auto loop = event_loop::create();
        if (!loop)
            return unexpected{std::move(loop.error())};
        unique_fd wake = new_event();
        if (!wake)
            return unexpected{system_failure("eventfd", errno)};
        std::unique_ptr<worker> made(new worker(of, std::move(*loop), std::move(wake)));
        if (auto fault = made->loop_.watch(made->wake_.get(), EPOLLIN,
                                           [to = made.get()](std::uint32_t) { to->take_arrived(); }))
            return unexpected{std::move(*fault)};
        made->thread_ = std::thread([to = made.get()] { to->run(); });
        return made;
    }

    ~worker() {
        end();
        if (thread_.joinable())
            thread_.join();
    }

    void give(unique_fd connection) {
        {
            const std::lock_guard held(lock_);
            arrived_.push_back(std::move(connection));
            ++open_;
        }
        raise(wake_);
    }
    void end() noexcept {
        {
            const std::lock_guard held(lock_);
            ends_ = true;
        }
        raise(wake_);
    }
    // Number of its connections, including those that it will have soon.
    std::size_t open() const noexcept { return open_.load(std::memory_order_relaxed); }

  private:
    // Counts the connections of this thread.
    class counting final : public http_handler {
      public:
        counting(http_handler& to, std::atomic<std::size_t>& open) : to_(to), open_(open) {}
        std::optional<http_answer> refuse_head(const http_request& head) override {
            return to_.refuse_head(head);
        }
        http_answer answer(const http_request& request) override { return to_.answer(request); }
        http_answer refuse(const http_refusal& why) override { return to_.refuse(why); }
        void answered(const http_exchange& one) noexcept override { to_.answered(one); }
        void closed() noexcept override {
            --open_;
            to_.closed();
        }

      private:
        http_handler& to_;
        std::atomic<std::size_t>& open_;
    };

    worker(http_server& of, event_loop loop, unique_fd wake)
        : of_(of), loop_(std::move(loop)), wake_(std::move(wake)), handler_(of.handler_, open_),
          clients_(loop_, of.rules_, handler_, of.tell_) {}

    void run() {
        if (const auto fault = loop_.run())
            of_.tell_(fault->reason);
    }

    void take_arrived() {
        std::uint64_t count = 0;
        (void)!::read(wake_.get(), &count, sizeof count);
        std::vector<unique_fd> arrived;
        bool ends = false;
        {
            const std::lock_guard held(lock_);
            arrived.swap(arrived_);
            ends = ends_;
        }
        for (unique_fd& one : arrived) {
            if (of_.rules_.evicts && open() > of_.rules_.connections)
                clients_.evict();
            clients_.add(std::move(one));
        }
        if (ends)
            clients_.end();
    }

    http_server& of_;
    event_loop loop_;
    unique_fd wake_;
    std::atomic<std::size_t> open_ = 0;
    counting handler_;
    http_clients clients_;
    std::mutex lock_;
    std::vector<unique_fd> arrived_;
    bool ends_ = false;
    std::thread thread_;
};

http_server::http_server(unique_fd listener, http_rules rules, http_handler& handler, teller tell)
    : listener_(std::move(listener)), rules_(std::move(rules)), handler_(handler), tell_(std::move(tell)),
      wake_(new_event()) {}

expected<std::unique_ptr<http_server>, failure> http_server::open(unique_fd listener, http_rules rules,
                                                                  unsigned threads, http_handler& handler,
                                                                  teller tell) {
    std::unique_ptr<http_server> made(
        new http_server(std::move(listener), std::move(rules), handler, std::move(tell)));
    if (!made->wake_)
        return unexpected{system_failure("eventfd", errno)};
    for (unsigned i = 0; i < threads; ++i) {
        auto one = worker::create(*made);
        if (!one)
            return unexpected{std::move(one.error())};
        made->workers_.push_back(std::move(*one));
    }
    made->acceptor_ = std::thread([to = made.get()] { to->accept_all(); });
    return made;
}

void http_server::end() noexcept {
    is_ending_.store(true, std::memory_order_release);
    raise(wake_);
}

http_server::~http_server() {
    end();
    if (acceptor_.joinable())
        acceptor_.join();
    for (const auto& one : workers_)
        one->end();
    workers_.clear();
}

void http_server::accept_all() {
    while (!is_ending_.load(std::memory_order_acquire)) {
        pollfd both[2] = {{listener_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
        ::poll(both, 2, -1);
        while (accept_one()) {
        }
    }
    // Clients that are connected by now are still served.
    while (accept_one()) {
    }
    listener_.reset();
    for (const auto& one : workers_)
        one->end();
}

// Returns false if no client is waiting, or if the system has no space for a connection.
bool http_server::accept_one() {
    unique_fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection) {
        const int yes = 1;
        ::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        begin(std::move(connection));
        return true;
    }
    // The client has gone already, or its network has failed.
    if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO)
        return true;
    if (errno != EAGAIN) {
        tell_(fmt::format("no connection can be accepted: {}", std::strerror(errno)));
        pollfd end{wake_.get(), POLLIN, 0};
        ::poll(&end, 1, pause_milliseconds);
    }
    return false;
}

void http_server::begin(unique_fd connection) {
    std::size_t open = 0;
    worker* least = nullptr;
    for (const auto& one : workers_) {
        const std::size_t count = one->open();
        open += count;
        if (least == nullptr || count < least->open())
            least = one.get();
    }
    if (open >= rules_.connections && !rules_.evicts)
        return turn_away(connection);
    handler_.opened();
    least->give(std::move(connection));
}

void http_server::turn_away(const unique_fd& connection) {
    handler_.turned_away();
    const http_answer answer = handler_.refuse({503, "there are as many connections as are allowed"});
    const http_request unread;
    const tcp_place client = peer_of(connection.get());
    handler_.answered(
        {.request = unread, .answer = answer, .client = client, .sent_bytes = answer.body.size()});
    const std::string words = text_of(answer, {.closes = true}, false);
    ::send(connection.get(), words.data(), words.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::shutdown(connection.get(), SHUT_WR);
}

} // namespace fingerpost::system
