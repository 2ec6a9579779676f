// Feeds bytes to the netlink decoder, and the decoded messages to the tables of the sources.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "router/fuzz/counting_sink.hpp"
#include "router/routes/kernel/kernel_routes.hpp"
#include "router/routes/netlink/group_table.hpp"
#include "router/routes/netlink/netlink_message.hpp"

namespace {

using namespace fingerpost;
using namespace fingerpost::router;

void check(const netlink_message& message, kernel_routes& routes, fuzzing::counting_sink& sink) {
    if (const auto* const route = std::get_if<route_message>(&message.body)) {
        fuzzing::check_prefix(route->where);
        sink.check(destination_of(*route));
        (void)routes.take_event(*route);
        routes.take_dumped(*route);
    } else if (const auto* const hop = std::get_if<next_hop_message>(&message.body)) {
        fuzzing::require(hop->id != 0);
        if (hop->removed)
            routes.groups().remove(hop->id);
        else
            routes.groups().set(*hop);
    } else if (const auto* const link = std::get_if<link_message>(&message.body)) {
        fuzzing::require(link->link.index != 0);
    } else if (const auto* const address = std::get_if<address_message>(&message.body)) {
        fuzzing::require(address->address.length <= 128);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1)
        return 0;
    // At any alignment, in memory of exactly this size, so that the sanitizer detects reads past the end.
    const std::size_t shift = data[0] % 4;
    const auto room = std::make_unique<std::byte[]>(size - 1 + shift);
    std::memcpy(room.get() + shift, data + 1, size - 1);
    const auto messages = decode_netlink({room.get() + shift, size - 1});
    if (!messages) {
        fuzzing::require(messages.error().offset <= size && !messages.error().reason.empty());
        return 0;
    }
    fuzzing::counting_sink sink;
    kernel_routes routes(sink);
    for (const netlink_message& message : *messages)
        check(message, routes, sink);
    routes.begin_refresh();
    routes.sweep();
    return 0;
}
