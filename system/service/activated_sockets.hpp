// Takes sockets that the service manager has opened for this program, by systemd's protocol of socket
// activation: descriptors from 3 on, counted by $LISTEN_FDS.
//
// The protocol: https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html
#pragma once

#include <string>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "system/system_failure.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::system {

struct activated_socket {
    unique_fd descriptor; // listens, does not block, and is closed on exec
    int family = 0;       // AF_INET, AF_INET6 or AF_UNIX
    std::string path{};   // of AF_UNIX; empty if the socket has no name in the file system
};

// Returns no sockets without a service manager, or if the variables are for another process. Removes the
// variables, so that programs started by this one do not use them. Must be called once, before other threads
// start. Fails if a descriptor is not a listening stream socket.
expected<std::vector<activated_socket>, failure> take_activated_sockets();

} // namespace fingerpost::system
