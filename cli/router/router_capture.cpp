// `fingerpost router capture`: writes packets that a running router drops to a file, with the reasons.
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/router/pcapng_writer.hpp"
#include "cli/router/router_commands.hpp"
#include "cli/router/router_search.hpp"
#include "cli/router/router_values.hpp"
#include "cli/router/router_watch.hpp"
#include "cli/writers/grouped.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

// Largest part of a packet that the router copies.
constexpr std::uint32_t most_frame_bytes = 2048;

struct router_capture_options {
    router_choice router;
    std::string drops;
    std::uint64_t limit = 1000;
    double seconds = 60;
};

unsigned digit_of(char c) {
    if (c >= '0' && c <= '9')
        return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f')
        return static_cast<unsigned>(c - 'a' + 10);
    throw failure(fmt::format("the router's answer has '{}' among hexadecimal digits", c));
}

std::vector<std::uint8_t> bytes_of(const answer& texts) {
    std::vector<std::uint8_t> bytes;
    for (const answer& part : texts) {
        const std::string digits = part.is_string() ? part.get<std::string>() : std::string();
        for (std::size_t at = 0; at + 1 < digits.size(); at += 2)
            bytes.push_back(static_cast<std::uint8_t>(digit_of(digits[at]) << 4 | digit_of(digits[at + 1])));
    }
    return bytes;
}

int capture_drops(const router_capture_options& options) {
    router_socket router = open_router(options.router);
    output out(options.drops);
    pcapng_writer writer(most_frame_bytes);
    out.write(writer.begin("fingerpost router capture"));
    router_watch drops(
        router,
        fmt::format("drops_start,{},{}", options.limit, static_cast<std::uint64_t>(options.seconds * 1000)),
        "drops_next");
    std::uint64_t packets = 0;
    drops.read(
        [&](answer& reply) {
            if (!member_of(reply, "reason").is_string())
                return false;
            const std::vector<std::uint8_t> bytes = bytes_of(member_of(reply, "bytes"));
            const std::string port = word_of(reply, "port");
            const std::string comment =
                fmt::format("{}: {}", word_of(reply, "reason"), word_of(reply, "sentence"));
            captured_frame frame;
            frame.time = whole_of(reply, "time_ns");
            frame.interface = port;
            frame.is_outbound = whole_of(reply, "outbound") == 1;
            frame.length = static_cast<std::uint32_t>(whole_of(reply, "length"));
            frame.bytes = bytes;
            frame.comment = comment;
            out.write(writer.add(frame));
            ++packets;
            return true;
        },
        [&] { out.flush(); });
    out.finish();
    report(fmt::format("{} dropped packets in {}", grouped(packets), out.name()));
    if (drops.missed() != 0)
        report(fmt::format("{} more were not captured because they arrived faster than they were read",
                           grouped(drops.missed())));
    return exit_code::ok;
}

} // namespace

command router_capture_command() {
    auto options = std::make_shared<router_capture_options>();
    command result{.name = "router capture", .summary = "capture dropped packets"};
    add_file(result, "--drops", options->drops,
             "pcapng file to write (\"-\" is stdout); each packet's comment has the reason")
        .is_required = true;
    add_number(result, "--limit", options->limit, {1, 10'000'000}, "Stop after N packets");
    add_real(result, "--seconds", options->seconds, 0.1, 86'400, "Stop after this many seconds");
    add_router_options(result, options->router);
    result.more =
        "Packets are saved as they were when dropped (on output: with the new header), up to 2,048 bytes of "
        "each. At most 512 packets wait at once; further ones are only counted. The file appears when the "
        "capture ends; Ctrl-C ends it early.\n";
    result.examples = {
        {"fingerpost router capture --drops drops.pcapng --seconds 10",
         "Then: tshark -r drops.pcapng -T fields -e frame.comment -e ip.dst"},
        {"fingerpost router capture --drops - | tshark -r -", "Show packets as they are dropped"}};
    result.run = [options] { return capture_drops(*options); };
    return result;
}

} // namespace fingerpost::cli
