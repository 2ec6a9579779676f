// One loop per thread over a shared listening socket.
#include "cli/serve/lines/line_server.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unordered_map>
#include <utility>

#include "cli/serve/lines/line_client.hpp"
#include "cli/serve/loops.hpp"
#include "system/log.hpp"

namespace fingerpost::cli {
namespace {

constexpr auto accept_pause = std::chrono::milliseconds(100);

// The loop of one thread.
class line_loop {
  public:
    line_loop(socket_file& listener, const serve_limits& limits, const reloader& tables,
              serve_counters& counters, const stop_event& stopping)
        : listener_(listener), limits_(limits), tables_(tables), counters_(counters), stopping_(stopping),
          loop_(new_loop()), room_(tables.current()) {
        room_.release();
    }

    void run() {
        throw_if(loop_.watch(listener_.descriptor(), EPOLLIN, [this](std::uint32_t) { accept_all(); }));
        throw_if(loop_.watch(stopping_.descriptor(), EPOLLIN, [this](std::uint32_t) { begin_end(); }));
        throw_if(loop_.run());
    }

  private:
    void accept_all() {
        for (;;) {
            system::unique_fd socket(
                ::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (socket)
                begin(std::move(socket));
            else if (errno == EAGAIN)
                return;
            else if (errno != EINTR && errno != ECONNABORTED)
                return pause_accepting();
        }
    }

    // The system has run out of descriptors or memory.
    void pause_accepting() {
        system::log(system::log_level::error, "{}: cannot accept clients: {}", listener_.path(),
                    std::strerror(errno));
        loop_.unwatch(listener_.descriptor());
        loop_.after(accept_pause, [this] {
            if (!is_ending_)
                throw_if(
                    loop_.watch(listener_.descriptor(), EPOLLIN, [this](std::uint32_t) { accept_all(); }));
        });
    }

    void begin(system::unique_fd socket) {
        if (counters_.socket.connections.fetch_add(1, std::memory_order_relaxed) >= limits_.connections) {
            counters_.socket.connections.fetch_sub(1, std::memory_order_relaxed);
            counters_.socket.refused.fetch_add(1, std::memory_order_relaxed);
            constexpr std::string_view words = "! too many clients\n";
            ::send(socket.get(), words.data(), words.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            return;
        }
        const int number = socket.get();
        clients_.emplace(number, line_client(std::move(socket)));
        wait_for(clients_.at(number));
    }

    void wait_for(const line_client& client) {
        const int number = client.descriptor();
        throw_if(
            loop_.watch(number, client.awaited_events(), [this, number](std::uint32_t) { serve(number); }));
    }

    void serve(int number) {
        try {
            step(number);
        } catch (const std::exception& error) {
            system::log(system::log_level::error, "{}: dropped a client: {}", listener_.path(), error.what());
            end(number);
        }
    }

    void step(int number) {
        line_client& client = clients_.at(number);
        const std::uint32_t before = client.awaited_events();
        std::uint64_t counted = 0;
        auto now = client.step(room_, tables_, counted);
        // At the end, lines that have already arrived are still answered.
        while (is_ending_ && now == line_client::state::open && (client.awaited_events() & EPOLLIN) != 0)
            now = client.step(room_, tables_, counted);
        if (is_ending_ && now == line_client::state::drained) {
            client.stop_reading();
            now = client.has_unsent() ? line_client::state::open : line_client::state::over;
        }
        counters_.socket.addresses.fetch_add(counted, std::memory_order_relaxed);
        if (now == line_client::state::over)
            return end(number);
        if (client.awaited_events() != before)
            wait_for(client);
    }

    void end(int number) {
        loop_.unwatch(number);
        clients_.erase(number);
        counters_.socket.connections.fetch_sub(1, std::memory_order_relaxed);
        if (is_ending_ && clients_.empty())
            loop_.stop();
    }

    void begin_end() {
        loop_.unwatch(stopping_.descriptor());
        loop_.unwatch(listener_.descriptor());
        accept_all();
        is_ending_ = true;
        loop_.after(limits_.patience, [this] { loop_.stop(); });
        std::vector<int> numbers;
        for (const auto& [number, client] : clients_)
            numbers.push_back(number);
        for (const int number : numbers)
            serve(number);
        if (clients_.empty())
            loop_.stop();
    }

    socket_file& listener_;
    const serve_limits& limits_;
    const reloader& tables_;
    serve_counters& counters_;
    const stop_event& stopping_;
    system::event_loop loop_;
    session room_;
    std::unordered_map<int, line_client> clients_; // by descriptor
    bool is_ending_ = false;
};

} // namespace

line_server::line_server(socket_file& listener, const serve_limits& limits, const reloader& tables,
                         serve_counters& counters, const stop_event& stopping) {
    for (unsigned i = 0; i < limits.threads; ++i) {
        auto loop = std::make_shared<line_loop>(listener, limits, tables, counters, stopping);
        threads_.emplace_back([loop] { loop->run(); });
    }
}

line_server::~line_server() {
    for (std::thread& thread : threads_)
        thread.join();
}

} // namespace fingerpost::cli
