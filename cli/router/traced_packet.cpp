// Traced packets as objects and as text.
#include "cli/router/traced_packet.hpp"

#include <ctime>
#include <fmt/format.h>
#include <string_view>

#include "cli/explain/explanation_json.hpp"
#include "cli/writers/grouped.hpp"
#include "io/format/parts/printable.hpp"
#include "terminal/help.hpp"

namespace fingerpost::cli {
namespace {

std::string shown(const answer& object, const char* name) {
    return io::printable(text_of(object, name));
}
// Formats a number without separators.
std::string plain(const answer& object, const char* name) {
    const answer& value = member_of(object, name);
    return value.is_number_unsigned() ? std::to_string(value.get<std::uint64_t>()) : shown(object, name);
}
bool has(const answer& object, const char* name) {
    const answer& value = member_of(object, name);
    return !value.is_null() && value != "";
}

// `06:52:22.123456789`, in the terminal's time zone.
std::string time_of_day(std::uint64_t nanoseconds) {
    constexpr std::uint64_t second = 1'000'000'000;
    const auto whole = static_cast<std::time_t>(nanoseconds / second);
    std::tm parts{};
    ::localtime_r(&whole, &parts);
    return fmt::format("{:02}:{:02}:{:02}.{:09}", parts.tm_hour, parts.tm_min, parts.tm_sec,
                       nanoseconds % second);
}

std::string protocol_name(const answer& packet) {
    const std::uint64_t number = whole_of(packet, "protocol");
    switch (number) {
    case 1:
        return "ICMP";
    case 6:
        return "TCP";
    case 17:
        return "UDP";
    case 58:
        return "ICMPv6";
    default:
        return fmt::format("protocol {}", number);
    }
}

std::string end_of(const answer& packet, const char* address, const char* port) {
    return shown(packet, address) + (has(packet, port) ? " port " + plain(packet, port) : "");
}

std::string title_of(const answer& packet) {
    const auto time = whole_of(packet, "time_ns");
    std::string words = fmt::format("packet {}, {}: ", plain(packet, "number"), time_of_day(time));
    if (has(packet, "destination"))
        words += fmt::format("{} to {}, {}, TTL {}", end_of(packet, "source", "source_port"),
                             end_of(packet, "destination", "destination_port"), protocol_name(packet),
                             plain(packet, "ttl"));
    else if (has(packet, "ethernet_type"))
        words += fmt::format("Ethernet type {:#06x}", whole_of(packet, "ethernet_type"));
    else
        words += "incomplete Ethernet header";
    return words + fmt::format(", {} bytes", plain(packet, "length"));
}

std::string macs_of(const answer& object) {
    return has(object, "ethernet_source") ? fmt::format("from {} to {}", shown(object, "ethernet_source"),
                                                        shown(object, "ethernet_destination"))
                                          : "";
}
std::string vlan_of(const answer& object) {
    return number_of(object, "vlan").value_or(0) == 0 ? "" : fmt::format(", VLAN {}", plain(object, "vlan"));
}

// Formats a line per stage: its name and its effect.
class page_of_packet {
  public:
    explicit page_of_packet(std::size_t width) : width_(width) {}

    void add_title(const std::string& words) { text_ += lines(words, 2) + '\n'; }
    void add(std::string_view stage, const std::string& words) {
        text_ += lines(fmt::format("  {:<{}}{}", stage, column - 2, words), column) + '\n';
    }
    void add_step(std::size_t number, const std::string& words) {
        const std::string label = fmt::format("{}{}. ", std::string(column, ' '), number);
        text_ += lines(label + words, label.size()) + '\n';
    }
    std::string take() && { return std::move(text_); }

  private:
    static constexpr std::size_t column = 15;

    std::string lines(const std::string& words, std::size_t indent) const {
        return width_ == 0 ? words : wrapped(words, indent, width_);
    }

    std::size_t width_;
    std::string text_;
};

void add_checks(page_of_packet& to, const answer& event) {
    std::string words = fmt::format("passed: {}", shown(event, "passed"));
    if (has(event, "failed"))
        words += fmt::format("; failed: {}", shown(event, "failed"));
    if (has(event, "why"))
        words += fmt::format("; for the kernel, because {}", shown(event, "why"));
    to.add("checked", words);
}

void add_lookup(page_of_packet& to, const answer& event, const explanation& route) {
    std::string words;
    if (number_of(event, "changed") != 0.0)
        words = "unknown, because the table has changed since";
    else if (has(event, "prefix"))
        words = fmt::format("{}, next hop {} (number {})", shown(event, "prefix"), shown(event, "via"),
                            plain(event, "next_hop"));
    else
        words = "no prefix contains this destination";
    to.add("looked up", words);
    if (!route.lookups.empty()) {
        const explained_lookup& lookup = route.lookups.front();
        to.add("", fmt::format("{}, {}", shown(event, "scheme"),
                               lookup.shows_steps
                                   ? fmt::format("{} steps, {} cache lines, {} bytes read:",
                                                 lookup.steps.size(), lookup.lines(), lookup.bytes_read())
                                   : "which does not show its steps"));
        for (std::size_t i = 0; i < lookup.steps.size(); ++i)
            to.add_step(i + 1, io::printable(sentence_of(lookup.steps[i], route)));
    }
    if (has(event, "member"))
        to.add("group", fmt::format("the flow's hash chooses bucket {} of {}: member {}",
                                    plain(event, "bucket"), plain(event, "buckets"), shown(event, "member")));
    if (has(event, "neighbour"))
        to.add("neighbour", shown(event, "neighbour"));
    to.add("", fmt::format("action: {}{}", shown(event, "action"),
                           has(event, "port") ? ", by " + shown(event, "port") : ""));
}

void add_sent(page_of_packet& to, const answer& packet, const answer& event) {
    std::string words =
        fmt::format("by {}{}; rewritten: {}", shown(event, "port"), vlan_of(event), macs_of(event));
    if (has(event, "ttl")) {
        words += fmt::format(", TTL {} -> {}", plain(packet, "ttl"), plain(event, "ttl"));
        if (has(event, "checksum"))
            words += fmt::format(", checksum {:#06x}", whole_of(event, "checksum"));
    }
    to.add("sent", words);
}

void add_event(page_of_packet& to, const answer& reply, const answer& event, const explanation& route) {
    const std::string what = text_of(event, "what");
    if (what == "checked")
        add_checks(to, event);
    else if (what == "looked up")
        add_lookup(to, event, route);
    else if (what == "looked up again")
        to.add("again", fmt::format("looked up by the host thread; action: {}{}", shown(event, "action"),
                                    has(event, "port") ? ", by " + shown(event, "port") : ""));
    else if (what == "host thread")
        to.add("host", fmt::format("taken by the host thread: {}", shown(event, "cause")));
    else if (what == "answered")
        to.add("answered", fmt::format("by an ICMP error: {}", shown(event, "icmp")));
    else if (what == "waits")
        to.add("waits", "until the MAC address of the neighbour is known");
    else if (what == "fragmented")
        to.add("fragmented",
               fmt::format("into {} frames, for {}", plain(event, "fragments"), shown(event, "port")));
    else if (what == "sent")
        add_sent(to, member_of(reply, "packet"), event);
    else if (what == "to kernel")
        to.add("to kernel", fmt::format("by the TAP of {}", shown(event, "port")));
    else if (what == "dropped")
        to.add("dropped", fmt::format("{}: {}", shown(event, "reason"), shown(event, "sentence")));
    else
        to.add(io::printable(what), "");
}

} // namespace

answer packet_object(const answer& reply) {
    answer object = member_of(reply, "packet");
    const explanation route = explained_route(reply);
    object["events"] = answer::array();
    for (std::uint64_t i = 0; i < whole_of(reply, "events"); ++i)
        object["events"].push_back(member_of(reply, fmt::format("event{}", i).c_str()));
    object["steps"] = answer::array();
    for (const explained_lookup& lookup : route.lookups)
        for (const explained_step& step : lookup.steps)
            object["steps"].push_back(step_object(step, route));
    return object;
}

std::string packet_text(const answer& reply, std::size_t width) {
    const answer& packet = member_of(reply, "packet");
    const explanation route = explained_route(reply);
    page_of_packet page(width);
    page.add_title(title_of(packet));
    page.add("came in", fmt::format("at {}, queue {}{}, {}", shown(packet, "port"), plain(packet, "queue"),
                                    vlan_of(packet), macs_of(packet)));
    std::string thread;
    const std::uint64_t events = whole_of(reply, "events");
    for (std::uint64_t i = 0; i < events; ++i) {
        const answer& event = member_of(reply, fmt::format("event{}", i).c_str());
        if (const std::string now = shown(event, "thread"); now != thread) {
            const double after = number_of(event, "after_ns").value_or(0) / 1000;
            page.add("thread", i == 0 ? now : fmt::format("{}, {:.1f} us after the checks", now, after));
            thread = now;
        }
        add_event(page, reply, event, route);
        if (i + 1 == events)
            page.add("", fmt::format("{:.1f} us after the checks",
                                     number_of(event, "after_ns").value_or(0) / 1000));
    }
    return std::move(page).take();
}

} // namespace fingerpost::cli
