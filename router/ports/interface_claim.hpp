// Keeps two routers from one interface: both would forward each of its packets.
//
// A claim is a socket with the interface's name among the abstract names of the network namespace, which are
// gone when the process is, however it ends.
#pragma once

#include <string>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::router {

class interface_claim {
  public:
    // In the network namespace of the calling thread. The error is a sentence that names the process which
    // has the interface.
    static expected<interface_claim, std::string> take(const std::string& interface);

  private:
    explicit interface_claim(system::unique_fd socket) : socket_(std::move(socket)) {}

    system::unique_fd socket_;
};

} // namespace fingerpost::router
