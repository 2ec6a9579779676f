// Blocks and options of pcapng in little-endian order, as the section's magic number indicates.
#include "cli/router/pcapng_writer.hpp"

#include <algorithm>

namespace fingerpost::cli {
namespace {

constexpr std::uint32_t section_block = 0x0a0d0d0a, interface_block = 1, packet_block = 6;
constexpr std::uint16_t end_of_options = 0, comment_option = 1;
constexpr std::uint16_t section_program = 4;
constexpr std::uint16_t interface_name = 2, interface_resolution = 9;
constexpr std::uint16_t packet_flags = 2;

template <class T>
void put(std::string& to, T number) {
    for (unsigned byte = 0; byte < sizeof(T); ++byte)
        to += static_cast<char>(number >> (8 * byte) & 0xff);
}
void pad(std::string& to) {
    to.resize((to.size() + 3) / 4 * 4);
}
void put_option(std::string& to, std::uint16_t code, std::string_view value) {
    constexpr std::size_t most = 65535;
    value = value.substr(0, most);
    put(to, code);
    put(to, static_cast<std::uint16_t>(value.size()));
    to += value;
    pad(to);
}
void end_options(std::string& to) {
    put_option(to, end_of_options, {});
}

// Adds the length before and after `body`, which must be padded.
std::string block(std::uint32_t type, std::string_view body) {
    const auto length = static_cast<std::uint32_t>(body.size() + 3 * sizeof(std::uint32_t));
    std::string block_text;
    put(block_text, type);
    put(block_text, length);
    block_text += body;
    put(block_text, length);
    return block_text;
}

} // namespace

std::string pcapng_writer::begin(std::string_view program) const {
    std::string body;
    put(body, std::uint32_t{0x1a2b3c4d});
    put(body, std::uint16_t{1}); // version 1.0
    put(body, std::uint16_t{0});
    put(body, ~std::uint64_t{0}); // length of the section: unspecified
    put_option(body, section_program, program);
    end_options(body);
    return block(section_block, body);
}

std::string pcapng_writer::add(const captured_frame& frame) {
    std::string block_body;
    auto known = interfaces_.find(frame.interface);
    if (known == interfaces_.end()) {
        const auto number = static_cast<std::uint32_t>(interfaces_.size());
        known = interfaces_.emplace(frame.interface, number).first;
        std::string body;
        put(body, std::uint16_t{1}); // LINKTYPE_ETHERNET
        put(body, std::uint16_t{0});
        put(body, most_bytes_);
        put_option(body, interface_name, frame.interface);
        put_option(body, interface_resolution, "\x09"); // nanoseconds
        end_options(body);
        block_body = block(interface_block, body);
    }
    std::string body;
    put(body, known->second);
    put(body, static_cast<std::uint32_t>(frame.time >> 32));
    put(body, static_cast<std::uint32_t>(frame.time));
    put(body, static_cast<std::uint32_t>(frame.bytes.size()));
    put(body, std::max(frame.length, static_cast<std::uint32_t>(frame.bytes.size())));
    body.append(reinterpret_cast<const char*>(frame.bytes.data()), frame.bytes.size());
    pad(body);
    put_option(body, comment_option, frame.comment);
    std::string direction;
    put(direction, std::uint32_t{frame.is_outbound ? 2U : 1U});
    put_option(body, packet_flags, direction);
    end_options(body);
    return block_body + block(packet_block, body);
}

} // namespace fingerpost::cli
