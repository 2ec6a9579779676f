// The system returns the lowest free number, so the descriptors are opened in order.
#include "system/standard_descriptors.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace fingerpost::system {

void open_standard_descriptors() noexcept {
    // The input is opened for writing and the output for reading, so that using them fails with EBADF instead
    // of losing data silently.
    constexpr std::array modes{O_WRONLY, O_RDONLY, O_WRONLY};
    for (int number = 0; number < static_cast<int>(modes.size()); ++number) {
        if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF)
            continue;
        // A machine without /dev still has this folder, which can be neither read nor written.
        if (::open("/dev/null", modes[static_cast<unsigned>(number)]) != number &&
            ::open("/", O_RDONLY | O_DIRECTORY) != number)
            ::_exit(1);
    }
}

} // namespace fingerpost::system
