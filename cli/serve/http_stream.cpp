// Waiting with deadlines, and counting bytes.
#include "cli/serve/http_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace fingerpost::cli {
namespace {

constexpr std::size_t head_bytes = std::size_t{32} << 10;
constexpr std::size_t stream_block = std::size_t{16} << 10;
constexpr std::size_t stream_unsent = std::size_t{256} << 10;
// Chunks have lines of their own, which count here and not as the body.
constexpr std::size_t framing_share = 2;
constexpr std::size_t framing_bytes = std::size_t{64} << 10;
// Of a client that still sends when its connection is closed.
constexpr auto farewell_time = std::chrono::milliseconds(500);
constexpr std::size_t farewell_bytes = std::size_t{4} << 20;

// Whether the descriptor was ready before the time came; `stop`, if not -1, ends the wait as well.
bool wait(int descriptor, short event, std::chrono::steady_clock::time_point until, int stop = -1) {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        pollfd both[2] = {{descriptor, event, 0}, {stop, POLLIN, 0}};
        const int ready =
            ::poll(both, stop < 0 ? 1 : 2, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (ready < 0 && errno == EINTR)
            continue;
        return ready > 0 && both[0].revents != 0;
    }
}

} // namespace

http_stream::http_stream(router::unique_fd socket, const serve_limits& limits, const stop_event& stopping)
    : socket_(std::move(socket)), stopping_(stopping), patience_(limits.patience),
      body_left_(limits.body_bytes * framing_share + framing_bytes) {}

bool http_stream::wait_for_request() {
    in_.erase(0, in_at_);
    in_at_ = 0;
    const auto now = clock::now();
    if (in_.empty()) {
        // A connection is opened to ask something soon.
        const auto idle = std::exchange(had_request_, true) ? clock::duration(idle_time) : patience_;
        if (!wait(socket_.get(), POLLIN, now + idle, stopping_.descriptor()) || !fill(now))
            return false;
    }
    left_ = head_bytes;
    in_body_ = false;
    until_ = clock::now() + patience_;
    return true;
}

// Reads what has come in, or comes in until then.
bool http_stream::fill(clock::time_point until) {
    in_.resize(stream_block);
    in_at_ = 0;
    ssize_t size = -1;
    do {
        size = ::recv(socket_.get(), in_.data(), in_.size(), MSG_DONTWAIT);
    } while (size < 0 && (errno == EINTR || (errno == EAGAIN && wait(socket_.get(), POLLIN, until))));
    const bool late = size < 0 && errno == EAGAIN;
    in_.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    if (size <= 0)
        fault_ = late ? stream_fault::late : stream_fault::closed;
    return size > 0;
}

ssize_t http_stream::read(char* to, size_t size) {
    if (fault_ != stream_fault::none)
        return -1;
    // Nothing is held back while the client may wait for it: the word to go on with a body.
    if (!out_.empty() && !flush())
        return -1;
    if (in_at_ == in_.size() && !fill(until_))
        return -1;
    const std::size_t taken = std::min({size, in_.size() - in_at_, left_});
    if (taken == 0) {
        fault_ = in_body_ ? stream_fault::long_body : stream_fault::long_head;
        return -1;
    }
    std::memcpy(to, in_.data() + in_at_, taken);
    in_at_ += taken;
    left_ -= taken;
    return static_cast<ssize_t>(taken);
}

ssize_t http_stream::write(const char* from, size_t size) {
    if (fault_ != stream_fault::none)
        return -1;
    out_.append(from, size);
    if (out_.size() >= stream_unsent && !flush())
        return -1;
    return static_cast<ssize_t>(size);
}

bool http_stream::flush() {
    const auto until = clock::now() + patience_;
    std::size_t at = 0;
    while (at != out_.size()) {
        const ssize_t size =
            ::send(socket_.get(), out_.data() + at, out_.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size >= 0) {
            at += static_cast<std::size_t>(size);
        } else if (errno != EINTR && (errno != EAGAIN || !wait(socket_.get(), POLLOUT, until))) {
            fault_ = stream_fault::not_taken;
            break;
        }
    }
    out_.clear();
    return fault_ != stream_fault::not_taken;
}

// The system answers what comes in for a closed socket with a reset, which may overtake the answer.
void http_stream::close_gently() {
    if (fault_ == stream_fault::closed || fault_ == stream_fault::not_taken)
        return;
    ::shutdown(socket_.get(), SHUT_WR);
    const auto until = clock::now() + farewell_time;
    std::string dropped(stream_block, '\0');
    for (std::size_t total = 0; total < farewell_bytes && wait(socket_.get(), POLLIN, until);) {
        const ssize_t size = ::recv(socket_.get(), dropped.data(), dropped.size(), MSG_DONTWAIT);
        if (size <= 0)
            return;
        total += static_cast<std::size_t>(size);
    }
}

bool http_stream::is_readable() const {
    return in_at_ != in_.size() || wait(socket_.get(), POLLIN, until_);
}

// Nobody asks for addresses of clients: no answer and no message depends on them.
void http_stream::get_remote_ip_and_port(std::string& ip, int& port) const {
    ip.clear();
    port = 0;
}

void http_stream::get_local_ip_and_port(std::string& ip, int& port) const {
    ip.clear();
    port = 0;
}

} // namespace fingerpost::cli
