// A socket to the kernel for requests that wait for the answer: what ports need and their set-up.
#pragma once

#include <cstdint>
#include <memory>

#include <libmnl/libmnl.h>

namespace fingerpost::router {

class netlink_talk {
  public:
    // In the network namespace of the calling thread. If it is not open, the reason is in errno.
    netlink_talk();
    explicit operator bool() const noexcept { return socket_ != nullptr; }

    // For the next request.
    std::uint32_t next_sequence() noexcept { return ++sequence_; }
    // Returns 0, or the error number in the kernel's answer. An answer that is more than an acknowledgement
    // is given to read(message, into).
    int ask(const nlmsghdr* message, mnl_cb_t read = nullptr, void* into = nullptr);

  private:
    struct closer {
        void operator()(mnl_socket* socket) const noexcept { mnl_socket_close(socket); }
    };
    std::unique_ptr<mnl_socket, closer> socket_;
    std::uint32_t sequence_ = 0;
};

} // namespace fingerpost::router
