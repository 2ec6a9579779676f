// Parses HTTP requests from bytes, and checks that pieces of any size give the same result.
#include "system/http/http_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "system/http/gzip_text.hpp"
#include "system/http/http_hosts.hpp"

namespace fingerpost::system {
namespace {

// Each request as `METHOD target body`, followed by the status code of a refusal.
std::vector<std::string> read_requests(std::string_view bytes, std::size_t piece,
                                       const http_reader_limits& limits = {}) {
    http_reader reader(limits);
    std::vector<std::string> found;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        reader.feed(bytes.substr(0, piece));
        for (auto now = reader.next(); now != http_reader::step::more; now = reader.next()) {
            const http_request& one = reader.request();
            if (now == http_reader::step::whole)
                found.push_back(one.method + ' ' + one.target + ' ' + one.body);
            if (now == http_reader::step::refused) {
                found.push_back(std::to_string(reader.why().code));
                return found;
            }
        }
    }
    return found;
}

void expect_requests(std::string_view bytes, const std::vector<std::string>& wanted,
                     const http_reader_limits& limits = {}) {
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece)
        EXPECT_EQ(read_requests(bytes, piece, limits), wanted) << bytes << " in pieces of " << piece;
}

TEST(HttpReader, ReadsRequestsInPieces) {
    expect_requests("\r\nPOST /a?b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                    "GET / HTTP/1.0\r\n\r\n"
                    "PUT http://y:1 HTTP/1.1\r\nhost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
                    "2;a=\"b\\\"c\"\r\nde\r\n01\r\nf\r\n0\r\nX: y\r\n\r\n",
                    {"POST /a?b abc", "GET / ", "PUT / def"});
}

TEST(HttpReader, RefusesInPiecesAsWhole) {
    const std::string post = "POST / HTTP/1.1\r\nHost: x\r\n";
    expect_requests(post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", {"400"});
    expect_requests(post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", {"400"});
    expect_requests(post + "Transfer-Encoding: chunked\r\n\r\n1\nab\r\n0\r\n\r\n", {"400"});
    expect_requests(post + "Transfer-Encoding: chunked\r\n\r\n1;a=\"\n\"\r\na\r\n0\r\n\r\n", {"400"});
    expect_requests(post + "X:\r\n \r\n\r\n", {"400"});
    expect_requests(post + "X: a\r\n b\r\n\r\n", {"400"});
    expect_requests("GET / HTTP/1.1\nHost: x\n\n", {"400"});
    expect_requests("GET / HTTP/3.0\r\n\r\n", {"505"});
    // The preceding request is read in spite of the error.
    expect_requests("GET / HTTP/1.0\r\n\r\nGET\r\n\r\nGET / HTTP/1.0\r\n\r\n", {"GET / ", "400"});
}

TEST(HttpReader, BoundsAllParts) {
    constexpr http_reader_limits limits{.head_bytes = 60, .target_bytes = 10, .body_bytes = 4};
    expect_requests("GET /123456789 HTTP/1.0\r\n\r\n", {"GET /123456789 "}, limits);
    expect_requests("GET /1234567890 HTTP/1.0\r\n\r\n", {"414"}, limits);
    expect_requests("GET / HTTP/1.0\r\nX: " + std::string(38, 'x') + "\r\n\r\n", {"431"}, limits);
    expect_requests(std::string(80, '\r'), {"400"}, limits);
    std::string lines;
    for (int i = 0; i < 40; ++i)
        lines += "\r\n";
    expect_requests(lines, {"431"}, limits);
    expect_requests("P / HTTP/1.0\r\n\r\n", {"501"}, limits);
    const std::string put = "PUT / HTTP/1.1\r\nHost: x\r\n";
    expect_requests(put + "Content-Length: 4\r\n\r\nabcd", {"PUT / abcd"}, limits);
    expect_requests(put + "Content-Length: 5\r\n\r\nabcde", {"413"}, limits);
    const std::string_view chunked = "PUT / HTTP/1.1\r\nHost:x\r\nTransfer-Encoding:chunked\r\n\r\n";
    expect_requests(std::string(chunked) + "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n", {"PUT / abcd"}, limits);
    expect_requests(std::string(chunked) + "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n", {"413"}, limits);
    // Chunk headers that never end.
    const std::string endless = std::string(chunked) + "1;a=" + std::string(80'000, 'b');
    EXPECT_EQ(read_requests(endless, 7, limits), std::vector<std::string>{"413"});
    EXPECT_EQ(read_requests(endless, endless.size(), limits), std::vector<std::string>{"413"});
}

TEST(HttpHosts, AllowThisMachine) {
    const http_hosts own{.checks = true, .names = {"fp.example", "::2"}};
    for (const std::string_view host :
         {"localhost", "LocalHost:80", "127.3.2.1", "[::1]:9", "FP.example.", "[::2]", ""})
        EXPECT_TRUE(own.allows(host)) << host;
    for (const std::string_view host :
         {"evil.example", "localhost.evil", "128.0.0.1", "[::3]", "::1", "[::1", "a:b"})
        EXPECT_FALSE(own.allows(host)) << host;
    EXPECT_TRUE(http_hosts{}.allows("evil.example"));
}

TEST(HttpMessage, CompressesForThoseWhoTakeIt) {
    EXPECT_TRUE(takes_gzip("br, gzip"));
    EXPECT_TRUE(takes_gzip(" GZIP ;q=0.1"));
    for (const std::string_view others : {"", "br", "gzip;q=0", "gzip; q=0.000", "gzipped", "x;gzip"})
        EXPECT_FALSE(takes_gzip(others)) << others;
}

TEST(HttpMessage, HeadsSayHowTheConnectionGoesOn) {
    const http_answer one{.code = 404, .type = "t", .body = "b", .fields = {{"A", "c"}}};
    EXPECT_EQ(text_of(one, {.closes = true}, false),
              "HTTP/1.1 404 Not Found\r\nContent-Type: t\r\nContent-Length: 1\r\nA: c\r\nConnection: "
              "close\r\n\r\nb");
    EXPECT_EQ(
        text_of(one, {.is_old = true, .idle_seconds = 5}, true),
        "HTTP/1.1 404 Not Found\r\nContent-Type: t\r\nContent-Length: 1\r\nA: c\r\nConnection: keep-alive\r\n"
        "Keep-Alive: timeout=5\r\n\r\n");
}

} // namespace
} // namespace fingerpost::system
