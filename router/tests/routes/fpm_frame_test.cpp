// FPM frames in chunks of any size, and damaged streams.
#include "router/routes/fpm/fpm_frame.hpp"

#include <algorithm>
#include <span>

#include <gtest/gtest.h>

#include "router/tests/routes/netlink_bytes.hpp"

namespace fingerpost::router {
namespace {

using namespace testing;

bytes route_to(unsigned octet) {
    return message_bytes(RTM_NEWROUTE, route_header(AF_INET, 32))
        .attribute(RTA_DST, {10, 0, 0, octet})
        .attribute(RTA_OIF, std::uint32_t{1})
        .done();
}

// All frames of a stream that arrives in chunks of these sizes, each as its offset and payload.
using frames = std::vector<std::pair<std::uint64_t, bytes>>;
frames read_chunks(const bytes& stream, std::size_t first, std::size_t rest) {
    fpm_frame_reader reader;
    frames all;
    std::span<const std::byte> left(stream);
    for (std::size_t size = first; !left.empty(); size = rest) {
        reader.feed(left.first(std::min(size, left.size())));
        left = left.subspan(std::min(size, left.size()));
        for (;;) {
            const auto frame = reader.next();
            EXPECT_TRUE(frame);
            if (!frame || !*frame)
                break;
            all.emplace_back((*frame)->offset, bytes((*frame)->payload.begin(), (*frame)->payload.end()));
        }
    }
    return all;
}

TEST(fpm_frame, split_at_every_byte) {
    const bytes one = framed(route_to(1)), two = framed(route_to(2) + route_to(3)), empty = framed({});
    const bytes stream = one + empty + two;
    const frames expected = {
        {0, route_to(1)}, {one.size(), {}}, {one.size() + empty.size(), route_to(2) + route_to(3)}};
    for (std::size_t first = 1; first <= stream.size(); ++first)
        EXPECT_EQ(read_chunks(stream, first, stream.size()), expected) << first;
    for (std::size_t size = 1; size <= stream.size(); ++size)
        EXPECT_EQ(read_chunks(stream, size, size), expected) << size;
}

TEST(fpm_frame, the_longest_frame) {
    bytes payload(65531);
    EXPECT_EQ(read_chunks(framed(payload) + framed({}), 1000, 1000), (frames{{0, payload}, {65535, {}}}));
}

fpm_error error_of(const bytes& stream) {
    fpm_frame_reader reader;
    reader.feed(stream);
    for (;;) {
        const auto frame = reader.next();
        if (!frame)
            return frame.error();
        if (!*frame) {
            ADD_FAILURE() << "no error";
            return {};
        }
        const auto messages = decode_fpm(**frame);
        if (!messages)
            return messages.error();
    }
}

void expect_error(const bytes& stream, std::uint64_t offset, const std::string& reason) {
    const fpm_error error = error_of(stream);
    EXPECT_EQ(error.offset, offset);
    EXPECT_EQ(error.reason, reason);
}

TEST(fpm_frame, damage_has_a_place_in_the_stream) {
    const bytes good = framed(route_to(1));
    const auto start = good.size();
    expect_error(good + raw({2}), start, "an FPM frame of version 2, not 1");
    expect_error(good + raw({1, 2}), start + 1, "an FPM frame of type 2, not 1 (netlink)");
    expect_error(good + raw({1, 1, 0, 3}), start + 2, "an FPM frame of 3 bytes");
    bytes longer = route_to(1);
    longer[0] = std::byte{100};
    expect_error(good + framed(longer), start + 4, "a netlink message of 100 bytes where 44 are left");
    // The second message of a frame is checked too.
    expect_error(good + framed(route_to(1) + longer), start + 4 + route_to(1).size(),
                 "a netlink message of 100 bytes where 44 are left");
}

TEST(fpm_frame, a_frame_is_decoded_whole_or_not_at_all) {
    fpm_frame_reader reader;
    reader.feed(framed(route_to(1) + route_to(2) + raw({1, 2, 3})));
    const auto padded = decode_fpm(**reader.next());
    ASSERT_TRUE(padded);
    EXPECT_EQ(padded->size(), 2U);
    bytes bad = route_to(3);
    bad[17] = std::byte{77};
    reader.feed(framed(route_to(1) + bad));
    EXPECT_FALSE(decode_fpm(**reader.next()));
}

} // namespace
} // namespace fingerpost::router
