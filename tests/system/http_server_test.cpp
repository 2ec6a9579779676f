// The HTTP server that the router uses for its metrics: idle clients do not block others.
#include "system/http/http_server.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include "system/tcp_listener.hpp"

namespace fingerpost::system {
namespace {

constexpr std::string_view whole_request = "GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

class echo_handler final : public http_handler {
  public:
    std::optional<http_answer> refuse_head(const http_request&) override { return std::nullopt; }
    http_answer answer(const http_request& request) override { return {.type = "t", .body = request.target}; }
    http_answer refuse(const http_refusal& why) override { return {.code = why.code, .type = "t"}; }
    void opened() noexcept override { ++open; }
    void closed() noexcept override { --open; }
    void turned_away() noexcept override { ++refused; }
    void answered(const http_exchange& one) noexcept override {
        const std::lock_guard held(lock);
        told.push_back(std::to_string(one.answer.code) + ' ' + one.request.method + ' ' + one.request.target +
                       ' ' + std::to_string(one.sent_bytes));
        clients.push_back(one.client.address);
        is_quick = is_quick && one.took >= one.took.zero() && one.took < std::chrono::seconds(60);
    }

    std::atomic<int> open = 0;
    std::atomic<int> refused = 0;
    std::mutex lock;
    std::vector<std::string> told;
    std::vector<std::string> clients;
    bool is_quick = true;
};

unique_fd connect_to(std::uint16_t port, std::string_view sent) {
    unique_fd made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(made.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
    EXPECT_EQ(::send(made.get(), sent.data(), sent.size(), MSG_NOSIGNAL), static_cast<ssize_t>(sent.size()));
    return made;
}

std::string read_to_end(const unique_fd& from) {
    std::string got;
    std::array<char, 4096> block;
    for (ssize_t size = 1; size > 0;) {
        size = ::recv(from.get(), block.data(), block.size(), 0);
        got.append(block.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    }
    return got;
}

struct running_server {
    explicit running_server(const http_rules& rules) {
        auto listener = listen_tcp("127.0.0.1", port);
        auto made = http_server::open(std::move(*listener), rules, 1, handler, [](const std::string&) {});
        server = std::move(*made);
    }

    std::uint16_t port = 0;
    echo_handler handler;
    std::unique_ptr<http_server> server;
};

TEST(HttpServer, HalfOpenClientsKeepNobodyAway) {
    running_server one({.connections = 16, .evicts = true});
    std::vector<unique_fd> idle;
    for (int i = 0; i < 300; ++i) {
        idle.push_back(connect_to(one.port, i % 2 == 0 ? "" : "GET /x HT"));
        // None of the requests in between waits for the timeout of the others.
        if (i % 30 == 0) {
            const std::string got = read_to_end(connect_to(one.port, whole_request));
            EXPECT_EQ(got.substr(0, 15), "HTTP/1.1 200 OK") << i;
        }
    }
    EXPECT_TRUE(read_to_end(connect_to(one.port, whole_request)).ends_with("\r\n\r\n/x"));
    // The oldest connections were closed, and no client was refused.
    EXPECT_EQ(read_to_end(idle.front()), "");
    EXPECT_EQ(one.handler.refused, 0);
    EXPECT_LE(one.handler.open, 17);
}

TEST(HttpServer, TurnsAwayWhatIsTooMuch) {
    running_server one({.connections = 2});
    const unique_fd first = connect_to(one.port, "");
    const unique_fd second = connect_to(one.port, "");
    EXPECT_EQ(read_to_end(connect_to(one.port, "")).substr(0, 12), "HTTP/1.1 503");
    EXPECT_EQ(one.handler.refused, 1);
    EXPECT_EQ(::send(first.get(), whole_request.data(), whole_request.size(), 0),
              static_cast<ssize_t>(whole_request.size()));
    EXPECT_EQ(read_to_end(first).substr(0, 15), "HTTP/1.1 200 OK");
}

TEST(HttpServer, TellsOfEachAnswer) {
    running_server one({.connections = 1});
    const unique_fd client = connect_to(one.port, "GET /one HTTP/1.1\r\nHost: [::1]\r\n\r\n"
                                                  "HEAD /two HTTP/1.1\r\nHost: [::1]\r\n\r\n"
                                                  "nonsense\r\n\r\n");
    EXPECT_NE(read_to_end(client).find("/oneHTTP/1.1 200 OK"), std::string::npos);
    one.server.reset();
    const std::vector<std::string> wanted{"200 GET /one 4", "200 HEAD /two 0", "400   0"};
    EXPECT_EQ(one.handler.told, wanted);
    EXPECT_EQ(one.handler.clients, std::vector<std::string>(3, "127.0.0.1"));
    EXPECT_TRUE(one.handler.is_quick);
}

TEST(HttpServer, EndsWhenWhatHasComeInIsAnswered) {
    running_server one({});
    const unique_fd idle = connect_to(one.port, "");
    const unique_fd asking =
        connect_to(one.port, "GET /1 HTTP/1.1\r\nHost: [::1]\r\n\r\nGET /2 HTTP/1.0\r\n\r\n");
    one.server->end();
    const std::string got = read_to_end(asking);
    EXPECT_NE(got.find("/1HTTP/1.1 200 OK"), std::string::npos) << got;
    EXPECT_TRUE(got.ends_with("\r\n\r\n/2")) << got;
    EXPECT_EQ(read_to_end(idle), "");
    one.server.reset();
    EXPECT_EQ(one.handler.open, 0);
}

} // namespace
} // namespace fingerpost::system
