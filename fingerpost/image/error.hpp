// Error of saving or opening an image: the reason, and its position in the file.
#pragma once

#include <cstdint>
#include <iosfwd> // declares std::string

#include "fingerpost/base/expected.hpp"

namespace fingerpost {

enum class image_errc : std::uint8_t {
    ok,
    system,           // a system call failed, see system_error
    out_of_memory,    // nothing has changed
    capacity,         // the table does not fit the scheme
    not_an_image,     // opening: another kind of file; saving: the existing file is not a regular file
    other_byte_order, // written by a machine of the other endianness
    other_version,    // another version of the format
    other_width,      // an image of another address width or another scheme
    truncated,        // shorter or longer than its header states
    damaged,          // a checksum does not match, or the data is invalid
};

struct image_error {
    image_errc code = image_errc::ok;
    std::uint64_t offset = 0; // byte position in the file
    const char* reason = "";  // a sentence without its full stop; never null
    int system_error = 0;     // errno, with image_errc::system

    bool failed() const noexcept { return code != image_errc::ok; }
};

// Converts the error of compose() to an image_error.
inline image_error image_shortage(errc reason) noexcept {
    if (reason == errc::out_of_memory)
        return {image_errc::out_of_memory, 0, "out of memory", 0};
    if (reason == errc::unsupported)
        return {image_errc::capacity, 0, "no scheme with this name can be saved", 0};
    return {image_errc::capacity, 0, "the table does not fit the scheme of images", 0};
}

// Returns a message such as "byte 4160: a page entry leads outside the pages". Throws std::bad_alloc.
std::string to_string(const image_error& error);

} // namespace fingerpost
