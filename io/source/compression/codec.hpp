// The interface of decompressors and compressors: a table of functions for each format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

enum class decode_status : std::uint8_t {
    running,    // provide more input or take the output
    member_end, // a member (gzip), stream (bzip2, xz) or frame (zstd) is complete; another may follow
    failed,     // `reason` describes the fault
};

struct decode_step {
    std::size_t consumed = 0; // bytes of input
    std::size_t produced = 0; // bytes of output
    decode_status status = decode_status::running;
    std::string_view reason;
};

enum class encode_status : std::uint8_t { running, done, failed };

struct encode_step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    encode_status status = encode_status::running;
};

// The functions for writing a format. encode() gets input that is not empty until `is_end`, and output space.
// With `is_end` it is called without input until it returns `done`.
struct encoding {
    std::string_view suffix; // of file names
    void* (*open)();         // nullptr in a build without the library
    void (*close)(void* state);
    encode_step (*encode)(void* state, std::span<const char> in, std::span<char> out, bool is_end);
};

// The state is opaque and belongs to one member. open() returns nullptr if memory is missing. decode() gets
// input that is not empty, and output space. Its input may be empty if the library may still have output.
struct codec {
    std::string_view name;
    std::string_view magic;   // first bytes of every member
    std::string_view library; // library that the build needs
    void* (*open)();          // nullptr in a build without the library
    void (*close)(void* state);
    decode_step (*decode)(void* state, std::span<const char> in, std::span<char> out);
    encoding write;
};

extern const codec gzip_codec;
extern const codec bzip2_codec;
extern const codec xz_codec;
extern const codec zstd_codec;
// The coding `deflate` of HTTP; files are never in this format.
extern const codec zlib_codec;

// The four file formats, including those whose libraries this build lacks.
std::span<const codec* const> all_codecs() noexcept;

} // namespace fingerpost::io
