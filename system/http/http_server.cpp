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
    const std::uint64_t count = 1;
    // An eventfd accepts this any number of times before it is read.
    (void)!::write(event.get(), &count, sizeof count);
}

} // namespace

// One thread with its loop. Connections are passed to it in a list.
class http_server::worker {
  public:
    static expected<std::unique_ptr<worker>, failure> create(http_server& server) {
        auto loop = event_loop::create();
        if (!loop)
            return unexpected{std::move(loop.error())};
        unique_fd wake = new_event();
        if (!wake)
            return unexpected{system_failure("eventfd", errno)};
        std::unique_ptr<worker> result(new worker(server, std::move(*loop), std::move(wake)));
        if (auto fault = result->loop_.watch(result->wake_.get(), EPOLLIN,
                                             [to = result.get()](std::uint32_t) { to->take_arrived(); }))
            return unexpected{std::move(*fault)};
        result->thread_ = std::thread([to = result.get()] { to->run(); });
        return result;
    }

    ~worker() {
        end();
        if (thread_.joinable())
            thread_.join();
    }

    void give(unique_fd connection) {
        {
            const std::lock_guard guard(lock_);
            arrived_.push_back(std::move(connection));
            ++open_;
        }
        raise(wake_);
    }
    void end() noexcept {
        {
            const std::lock_guard guard(lock_);
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
        counting(http_handler& handler, std::atomic<std::size_t>& open) : handler_(handler), open_(open) {}
        std::optional<http_answer> refuse_head(const http_request& head) override {
            return handler_.refuse_head(head);
        }
        http_answer answer(const http_request& request) override { return handler_.answer(request); }
        http_answer refuse(const http_refusal& reason) override { return handler_.refuse(reason); }
        void answered(const http_exchange& exchange) noexcept override { handler_.answered(exchange); }
        void closed() noexcept override {
            --open_;
            handler_.closed();
        }

      private:
        http_handler& handler_;
        std::atomic<std::size_t>& open_;
    };

    worker(http_server& server, event_loop loop, unique_fd wake)
        : server_(server), loop_(std::move(loop)), wake_(std::move(wake)), handler_(server.handler_, open_),
          clients_(loop_, server.rules_, handler_, server.report_) {}

    void run() {
        if (const auto fault = loop_.run())
            server_.report_(fault->reason);
    }

    void take_arrived() {
        std::uint64_t count = 0;
        (void)!::read(wake_.get(), &count, sizeof count);
        std::vector<unique_fd> arrived;
        bool ends = false;
        {
            const std::lock_guard guard(lock_);
            arrived.swap(arrived_);
            ends = ends_;
        }
        for (unique_fd& connection : arrived) {
            if (server_.rules_.evicts && open() > server_.rules_.connections)
                clients_.evict();
            clients_.add(std::move(connection));
        }
        if (ends)
            clients_.end();
    }

    http_server& server_;
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

http_server::http_server(unique_fd listener, http_rules rules, http_handler& handler, teller report)
    : listener_(std::move(listener)), rules_(std::move(rules)), handler_(handler), report_(std::move(report)),
      wake_(new_event()) {}

expected<std::unique_ptr<http_server>, failure> http_server::open(unique_fd listener, http_rules rules,
                                                                  unsigned threads, http_handler& handler,
                                                                  teller report) {
    std::unique_ptr<http_server> server(
        new http_server(std::move(listener), std::move(rules), handler, std::move(report)));
    if (!server->wake_)
        return unexpected{system_failure("eventfd", errno)};
    for (unsigned i = 0; i < threads; ++i) {
        auto member = worker::create(*server);
        if (!member)
            return unexpected{std::move(member.error())};
        server->workers_.push_back(std::move(*member));
    }
    server->acceptor_ = std::thread([to = server.get()] { to->accept_all(); });
    return server;
}

void http_server::end() noexcept {
    is_ending_.store(true, std::memory_order_release);
    raise(wake_);
}

http_server::~http_server() {
    end();
    if (acceptor_.joinable())
        acceptor_.join();
    for (const auto& member : workers_)
        member->end();
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
    for (const auto& member : workers_)
        member->end();
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
        report_(fmt::format("cannot accept connections: {}", std::strerror(errno)));
        pollfd end{wake_.get(), POLLIN, 0};
        ::poll(&end, 1, pause_milliseconds);
    }
    return false;
}

void http_server::begin(unique_fd connection) {
    std::size_t open = 0;
    worker* least = nullptr;
    for (const auto& member : workers_) {
        const std::size_t count = member->open();
        open += count;
        if (least == nullptr || count < least->open())
            least = member.get();
    }
    if (open >= rules_.connections && !rules_.evicts)
        return turn_away(connection);
    handler_.opened();
    least->give(std::move(connection));
}

void http_server::turn_away(const unique_fd& connection) {
    handler_.turned_away();
    const http_answer answer = handler_.refuse({503, "too many connections"});
    const http_request unread;
    const tcp_place client = peer_of(connection.get());
    handler_.answered(
        {.request = unread, .answer = answer, .client = client, .sent_bytes = answer.body.size()});
    const std::string text = text_of(answer, {.closes = true}, false);
    ::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::shutdown(connection.get(), SHUT_WR);
}

} // namespace fingerpost::system
