// Reads and writes one socket. Everything that it waits for has a deadline.
#include "system/http/http_connection.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>

#include "system/http/gzip_text.hpp"
#include "system/tcp_listener.hpp"

namespace fingerpost::system {
namespace {

constexpr std::size_t http_block = std::size_t{16} << 10;
// If more than this waits to be sent to a client, nothing more is read from it. One answer may exceed it.
constexpr std::size_t http_unsent = std::size_t{256} << 10;
// Time for a client to stop sending when its connection is closed.
constexpr auto parting_time = std::chrono::milliseconds(500);
constexpr std::size_t parting_bytes = std::size_t{4} << 20;
// Shorter answers fit in one packet without compression.
constexpr std::size_t min_compressed = 1024;

constexpr std::string_view continue_answer = "HTTP/1.1 100 Continue\r\n\r\n";

void compress(const http_request& request, http_answer& answer) {
    if (answer.body.size() < min_compressed || !takes_gzip(request.field("Accept-Encoding")))
        return;
    if (auto smaller = gzip_text(answer.body)) {
        answer.body = std::move(*smaller);
        answer.fields.emplace_back("Content-Encoding", "gzip");
    }
}

} // namespace

http_connection::http_connection(unique_fd socket, const http_rules& rules, http_handler& handler)
    : socket_(std::move(socket)), client_(peer_of(socket_.get())), rules_(rules), handler_(handler),
      reader_(rules.sizes), since_(clock::now()),
      // A new connection must send a request soon.
      read_by_(since_ + rules.patience) {}

bool http_connection::is_full() const noexcept {
    return out_.size() > http_unsent;
}

std::uint32_t http_connection::events() const noexcept {
    const bool reads = !ended_ && !is_full() && (!closes_ || parting_);
    return (reads ? std::uint32_t{EPOLLIN} : 0U) | (out_.empty() ? 0U : std::uint32_t{EPOLLOUT});
}

bool http_connection::step() {
    if (!send())
        return false;
    bool has_bytes = true;
    while (has_bytes && !closes_ && !is_full()) {
        has_bytes = receive();
        answer_all();
        if (!send())
            return false;
        // Gives other connections their turn, unless nothing more will be read.
        if (!is_ending_)
            break;
    }
    if (is_ending_ && !has_bytes && !reader_.has_begun())
        closes_ = true;
    if (ended_ && !is_full())
        closes_ = true;
    return !closes_ || !out_.empty() || end_gently();
}

// Returns false if nothing has arrived.
bool http_connection::receive() {
    std::array<char, http_block> block;
    const ssize_t size = ::recv(socket_.get(), block.data(), block.size(), MSG_DONTWAIT);
    if (size > 0) {
        reader_.feed({block.data(), static_cast<std::size_t>(size)});
        return true;
    }
    ended_ = size == 0 || (errno != EAGAIN && errno != EINTR);
    return false;
}

bool http_connection::has_unread() const noexcept {
    char first = '\0';
    return ::recv(socket_.get(), &first, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
}

void http_connection::answer_all() {
    while (!closes_ && !is_full()) {
        switch (reader_.next()) {
        case http_reader::step::more:
            return begin_wait();
        case http_reader::step::head:
            take_head();
            break;
        case http_reader::step::whole:
            take_request();
            break;
        case http_reader::step::refused:
            refuse(reader_.why());
            break;
        }
    }
}

// The time limit of a request runs from its first byte to its last.
void http_connection::begin_wait() {
    if (!reader_.has_begun() || std::exchange(in_request_, true))
        return;
    since_ = clock::now();
    read_by_ = since_ + rules_.patience;
}

std::optional<http_answer> http_connection::refusal_of(const http_request& request) {
    if (!rules_.hosts.allows(request.host))
        return handler_.refuse({421, "this server does not answer for the host " + request.host});
    if (const std::string expected = request.field("Expect");
        !expected.empty() && !is_same_word(expected, "100-continue"))
        return handler_.refuse({417, "the only supported expectation is 100-continue"});
    return handler_.refuse_head(request);
}

void http_connection::take_head() {
    const http_request& request = reader_.request();
    read_at_ = clock::now();
    if (!request.has_body)
        return;
    if (auto refusal = refusal_of(request))
        return send_answer(std::move(*refusal), true);
    // Bodies of GET and HEAD are not read.
    if (request.method == "GET" || request.is_head())
        return answer(request);
    if (!request.is_old && is_same_word(request.field("Expect"), "100-continue")) {
        out_ += continue_answer;
        write_by_ = clock::now() + rules_.patience;
    }
}

void http_connection::take_request() {
    const http_request& request = reader_.request();
    in_request_ = false;
    read_at_ = clock::now();
    if (request.has_body)
        return answer(request);
    if (auto refusal = refusal_of(request))
        return send_answer(std::move(*refusal), false);
    answer(request);
}

void http_connection::answer(const http_request& request) {
    const bool is_read = !request.has_body || !(request.method == "GET" || request.is_head());
    http_answer result;
    try {
        result = handler_.answer(request);
        compress(request, result);
    } catch (const std::bad_alloc&) {
        result = handler_.refuse({503, "out of memory"});
    } catch (const std::exception& error) {
        result = handler_.refuse({500, error.what()});
    }
    send_answer(std::move(result), !is_read);
}

void http_connection::refuse(const http_refusal& reason) {
    read_at_ = clock::now();
    send_answer(handler_.refuse(reason), true);
}

void http_connection::send_answer(http_answer answer, bool closes) {
    const http_request& request = reader_.request();
    const bool is_last = is_ending_ && !reader_.has_begun() && !has_unread();
    closes_ = closes || answer.closes || !request.keeps || is_last;
    const auto now = clock::now();
    out_ += text_of(answer, {closes_, request.is_old, rules_.idle.count()}, request.is_head());
    since_ = now;
    write_by_ = now + rules_.patience;
    read_by_ = now + rules_.idle;
    handler_.answered({.request = request,
                       .answer = answer,
                       .client = client_,
                       .sent_bytes = request.is_head() ? 0 : answer.body.size(),
                       .took = now - read_at_});
}

// Returns false if the client has gone.
bool http_connection::send() {
    std::size_t at = 0;
    while (at != out_.size()) {
        const ssize_t size =
            ::send(socket_.get(), out_.data() + at, out_.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size >= 0)
            at += static_cast<std::size_t>(size);
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR)
            return false;
    }
    out_.erase(0, at);
    return true;
}

// Data that arrives for a closed socket is answered by a reset, which may overtake the answer. So this closes
// only the sending side at first. Returns false if the client has closed its side as well.
bool http_connection::end_gently() {
    if (ended_)
        return false;
    if (!std::exchange(parting_, true)) {
        ::shutdown(socket_.get(), SHUT_WR);
        read_by_ = clock::now() + parting_time;
    }
    std::array<char, http_block> block;
    const ssize_t size = ::recv(socket_.get(), block.data(), block.size(), MSG_DONTWAIT);
    if (size < 0)
        return errno == EAGAIN || errno == EINTR;
    dropped_ += static_cast<std::size_t>(size);
    return size != 0 && dropped_ <= parting_bytes;
}

bool http_connection::expire() {
    // The client does not read its answer, sends no request, or does not close.
    if (!out_.empty() || parting_ || !reader_.has_begun())
        return false;
    refuse({408, "the request was not complete within the time limit"});
    return step();
}

bool http_connection::end() {
    is_ending_ = true;
    return step();
}

} // namespace fingerpost::system
