// Flattens groups of next-hop objects.
#include "router/routes/netlink/group_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fingerpost::router {

namespace {

// Groups are nested once or twice at most. The limit stops cycles.
constexpr unsigned deepest = 6;

// Converts shares to weights from 1 to 256. Whole numbers in that range are not changed.
void set_weights(auto& shares) {
    const auto fits = [](const auto& entry) {
        return entry.weight >= 1 && entry.weight <= 256 && entry.weight == std::floor(entry.weight);
    };
    double largest = 0;
    for (const auto& entry : shares)
        largest = std::max(largest, entry.weight);
    const double factor = std::all_of(shares.begin(), shares.end(), fits) ? 1 : 256 / largest;
    for (auto& entry : shares)
        entry.exit.weight =
            static_cast<std::uint16_t>(std::clamp(std::round(entry.weight * factor), 1.0, 256.0));
}

} // namespace

group_table::node& group_table::node_of(std::uint32_t id) {
    const auto [match, is_new] = known_.try_emplace(id);
    if (is_new)
        match->second.number = group_id{numbering_ == group_numbering::as_given ? id : ++last_number_};
    return match->second;
}

group_id group_table::name_of(std::uint32_t id) {
    return node_of(id).number;
}

void group_table::add_shares(const node& from, double weight, unsigned depth, std::vector<share>& out,
                             action& otherwise) const {
    if (!from.defined || depth > deepest)
        return;
    if (from.message.blackhole)
        otherwise = action::blackhole;
    if (from.message.exit)
        out.push_back({*from.message.exit, weight});
    double sum = 0;
    for (const group_member member : from.message.members)
        sum += member.weight;
    for (const group_member member : from.message.members) {
        const auto match = known_.find(member.id);
        // The weights of the outermost group are kept. A nested group divides its weight among its members.
        const double part = depth == 0 ? member.weight : weight * member.weight / sum;
        if (match != known_.end())
            add_shares(match->second, part, depth + 1, out, otherwise);
    }
}

destination group_table::flatten(const node& from) const {
    std::vector<share> shares;
    action otherwise = action::unreachable;
    add_shares(from, 1, 0, shares, otherwise);
    if (shares.empty())
        return {otherwise, {}};
    set_weights(shares);
    destination flat{action::forward, {}};
    for (const share& entry : shares)
        flat.paths.push_back(entry.exit);
    return flat;
}

void group_table::update_sink(std::uint32_t id, unsigned depth) {
    const auto match = known_.find(id);
    if (match == known_.end() || depth > deepest)
        return;
    if (match->second.defined)
        sink_.set_group(match->second.number, flatten(match->second));
    for (const std::uint32_t user : match->second.users)
        update_sink(user, depth + 1);
}

void group_table::forget_if_unused(std::uint32_t id) {
    const auto match = known_.find(id);
    if (match != known_.end() && !match->second.defined && match->second.users.empty())
        known_.erase(match);
}

void group_table::leave_members(std::uint32_t id, const node& from) {
    for (const group_member member : from.message.members)
        if (const auto match = known_.find(member.id); match != known_.end())
            std::erase(match->second.users, id);
}

void group_table::set(const next_hop_message& message) {
    node& entry = node_of(message.id);
    leave_members(message.id, entry);
    const std::vector<group_member> before = std::exchange(entry.message, message).members;
    entry.defined = true;
    for (const group_member member : message.members) {
        std::vector<std::uint32_t>& users = node_of(member.id).users;
        if (std::find(users.begin(), users.end(), message.id) == users.end())
            users.push_back(message.id);
    }
    for (const group_member member : before)
        forget_if_unused(member.id);
    update_sink(message.id, 0);
}

void group_table::remove(std::uint32_t id) {
    const auto match = known_.find(id);
    if (match == known_.end() || !match->second.defined)
        return;
    leave_members(id, match->second);
    const next_hop_message before = std::exchange(match->second.message, {});
    match->second.defined = false;
    sink_.remove_group(match->second.number);
    update_sink(id, 0);
    for (const group_member member : before.members)
        forget_if_unused(member.id);
    forget_if_unused(id);
}

void group_table::begin_refresh() {
    for (const auto& [id, entry] : known_)
        if (entry.defined)
            stale_.push_back(entry.number);
    known_.clear();
}

void group_table::sweep() {
    for (const group_id number : std::exchange(stale_, {})) {
        const auto match = known_.find(number.id);
        const bool again =
            numbering_ == group_numbering::as_given && match != known_.end() && match->second.defined;
        if (!again)
            sink_.remove_group(number);
    }
}

} // namespace fingerpost::router
