// Implements the loop around the steps of a library.
#include "io/source/compression/encoder.hpp"

#include <new>

namespace fingerpost::io {
namespace {

constexpr std::size_t encoded_block_bytes = std::size_t{64} << 10;

} // namespace

expected<std::optional<encoder>, std::string> encoder::for_name(std::string_view path) {
    for (const codec* const format : all_codecs()) {
        const encoding& writing = format->write;
        if (!path.ends_with(writing.suffix))
            continue;
        if (writing.open == nullptr)
            return unexpected{"this build cannot write " + std::string(format->name) + " (" +
                              std::string(format->library) + " was missing)"};
        return std::optional<encoder>(encoder(writing));
    }
    return std::optional<encoder>();
}

encoder::encoder(const encoding& format)
    : format_(&format), state_(format.open(), format.close), block_(encoded_block_bytes) {
    if (!state_)
        throw std::bad_alloc();
}

void encoder::run(std::string_view bytes, bool is_end, std::string& output) {
    while (is_end || !bytes.empty()) {
        const encode_step step = format_->encode(state_.get(), {bytes.data(), bytes.size()}, block_, is_end);
        bytes.remove_prefix(step.consumed);
        output.append(block_.data(), step.produced);
        // A compressor fails only if memory is missing.
        if (step.status == encode_status::failed)
            throw std::bad_alloc();
        if (step.status == encode_status::done)
            return;
    }
}

} // namespace fingerpost::io
