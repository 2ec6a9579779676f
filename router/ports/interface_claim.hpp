// Prevents two routers from using the same interface, because both would forward each of its packets.
//
// A claim is a socket bound to the interface's name among the abstract names of the network namespace. It
// disappears with the process, however that ends.
#pragma once

#include <string>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::router {

class interface_claim {
  public:
    // Claims an interface in the network namespace of the calling thread. The error is a sentence that names
    // the process holding the interface.
    static expected<interface_claim, std::string> take(const std::string& interface);

  private:
    explicit interface_claim(system::unique_fd socket) : socket_(std::move(socket)) {}

    system::unique_fd socket_;
};

} // namespace fingerpost::router
