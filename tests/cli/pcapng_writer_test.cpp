// Checks files of captured frames byte by byte against draft-ietf-opsawg-pcapng.
#include <gtest/gtest.h>

#include <string>

#include "cli/router/pcapng_writer.hpp"

namespace fingerpost::cli {
namespace {

std::uint32_t word_at(const std::string& block, std::size_t at) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i)
        word |= std::uint32_t{static_cast<std::uint8_t>(block.at(at + i))} << (8 * i);
    return word;
}

TEST(PcapngWriter, BeginsASection) {
    const std::string block = pcapng_writer(2048).begin("test");
    EXPECT_EQ(word_at(block, 0), 0x0a0d0d0au);
    EXPECT_EQ(word_at(block, 4), block.size());
    EXPECT_EQ(word_at(block, 8), 0x1a2b3c4du);
    EXPECT_EQ(word_at(block, 12), 1u) << "version 1.0";
    EXPECT_EQ(word_at(block, block.size() - 4), block.size());
    EXPECT_NE(block.find("test"), std::string::npos);
}

TEST(PcapngWriter, DescribesEachInterfaceOnce) {
    pcapng_writer writer(2048);
    const std::uint8_t bytes[] = {1, 2, 3, 4, 5};
    captured_frame frame;
    frame.time = (std::uint64_t{7} << 32) + 9;
    frame.interface = "lan";
    frame.length = 100;
    frame.bytes = bytes;
    frame.comment = "no_route";
    const std::string first = writer.add(frame);
    EXPECT_EQ(word_at(first, 0), 1u) << "an interface";
    const std::size_t at = word_at(first, 4);
    EXPECT_EQ(word_at(first, 12), 2048u);
    EXPECT_NE(first.find("lan"), std::string::npos);
    const std::string packet = first.substr(at);
    EXPECT_EQ(packet, writer.add(frame)) << "the second frame alone";
    EXPECT_EQ(word_at(packet, 0), 6u);
    EXPECT_EQ(word_at(packet, 4), packet.size());
    EXPECT_EQ(word_at(packet, 8), 0u) << "the first interface";
    EXPECT_EQ(word_at(packet, 12), 7u);
    EXPECT_EQ(word_at(packet, 16), 9u);
    EXPECT_EQ(word_at(packet, 20), 5u) << "captured";
    EXPECT_EQ(word_at(packet, 24), 100u) << "of the frame";
    EXPECT_EQ(packet.substr(28, 8), std::string("\1\2\3\4\5\0\0\0", 8));
    EXPECT_EQ(packet.substr(36, 12), std::string("\1\0\x8\0no_route", 12)) << "the comment";
    EXPECT_EQ(packet.substr(48, 8), std::string("\2\0\4\0\1\0\0\0", 8)) << "inbound";
    frame.interface = "wan";
    frame.is_outbound = true;
    const std::string other = writer.add(frame);
    const std::string out = other.substr(word_at(other, 4));
    EXPECT_EQ(word_at(out, 8), 1u);
    EXPECT_EQ(word_at(out, 52), 2u) << "outbound";
}

} // namespace
} // namespace fingerpost::cli
