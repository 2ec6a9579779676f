// Calls zlib, and encodes three bytes as four characters.
#include "cli/writers/embedded_bytes.hpp"

#include "terminal/failure.hpp"
#if FINGERPOST_HAVE_ZLIB
#include <fmt/format.h>
#include <zlib.h>
#endif

namespace fingerpost::cli {

#if FINGERPOST_HAVE_ZLIB
std::string deflated(std::string_view bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string out(size, '\0');
    const int status =
        compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION);
    if (status != Z_OK)
        throw failure(fmt::format("zlib cannot compress {} bytes: {}", bytes.size(), zError(status)));
    out.resize(size);
    return out;
}
#else
std::string deflated(std::string_view) {
    throw failure("this program was built without zlib, which pictures and pages need");
}
#endif

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned three = 0;
        for (std::size_t k = i; k < i + 3; ++k)
            three = three << 8 | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U);
        for (unsigned k = 0; k < 4; ++k)
            out += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

} // namespace fingerpost::cli
