// One line of the access log. Text from clients cannot end the line, start another one, or move a terminal's
// cursor: both forms are printable ASCII.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "system/http/http_handler.hpp"

namespace fingerpost::cli {

enum class access_format : std::uint8_t {
    text, // the combined log format of web servers, then the duration in seconds and the number of addresses
    json, // one object
};

// Ends with a line feed. Text from clients is cut after 1,024 bytes.
std::string access_line(access_format format, const system::http_exchange& exchange,
                        std::chrono::system_clock::time_point when);

} // namespace fingerpost::cli
