// Reads and writes xz with liblzma.
#include "io/source/compression/codec.hpp"

#ifdef FINGERPOST_HAVE_LZMA
#include <lzma.h>
#include <new>
#endif

namespace fingerpost::io {
namespace {

constexpr std::string_view xz_magic{"\xfd\x37\x7a\x58\x5a\x00", 6};

#ifdef FINGERPOST_HAVE_LZMA

// The largest preset needs 65 MiB. A header that requires more than this limit is refused.
constexpr std::uint64_t memory_limit = std::uint64_t{1} << 30;

void* open_xz() {
    auto* const stream = new (std::nothrow) lzma_stream LZMA_STREAM_INIT;
    if (stream == nullptr || lzma_stream_decoder(stream, memory_limit, 0) == LZMA_OK)
        return stream;
    delete stream;
    return nullptr;
}

void close_xz(void* state) {
    auto* const stream = static_cast<lzma_stream*>(state);
    lzma_end(stream);
    delete stream;
}

void* open_xz_writer() {
    constexpr std::uint32_t level = 6; // the library's default
    auto* const stream = new (std::nothrow) lzma_stream LZMA_STREAM_INIT;
    if (stream == nullptr || lzma_easy_encoder(stream, level, LZMA_CHECK_CRC64) == LZMA_OK)
        return stream;
    delete stream;
    return nullptr;
}

encode_step encode_xz(void* state, std::span<const char> in, std::span<char> out, bool is_end) {
    auto* const stream = static_cast<lzma_stream*>(state);
    stream->next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream->avail_in = in.size();
    stream->next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream->avail_out = out.size();
    const lzma_ret result = lzma_code(stream, is_end ? LZMA_FINISH : LZMA_RUN);
    return {in.size() - stream->avail_in, out.size() - stream->avail_out,
            result == LZMA_STREAM_END ? encode_status::done
            : result == LZMA_OK       ? encode_status::running
                                      : encode_status::failed};
}

std::string_view xz_message(lzma_ret result) {
    switch (result) {
    case LZMA_DATA_ERROR:
        return "invalid checksum or structure";
    case LZMA_FORMAT_ERROR:
        return "not the start of an xz stream";
    case LZMA_OPTIONS_ERROR:
        return "the data uses features that this liblzma does not support";
    case LZMA_MEMLIMIT_ERROR:
        return "decompression needs more than 1 GiB of memory";
    case LZMA_MEM_ERROR:
        return "out of memory";
    default:
        return "unknown error";
    }
}

decode_step decode_xz(void* state, std::span<const char> in, std::span<char> out) {
    auto* const stream = static_cast<lzma_stream*>(state);
    stream->next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream->avail_in = in.size();
    stream->next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream->avail_out = out.size();
    const lzma_ret result = lzma_code(stream, LZMA_RUN);
    decode_step step{
        in.size() - stream->avail_in, out.size() - stream->avail_out, decode_status::running, {}};
    if (result == LZMA_STREAM_END) {
        step.status = decode_status::member_end;
    } else if (result != LZMA_OK && result != LZMA_BUF_ERROR) {
        step.status = decode_status::failed;
        step.reason = xz_message(result);
    }
    return step;
}

#endif

} // namespace

#ifdef FINGERPOST_HAVE_LZMA
constinit const codec xz_codec{
    "xz", xz_magic, "liblzma", open_xz, close_xz, decode_xz, {".xz", open_xz_writer, close_xz, encode_xz}};
#else
constinit const codec xz_codec{
    "xz", xz_magic, "liblzma", nullptr, nullptr, nullptr, {".xz", nullptr, nullptr, nullptr}};
#endif

} // namespace fingerpost::io
