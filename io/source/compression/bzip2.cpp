// Reads and writes bzip2 with libbz2.
#include "io/source/compression/codec.hpp"

#ifdef FINGERPOST_HAVE_BZ2
#include <algorithm>
#include <bzlib.h>
#include <limits>
#include <new>
#endif

namespace fingerpost::io {
namespace {

constexpr std::string_view bzip2_magic{"BZh"};

#ifdef FINGERPOST_HAVE_BZ2

void* open_bzip2() {
    auto* const stream = new (std::nothrow) bz_stream{};
    if (stream == nullptr || BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK)
        return stream;
    delete stream;
    return nullptr;
}

void close_bzip2(void* state) {
    auto* const stream = static_cast<bz_stream*>(state);
    BZ2_bzDecompressEnd(stream);
    delete stream;
}

unsigned bz_size(std::size_t size) {
    return static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
}

void* open_bzip2_writer() {
    constexpr int blocks_of_900_kb = 9;
    auto* const stream = new (std::nothrow) bz_stream{};
    if (stream == nullptr || BZ2_bzCompressInit(stream, blocks_of_900_kb, 0, 0) == BZ_OK)
        return stream;
    delete stream;
    return nullptr;
}

void close_bzip2_writer(void* state) {
    auto* const stream = static_cast<bz_stream*>(state);
    BZ2_bzCompressEnd(stream);
    delete stream;
}

encode_step encode_bzip2(void* state, std::span<const char> in, std::span<char> out, bool is_end) {
    auto* const stream = static_cast<bz_stream*>(state);
    const unsigned in_bytes = bz_size(in.size());
    const unsigned out_bytes = bz_size(out.size());
    stream->next_in = const_cast<char*>(in.data());
    stream->avail_in = in_bytes;
    stream->next_out = out.data();
    stream->avail_out = out_bytes;
    const int result = BZ2_bzCompress(stream, is_end ? BZ_FINISH : BZ_RUN);
    return {in_bytes - stream->avail_in, out_bytes - stream->avail_out,
            result == BZ_STREAM_END ? encode_status::done
            : result >= BZ_OK       ? encode_status::running
                                    : encode_status::failed};
}

std::string_view bzip2_message(int result) {
    switch (result) {
    case BZ_DATA_ERROR:
        return "invalid checksum or structure";
    case BZ_DATA_ERROR_MAGIC:
        return "not the start of a bzip2 stream";
    case BZ_MEM_ERROR:
        return "out of memory";
    default:
        return "unknown error";
    }
}

decode_step decode_bzip2(void* state, std::span<const char> in, std::span<char> out) {
    auto* const stream = static_cast<bz_stream*>(state);
    const unsigned in_bytes = bz_size(in.size());
    const unsigned out_bytes = bz_size(out.size());
    // libbz2 does not write to the input, but its interface lacks const.
    stream->next_in = const_cast<char*>(in.data());
    stream->avail_in = in_bytes;
    stream->next_out = out.data();
    stream->avail_out = out_bytes;
    const int result = BZ2_bzDecompress(stream);
    decode_step step{in_bytes - stream->avail_in, out_bytes - stream->avail_out, decode_status::running, {}};
    if (result == BZ_STREAM_END) {
        step.status = decode_status::member_end;
    } else if (result != BZ_OK) {
        step.status = decode_status::failed;
        step.reason = bzip2_message(result);
    }
    return step;
}

#endif

} // namespace

#ifdef FINGERPOST_HAVE_BZ2
constinit const codec bzip2_codec{"bzip2",
                                  bzip2_magic,
                                  "libbz2",
                                  open_bzip2,
                                  close_bzip2,
                                  decode_bzip2,
                                  {".bz2", open_bzip2_writer, close_bzip2_writer, encode_bzip2}};
#else
constinit const codec bzip2_codec{
    "bzip2", bzip2_magic, "libbz2", nullptr, nullptr, nullptr, {".bz2", nullptr, nullptr, nullptr}};
#endif

} // namespace fingerpost::io
