// Feeds bytes to the reader of FPM frames, whole and in chunks. Both must give the same messages or the same
// error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "router/fuzz/counting_sink.hpp"
#include "router/routes/fpm/fpm_frame.hpp"

namespace {

using namespace fingerpost;
using namespace fingerpost::router;

// Everything read from a stream, up to the first error.
struct outcome {
    std::vector<std::uint64_t> frames; // for each frame, its offset and its number of messages
    std::uint64_t error_offset = 0;
    std::string error;

    friend bool operator==(const outcome&, const outcome&) = default;
};

bool take_frames(fpm_frame_reader& reader, outcome& out) {
    const auto fail = [&](const fpm_error& error) {
        out.error_offset = error.offset;
        out.error = error.reason;
        return false;
    };
    for (;;) {
        const auto frame = reader.next();
        if (!frame)
            return fail(frame.error());
        if (!*frame)
            return true;
        const auto messages = decode_fpm(**frame);
        if (!messages)
            return fail(messages.error());
        out.frames.push_back((*frame)->offset);
        out.frames.push_back(messages->size());
    }
}

outcome read(std::span<const std::byte> stream, std::size_t chunk) {
    fpm_frame_reader reader;
    outcome out;
    for (std::size_t at = 0; at < stream.size(); at += chunk) {
        reader.feed(stream.subspan(at, std::min(chunk, stream.size() - at)));
        if (!take_frames(reader, out))
            break;
    }
    return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2)
        return 0;
    const std::span stream = std::as_bytes(std::span(data + 1, size - 1));
    const outcome whole = read(stream, stream.size());
    fuzzing::require(whole == read(stream, std::size_t{1} + data[0]));
    fuzzing::require(whole.error_offset <= stream.size());
    return 0;
}
