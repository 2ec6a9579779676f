// Reads and writes zstd (RFC 8878) with libzstd.
#include "io/source/compression/codec.hpp"

#ifdef FINGERPOST_HAVE_ZSTD
#include <zstd.h>
#endif

namespace fingerpost::io {
namespace {

constexpr std::string_view zstd_magic{"\x28\xb5\x2f\xfd", 4};

#ifdef FINGERPOST_HAVE_ZSTD

// The library's limit applies: frames with a window above 128 MiB are refused.
void* open_zstd() {
    return ZSTD_createDStream();
}

void close_zstd(void* state) {
    ZSTD_freeDStream(static_cast<ZSTD_DStream*>(state));
}

void* open_zstd_writer() {
    ZSTD_CCtx* const state = ZSTD_createCCtx();
    if (state != nullptr)
        ZSTD_CCtx_setParameter(state, ZSTD_c_checksumFlag, 1);
    return state;
}

void close_zstd_writer(void* state) {
    ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(state));
}

encode_step encode_zstd(void* state, std::span<const char> in, std::span<char> out, bool is_end) {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t left = ZSTD_compressStream2(static_cast<ZSTD_CCtx*>(state), &output, &input,
                                                  is_end ? ZSTD_e_end : ZSTD_e_continue);
    encode_step step{input.pos, output.pos, encode_status::running};
    if (ZSTD_isError(left) != 0)
        step.status = encode_status::failed;
    else if (is_end && left == 0)
        step.status = encode_status::done;
    return step;
}

decode_step decode_zstd(void* state, std::span<const char> in, std::span<char> out) {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t result = ZSTD_decompressStream(static_cast<ZSTD_DStream*>(state), &output, &input);
    decode_step step{input.pos, output.pos, decode_status::running, {}};
    if (ZSTD_isError(result) != 0) {
        step.status = decode_status::failed;
        step.reason = ZSTD_getErrorName(result);
    } else if (result == 0) {
        step.status = decode_status::member_end;
    }
    return step;
}

#endif

} // namespace

#ifdef FINGERPOST_HAVE_ZSTD
constinit const codec zstd_codec{"zstd",
                                 zstd_magic,
                                 "libzstd",
                                 open_zstd,
                                 close_zstd,
                                 decode_zstd,
                                 {".zst", open_zstd_writer, close_zstd_writer, encode_zstd}};
#else
constinit const codec zstd_codec{
    "zstd", zstd_magic, "libzstd", nullptr, nullptr, nullptr, {".zst", nullptr, nullptr, nullptr}};
#endif

} // namespace fingerpost::io
