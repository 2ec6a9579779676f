// The interface of a decompressor and a compressor: a table of functions for each format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

enum class decode_status : std::uint8_t {
    running,    // give more input or take the output
    member_end, // a member (gzip), stream (bzip2, xz) or frame (zstd) is complete; another may follow
    failed,     // `reason` says why
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

// As codec, for writing. encode() gets non-empty input until `is_end`, and non-empty output; then it is
// called without input until it is `done`.
struct encoding {
    std::string_view suffix; // of names of files
    void* (*open)();         // nullptr in a build without the library
    void (*close)(void* state);
    encode_step (*encode)(void* state, std::span<const char> in, std::span<char> out, bool is_end);
};

// The state is opaque and belongs to one member. open() returns nullptr without memory. decode() gets
// non-empty input and output, or empty input if all input was given and output may be left inside.
struct codec {
    std::string_view name;
    std::string_view magic;   // the first bytes of every member
    std::string_view library; // what a build without it lacks
    void* (*open)();          // nullptr in a build without the library
    void (*close)(void* state);
    decode_step (*decode)(void* state, std::span<const char> in, std::span<char> out);
    encoding write;
};

extern const codec gzip_codec;
extern const codec bzip2_codec;
extern const codec xz_codec;
extern const codec zstd_codec;
// The coding that HTTP calls `deflate`; no file consists of it alone.
extern const codec zlib_codec;

// The four formats of files, whether or not this build has their libraries.
std::span<const codec* const> all_codecs() noexcept;

} // namespace fingerpost::io
