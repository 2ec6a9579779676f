// The list of compressed formats that sources recognise.
#include "io/source/compression/codec.hpp"

namespace fingerpost::io {

std::span<const codec* const> all_codecs() noexcept {
    static constexpr const codec* list[] = {&gzip_codec, &bzip2_codec, &xz_codec, &zstd_codec};
    return list;
}

} // namespace fingerpost::io
