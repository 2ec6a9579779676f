// Assembles FPM frames.
#include "router/routes/fpm/fpm_frame.hpp"

#include <utility>

#include <fmt/format.h>

namespace fingerpost::router {

void fpm_frame_reader::feed(std::span<const std::byte> chunk) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(consumed_));
    consumed_ = 0;
    bytes_.insert(bytes_.end(), chunk.begin(), chunk.end());
}

expected<std::optional<fpm_frame>, fpm_error> fpm_frame_reader::next() {
    const std::span<const std::byte> left = std::span(bytes_).subspan(consumed_);
    const auto byte = [&](std::size_t at) { return std::to_integer<unsigned>(left[at]); };
    // Each byte of the header is checked as soon as it arrives, because a client with another protocol may
    // never send more.
    if (!left.empty() && byte(0) != 1)
        return unexpected{fpm_error{offset_, fmt::format("an FPM frame of version {}, not 1", byte(0))}};
    if (left.size() > 1 && byte(1) != 1)
        return unexpected{
            fpm_error{offset_ + 1, fmt::format("an FPM frame of type {}, not 1 (netlink)", byte(1))}};
    if (left.size() < fpm_header_bytes)
        return std::optional<fpm_frame>{};
    const std::size_t length = byte(2) << 8 | byte(3);
    if (length < fpm_header_bytes)
        return unexpected{fpm_error{offset_ + 2, fmt::format("an FPM frame of {} bytes", length)}};
    if (left.size() < length)
        return std::optional<fpm_frame>{};
    const fpm_frame frame{offset_, left.first(length).subspan(fpm_header_bytes)};
    consumed_ += length;
    offset_ += length;
    return std::optional{frame};
}

expected<netlink_messages, fpm_error> decode_fpm(const fpm_frame& frame) {
    auto messages = decode_netlink(frame.payload);
    if (!messages)
        return unexpected{
            fpm_error{frame.offset + fpm_header_bytes + messages.error().offset, messages.error().reason}};
    return std::move(*messages);
}

} // namespace fingerpost::router
