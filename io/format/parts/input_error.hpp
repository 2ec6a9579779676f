// What was wrong with input from outside, and where: the file, the line and the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

struct input_error {
    std::string file;       // as the user named it; `stdin` for the standard input
    std::uint64_t line = 0; // from 1; 0 if the fault is not in a line
    std::string text;       // the refused words, raw; empty if there are none
    std::string reason;
};

// `file:line: 'text': reason`, without the parts that are not known; file and text are escaped by
// printable().
std::string message(const input_error& error);

// Text for people: in single quotes, at most some 80 bytes, with unprintable bytes as \xNN.
std::string quoted(std::string_view text);

} // namespace fingerpost::io
