// A listening Unix stream socket and its file.
#pragma once

#include <string>
#include <utility>

#include "cli/serve/table/file_identity.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::cli {

class socket_file {
  public:
    // Replaces a socket on which no program listens. Throws failure if a program listens there, or if the
    // path is not a socket.
    explicit socket_file(std::string path);
    // Takes a listening socket. It and its file belong to another program. `path` may be empty.
    socket_file(system::unique_fd socket, std::string path)
        : path_(path.empty() ? "a socket without a path" : std::move(path)), socket_(std::move(socket)) {}
    socket_file(const socket_file&) = delete;
    socket_file& operator=(const socket_file&) = delete;
    ~socket_file() { remove(); }

    // The socket, which never blocks.
    int descriptor() const noexcept { return socket_.get(); }
    const std::string& path() const noexcept { return path_; }
    // Clients no longer find the socket. A file that has replaced it at the path stays.
    void remove() noexcept;

  private:
    std::string path_;
    system::unique_fd socket_;
    file_identity made_;
};

} // namespace fingerpost::cli
