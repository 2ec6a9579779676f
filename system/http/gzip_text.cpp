// Compresses with zlib, and parses the list of Accept-Encoding (RFC 9110, section 12.5.3).
#include "system/http/gzip_text.hpp"

#include <algorithm>

#ifdef FINGERPOST_HAVE_ZLIB
#include <limits>
#include <zlib.h>
#endif

#include "system/http/http_message.hpp"

namespace fingerpost::system {
namespace {

std::string_view without_blanks(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// A weight such as `q=0` or `q=0.0` means that the coding is not accepted.
bool is_accepted(std::string_view weight) {
    return weight.empty() || weight.find_first_of("123456789") != std::string_view::npos;
}

} // namespace

bool takes_gzip(std::string_view codings) {
    while (!codings.empty()) {
        const std::size_t end = std::min(codings.find(','), codings.size());
        const std::string_view item = codings.substr(0, end);
        codings.remove_prefix(std::min(end + 1, codings.size()));
        const std::size_t mark = std::min(item.find(';'), item.size());
        const std::string_view name = without_blanks(item.substr(0, mark));
        if (is_same_word(name, "gzip") || is_same_word(name, "x-gzip"))
            return is_accepted(item.substr(mark));
    }
    return false;
}

#ifdef FINGERPOST_HAVE_ZLIB

std::optional<std::string> gzip_text(std::string_view text) {
    z_stream stream{};
    constexpr int gzip_window = MAX_WBITS + 16; // 16 more: with a gzip header
    constexpr int memory_level = 8;             // zlib's default
    if (text.size() > std::numeric_limits<uInt>::max() ||
        deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_window, memory_level, Z_DEFAULT_STRATEGY) !=
            Z_OK)
        return std::nullopt;
    std::string output(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    // zlib does not write to the input, but its interface lacks const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(output.data());
    stream.avail_out =
        static_cast<uInt>(std::min<std::size_t>(output.size(), std::numeric_limits<uInt>::max()));
    const bool is_complete = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    output.resize(stream.total_out);
    deflateEnd(&stream);
    return is_complete ? std::optional(std::move(output)) : std::nullopt;
}

#else

std::optional<std::string> gzip_text(std::string_view) {
    return std::nullopt;
}

#endif

} // namespace fingerpost::system
