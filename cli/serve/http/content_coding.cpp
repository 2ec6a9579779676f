// Decodes bodies with the decoders for files.
#include "cli/serve/http/content_coding.hpp"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "io/source/compression/codec.hpp"
#include "io/source/compression/decoder.hpp"
#include "system/http/http_message.hpp"

namespace fingerpost::cli {
namespace {

constexpr std::size_t decoded_block = std::size_t{64} << 10;

const io::codec* codec_of(std::string_view coding) {
    if (system::is_same_word(coding, "gzip") || system::is_same_word(coding, "x-gzip"))
        return &io::gzip_codec;
    return system::is_same_word(coding, "deflate") ? &io::zlib_codec : nullptr;
}

} // namespace

bool is_coded(std::string_view coding) {
    return codec_of(coding) != nullptr;
}

bool is_known_coding(std::string_view coding) {
    const io::codec* const codec = codec_of(coding);
    return codec != nullptr ? codec->open != nullptr
                            : coding.empty() || system::is_same_word(coding, "identity");
}

refusal long_body(std::size_t most) {
    return {413, fmt::format("a body has at most {} bytes (--max-body)", most)};
}

refusal decode(std::string_view coding, std::string_view body, std::size_t most, std::string& into) {
    auto reader = io::decoder::make(*codec_of(coding));
    if (!reader)
        return {415, reader.error()};
    if (body.empty())
        return {400, fmt::format("the body is empty, which is not {} data", coding)};
    reader->give(body);
    std::array<char, decoded_block> block;
    while (!reader->needs_input()) {
        const auto size = reader->take(block);
        if (!size)
            return {400, "the body is " + size.error()};
        if (*size > most - into.size())
            return long_body(most);
        into.append(block.data(), *size);
    }
    if (std::string cut = reader->end_fault(); !cut.empty())
        return {400, "the body is " + cut};
    return {};
}

} // namespace fingerpost::cli
