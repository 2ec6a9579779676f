// One line of the access log. What clients send cannot end the line, begin another one, or move the cursor of
// a terminal: both forms are printable ASCII.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "system/http/http_handler.hpp"

namespace fingerpost::cli {

enum class access_format : std::uint8_t {
    text, // the combined log format of web servers, then the seconds of the answer and its addresses
    json, // an object
};

// Ends with a line feed. Texts of clients are cut after 1,024 bytes.
std::string access_line(access_format format, const system::http_exchange& one,
                        std::chrono::system_clock::time_point when);

} // namespace fingerpost::cli
