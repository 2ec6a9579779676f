// Creates and removes the file of a socket.
#include "cli/serve/lines/socket_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

sockaddr_un unix_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path)
        throw failure(fmt::format("--socket {}: the path of a socket has 1 to {} bytes", path,
                                  sizeof address.sun_path - 1));
    std::copy(path.begin(), path.end(), address.sun_path);
    return address;
}

[[noreturn]] void fail(const std::string& path, std::string_view words) {
    throw failure(fmt::format("--socket {}: {}", path, words));
}

system::unique_fd new_socket() {
    return system::unique_fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Only a socket on which no program answers may be replaced.
void refuse_others(const std::string& path, sockaddr_un& address) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
        if (errno == ENOENT)
            return;
        fail(path, std::strerror(errno));
    }
    if (!S_ISSOCK(status.st_mode))
        fail(path, "it exists and is not a socket");
    const system::unique_fd probe = new_socket();
    if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
        errno == EAGAIN)
        fail(path, "another program answers there");
    if (errno != ECONNREFUSED && errno != ENOENT)
        fail(path, std::strerror(errno));
}

} // namespace

// The socket listens before it gets its name, so clients never find a socket that does not answer.
socket_file::socket_file(std::string path) : path_(std::move(path)), socket_(new_socket()) {
    sockaddr_un address = unix_address(path_);
    refuse_others(path_, address);
    const std::string first = fmt::format("{}.{}", path_, ::getpid());
    const sockaddr_un first_address = unix_address(first);
    if (!socket_ || (::unlink(first.c_str()) != 0 && errno != ENOENT) ||
        ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&first_address), sizeof first_address) != 0)
        fail(path_, std::strerror(errno));
    const bool listens = ::listen(socket_.get(), SOMAXCONN) == 0;
    const auto identity = file_identity::of(first);
    if (!listens || !identity || ::rename(first.c_str(), path_.c_str()) != 0) {
        const int fault = errno;
        ::unlink(first.c_str());
        fail(path_, std::strerror(fault));
    }
    made_ = *identity;
}

void socket_file::remove() noexcept {
    if (made_ == file_identity{})
        return;
    const auto now = file_identity::of(path_);
    if (now && now->is_same_file(made_))
        ::unlink(path_.c_str());
    made_ = {};
}

} // namespace fingerpost::cli
