// Formats pages of hits from the router's answers.
#include "cli/router/router_hits.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

#include "cli/writers/grouped.hpp"
#include "terminal/columns.hpp"

namespace fingerpost::cli {
namespace {

constexpr std::size_t batch_classes = 7; // at least 1, 2, 4, ... 64 packets

struct timed {
    double packets = 0;
    double cycles = 0;
    std::string cycles_a_packet() const {
        return packets > 0 ? fmt::format("{:.1f}", cycles / packets) : "-";
    }
};

// The growth of an item's counter; its full value if the item is new.
double growth(const answer& before, const answer& now, const char* name) {
    return std::max(number_of(now, name).value_or(0) - number_of(before, name).value_or(0), 0.0);
}

std::string whole(double number) {
    return grouped(static_cast<std::uint64_t>(std::llround(std::max(number, 0.0))));
}

std::string rounded_of(const answer& object, const char* name) {
    const auto number = number_of(object, name);
    return number ? whole(*number) : "-";
}

std::size_t class_of(const answer& stage) {
    const double least = std::max(number_of(stage, "batch").value_or(1), 1.0);
    return std::min(static_cast<std::size_t>(std::log2(least)), batch_classes - 1);
}

std::uint32_t number_after(const std::string& name) {
    std::uint32_t number = 0;
    (void)std::from_chars(name.data(), name.data() + name.size(), number);
    return number + 1;
}

} // namespace

answer ask_for_items(router_socket& router, const std::string& list) {
    answer items = answer::object();
    for (std::uint32_t first = 0;;) {
        const answer some = router.ask(fmt::format("{},{}", list, first));
        items.update(some);
        if (some.empty() || number_after(some.rbegin().key()) <= first)
            return items;
        first = number_after(some.rbegin().key());
    }
}

std::string stages_text(const answer& before, const answer& now) {
    // In the order of the answer: by thread, then by stage.
    std::vector<std::pair<std::pair<std::string, std::string>, std::vector<timed>>> rows;
    for (const auto& [number, stage] : now.items()) {
        const answer& earlier = member_of(before, number.c_str());
        const timed grown{growth(earlier, stage, "packets"), growth(earlier, stage, "cycles")};
        if (grown.packets <= 0)
            continue;
        const auto place = std::pair(text_of(stage, "thread"), text_of(stage, "stage"));
        if (rows.empty() || rows.back().first != place)
            rows.emplace_back(place, std::vector<timed>(batch_classes + 1));
        for (const std::size_t cell : {class_of(stage), batch_classes}) {
            rows.back().second[cell].packets += grown.packets;
            rows.back().second[cell].cycles += grown.cycles;
        }
    }
    columns page({{"thread"},
                  {"stage"},
                  {"cycles/packet", true},
                  {"batch 1", true},
                  {"2-3", true},
                  {"4-7", true},
                  {"8-15", true},
                  {"16-31", true},
                  {"32-63", true},
                  {"64", true}});
    for (const auto& [place, cells] : rows) {
        std::vector<std::string> row = {place.first, place.second, cells[batch_classes].cycles_a_packet()};
        for (std::size_t i = 0; i < batch_classes; ++i)
            row.push_back(cells[i].cycles_a_packet());
        page.add(std::move(row));
    }
    return page.is_empty() ? "" : page.text();
}

std::string next_hops_text(const answer& before, const answer& now, double seconds) {
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [number, hop] : now.items())
        order.emplace_back(number_of(hop, "packets").value_or(0), number);
    std::ranges::stable_sort(order, std::greater<>(), &std::pair<double, std::string>::first);
    std::vector<columns::head> heads = {{"next hop"}, {"action"}, {"port"}, {"packets", true}};
    if (seconds > 0)
        heads.push_back({"a second", true});
    columns page(std::move(heads));
    for (const auto& [packets, number] : order) {
        const answer& hop = now[number];
        std::vector<std::string> row = {text_of(hop, "via"), text_of(hop, "action"), text_of(hop, "port"),
                                        text_of(hop, "packets")};
        if (seconds > 0) {
            const answer& earlier = member_of(before, number.c_str());
            row.push_back(earlier.is_null() ? "-" : whole(growth(earlier, hop, "packets") / seconds));
        }
        page.add(std::move(row));
    }
    return page.is_empty() ? "" : page.text();
}

std::string prefixes_text(const answer& now, std::size_t most) {
    columns page(
        {{"prefix"}, {"next hop"}, {"packets/s", true}, {"+-", true}, {"packets", true}, {"+-", true}});
    std::size_t shown = 0;
    for (const auto& [rank, entry] : now.items()) {
        if (shown++ == most)
            break;
        std::string prefix = text_of(entry, "prefix");
        if (prefix == "-")
            prefix = text_of(entry, "family") + ", no route";
        if (const std::string vrf = text_of(entry, "vrf"); vrf != "-" && vrf != "default")
            prefix += " in " + vrf;
        page.add({prefix, text_of(entry, "via"), rounded_of(entry, "per_second"),
                  rounded_of(entry, "per_second_error"), rounded_of(entry, "packets"),
                  rounded_of(entry, "error")});
    }
    return page.is_empty() ? "" : page.text();
}

} // namespace fingerpost::cli
