// Reads and writes gzip (RFC 1952), and reads zlib's format (RFC 1950), with zlib.
#include "io/source/compression/codec.hpp"

#ifdef FINGERPOST_HAVE_ZLIB
#include <algorithm>
#include <limits>
#include <new>
#include <zlib.h>
#endif

namespace fingerpost::io {
namespace {

constexpr std::string_view gzip_magic{"\x1f\x8b", 2};
constexpr std::string_view zlib_magic{"\x78", 1};

#ifdef FINGERPOST_HAVE_ZLIB

void* open_stream(int window) {
    auto* const stream = new (std::nothrow) z_stream{};
    if (stream == nullptr || inflateInit2(stream, window) == Z_OK)
        return stream;
    delete stream;
    return nullptr;
}

void* open_gzip() {
    // 16 plus the largest window: requires a gzip header, and refuses zlib's format and raw deflate.
    return open_stream(MAX_WBITS + 16);
}

void* open_zlib() {
    return open_stream(MAX_WBITS);
}

void close_gzip(void* state) {
    auto* const stream = static_cast<z_stream*>(state);
    inflateEnd(stream);
    delete stream;
}

unsigned zlib_size(std::size_t size) {
    return static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
}

void* open_gzip_writer() {
    constexpr int level = 6, memory = 8; // the library's defaults
    auto* const stream = new (std::nothrow) z_stream{};
    if (stream == nullptr ||
        deflateInit2(stream, level, Z_DEFLATED, MAX_WBITS + 16, memory, Z_DEFAULT_STRATEGY) == Z_OK)
        return stream;
    delete stream;
    return nullptr;
}

void close_gzip_writer(void* state) {
    auto* const stream = static_cast<z_stream*>(state);
    deflateEnd(stream);
    delete stream;
}

encode_step encode_gzip(void* state, std::span<const char> in, std::span<char> out, bool is_end) {
    auto* const stream = static_cast<z_stream*>(state);
    const unsigned in_bytes = zlib_size(in.size());
    const unsigned out_bytes = zlib_size(out.size());
    stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream->avail_in = in_bytes;
    stream->next_out = reinterpret_cast<Bytef*>(out.data());
    stream->avail_out = out_bytes;
    const int result = deflate(stream, is_end ? Z_FINISH : Z_NO_FLUSH);
    const bool goes_on = result == Z_OK || result == Z_BUF_ERROR;
    return {in_bytes - stream->avail_in, out_bytes - stream->avail_out,
            result == Z_STREAM_END ? encode_status::done
            : goes_on              ? encode_status::running
                                   : encode_status::failed};
}

decode_step decode_gzip(void* state, std::span<const char> in, std::span<char> out) {
    auto* const stream = static_cast<z_stream*>(state);
    const unsigned in_bytes = zlib_size(in.size());
    const unsigned out_bytes = zlib_size(out.size());
    // zlib does not write to the input, but its interface lacks const.
    stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream->avail_in = in_bytes;
    stream->next_out = reinterpret_cast<Bytef*>(out.data());
    stream->avail_out = out_bytes;
    const int result = inflate(stream, Z_NO_FLUSH);
    decode_step step{in_bytes - stream->avail_in, out_bytes - stream->avail_out, decode_status::running, {}};
    if (result == Z_STREAM_END) {
        step.status = decode_status::member_end;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
        step.status = decode_status::failed;
        step.reason = stream->msg != nullptr ? stream->msg : "unknown error";
    }
    return step;
}

#endif

} // namespace

#ifdef FINGERPOST_HAVE_ZLIB
constinit const codec gzip_codec{"gzip",
                                 gzip_magic,
                                 "zlib",
                                 open_gzip,
                                 close_gzip,
                                 decode_gzip,
                                 {".gz", open_gzip_writer, close_gzip_writer, encode_gzip}};
constinit const codec zlib_codec{"deflate", zlib_magic, "zlib", open_zlib, close_gzip, decode_gzip, {}};
#else
constinit const codec gzip_codec{
    "gzip", gzip_magic, "zlib", nullptr, nullptr, nullptr, {".gz", nullptr, nullptr, nullptr}};
constinit const codec zlib_codec{"deflate", zlib_magic, "zlib", nullptr, nullptr, nullptr, {}};
#endif

} // namespace fingerpost::io
