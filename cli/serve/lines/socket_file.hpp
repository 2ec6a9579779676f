// A unix stream socket that listens at a path, and the file of the socket.
#pragma once

#include <string>
#include <utility>

#include "cli/serve/table/file_identity.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::cli {

class socket_file {
  public:
    // Replaces a socket on which no program listens any more. Throws failure if a program does, and if the
    // path is something else.
    explicit socket_file(std::string path);
    // A socket that listens already and belongs to another program, as does its file; `path` may be empty.
    socket_file(system::unique_fd given, std::string path)
        : path_(path.empty() ? "a socket without a path" : std::move(path)), socket_(std::move(given)) {}
    socket_file(const socket_file&) = delete;
    socket_file& operator=(const socket_file&) = delete;
    ~socket_file() { remove(); }

    // Never blocks.
    int descriptor() const noexcept { return socket_.get(); }
    const std::string& path() const noexcept { return path_; }
    // From then on clients do not find the socket. A file that has replaced it at the path stays.
    void remove() noexcept;

  private:
    std::string path_;
    system::unique_fd socket_;
    file_identity made_;
};

} // namespace fingerpost::cli
