// A netlink socket for requests that wait for their answer, used to examine and set up interfaces.
#pragma once

#include <cstdint>
#include <memory>

#include <libmnl/libmnl.h>

namespace fingerpost::router {

class netlink_talk {
  public:
    // In the network namespace of the calling thread. If the socket cannot be opened, the reason is in errno.
    netlink_talk();
    explicit operator bool() const noexcept { return socket_ != nullptr; }

    // The sequence number for the next request.
    std::uint32_t next_sequence() noexcept { return ++sequence_; }
    // Returns 0, or the error number in the kernel's answer. An answer other than an acknowledgement is
    // passed to read(message, into).
    int ask(const nlmsghdr* message, mnl_cb_t read = nullptr, void* into = nullptr);

  private:
    struct closer {
        void operator()(mnl_socket* socket) const noexcept { mnl_socket_close(socket); }
    };
    std::unique_ptr<mnl_socket, closer> socket_;
    std::uint32_t sequence_ = 0;
};

} // namespace fingerpost::router
