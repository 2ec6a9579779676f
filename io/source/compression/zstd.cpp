// zstd (RFC 8878) by libzstd.
#include "io/source/compression/codec.hpp"

#ifdef FINGERPOST_HAVE_ZSTD
#include <zstd.h>
#endif

namespace fingerpost::io {
namespace {

constexpr std::string_view magic{"\x28\xb5\x2f\xfd", 4};

#ifdef FINGERPOST_HAVE_ZSTD

// The library's own limit applies: a frame with a window above 128 MiB is refused.
void* open_zstd() {
    return ZSTD_createDStream();
}

void close_zstd(void* state) {
    ZSTD_freeDStream(static_cast<ZSTD_DStream*>(state));
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
constinit const codec zstd_codec{"zstd", magic, "libzstd", open_zstd, close_zstd, decode_zstd};
#else
constinit const codec zstd_codec{"zstd", magic, "libzstd", nullptr, nullptr, nullptr};
#endif

} // namespace fingerpost::io
