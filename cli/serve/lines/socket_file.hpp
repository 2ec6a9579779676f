// A unix stream socket that listens under a path, and the file that it is there.
#pragma once

#include <string>

#include "cli/serve/table/file_identity.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::cli {

class socket_file {
  public:
    // A socket that nobody listens on any more is replaced. Throws failure when somebody does, and when
    // something else has the path.
    explicit socket_file(std::string path);
    socket_file(const socket_file&) = delete;
    socket_file& operator=(const socket_file&) = delete;
    ~socket_file() { remove(); }

    // Never blocks.
    int descriptor() const noexcept { return socket_.get(); }
    const std::string& path() const noexcept { return path_; }
    // From then on nobody finds it. A file that has taken the path meanwhile stays.
    void remove() noexcept;

  private:
    std::string path_;
    system::unique_fd socket_;
    file_identity made_;
};

} // namespace fingerpost::cli
