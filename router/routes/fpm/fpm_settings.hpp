// The section [fpm] of the configuration.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace fingerpost::router {

struct fpm_settings {
    std::string listen = "127.0.0.1"; // an IPv4 or IPv6 address
    std::uint16_t port = 2620;
    std::chrono::milliseconds hold_time{300'000};
    std::chrono::milliseconds quiet_time{5'000};
    unsigned converged_percent = 95;
    std::chrono::milliseconds sweep_limit{300'000};
};

} // namespace fingerpost::router
