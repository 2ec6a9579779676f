// Reads and writes one client's socket without blocking.
#include "cli/serve/lines/line_client.hpp"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "io/format/parts/words.hpp"

namespace fingerpost::cli {
namespace {

constexpr std::size_t line_block = std::size_t{16} << 10;
// While more than this waits to be sent to a client, nothing is read from it. The answers to one block of
// lines may exceed it.
constexpr std::size_t line_unsent = std::size_t{256} << 10;

std::string_view without_blanks(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
        return {};
    return line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

} // namespace

bool line_client::is_full() const noexcept {
    return out_.size() > line_unsent;
}

std::uint32_t line_client::awaited_events() const noexcept {
    const std::uint32_t in = ended_ || is_full() ? 0U : EPOLLIN;
    return in | (out_.empty() ? 0U : EPOLLOUT);
}

line_client::state line_client::step(session& room, const reloader& tables, std::uint64_t& counted) {
    if (!send())
        return state::over;
    if (ended_)
        return out_.empty() ? state::over : state::open;
    if (is_full())
        return state::open;
    std::array<char, line_block> block;
    const ssize_t size = ::recv(socket_.get(), block.data(), block.size(), MSG_DONTWAIT);
    if (size < 0)
        return errno == EAGAIN || errno == EINTR ? state::drained : state::over;
    ended_ = size == 0;
    answer({block.data(), static_cast<std::size_t>(size)}, room, tables, counted);
    return send() && !(ended_ && out_.empty()) ? state::open : state::over;
}

// An empty block means that the client has finished sending.
void line_client::answer(std::string_view bytes, session& room, const reloader& tables,
                         std::uint64_t& counted) {
    room.begin(tables.current(), row_format::lines, out_);
    const auto take = [&](std::string_view line, std::uint64_t number) {
        room.add(without_blanks(number == 1 ? io::without_byte_order_mark(line) : line));
        return true;
    };
    const auto refuse = [&](std::string_view, std::uint64_t) {
        room.add_wrong({}, fmt::format("the line has more than {} bytes", io::max_line_bytes));
        return true;
    };
    if (bytes.empty())
        lines_.finish(take);
    else
        lines_.feed(bytes, take, refuse);
    room.end();
    room.release();
    counted += room.count();
}

// Returns false if the client has gone.
bool line_client::send() {
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

} // namespace fingerpost::cli
