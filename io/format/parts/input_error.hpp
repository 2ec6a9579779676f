// An error in an input: the file, the line, the refused text and the reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

struct input_error {
    std::string file;       // the name that the user gave; `stdin` for standard input
    std::uint64_t line = 0; // from 1; 0 if the fault is not in one line
    std::string text;       // refused words, not escaped; may be empty
    std::string reason;
};

// Returns `file:line: 'text': reason`, without unknown parts, with file and text escaped.
std::string message(const input_error& error);

// Returns text for messages: in single quotes, cut after about 80 bytes, with unprintable bytes as \xNN.
std::string quoted(std::string_view text);

} // namespace fingerpost::io
