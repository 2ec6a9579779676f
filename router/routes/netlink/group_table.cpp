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
    const auto fits = [](const auto& one) {
        return one.weight >= 1 && one.weight <= 256 && one.weight == std::floor(one.weight);
    };
    double largest = 0;
    for (const auto& one : shares)
        largest = std::max(largest, one.weight);
    const double factor = std::all_of(shares.begin(), shares.end(), fits) ? 1 : 256 / largest;
    for (auto& one : shares)
        one.one.weight = static_cast<std::uint16_t>(std::clamp(std::round(one.weight * factor), 1.0, 256.0));
}

} // namespace

group_table::node& group_table::node_of(std::uint32_t id) {
    const auto [found, is_new] = known_.try_emplace(id);
    if (is_new)
        found->second.number = group_id{numbering_ == group_numbering::as_given ? id : ++last_number_};
    return found->second;
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
    if (from.message.one)
        out.push_back({*from.message.one, weight});
    double sum = 0;
    for (const group_member member : from.message.members)
        sum += member.weight;
    for (const group_member member : from.message.members) {
        const auto found = known_.find(member.id);
        // The weights of the outermost group are kept. A nested group divides its weight among its members.
        const double part = depth == 0 ? member.weight : weight * member.weight / sum;
        if (found != known_.end())
            add_shares(found->second, part, depth + 1, out, otherwise);
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
    for (const share& one : shares)
        flat.paths.push_back(one.one);
    return flat;
}

void group_table::tell(std::uint32_t id, unsigned depth) {
    const auto found = known_.find(id);
    if (found == known_.end() || depth > deepest)
        return;
    if (found->second.defined)
        sink_.set_group(found->second.number, flatten(found->second));
    for (const std::uint32_t user : found->second.users)
        tell(user, depth + 1);
}

void group_table::forget_if_unused(std::uint32_t id) {
    const auto found = known_.find(id);
    if (found != known_.end() && !found->second.defined && found->second.users.empty())
        known_.erase(found);
}

void group_table::leave_members(std::uint32_t id, const node& from) {
    for (const group_member member : from.message.members)
        if (const auto found = known_.find(member.id); found != known_.end())
            std::erase(found->second.users, id);
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
    tell(message.id, 0);
}

void group_table::remove(std::uint32_t id) {
    const auto found = known_.find(id);
    if (found == known_.end() || !found->second.defined)
        return;
    leave_members(id, found->second);
    const next_hop_message before = std::exchange(found->second.message, {});
    found->second.defined = false;
    sink_.remove_group(found->second.number);
    tell(id, 0);
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
        const auto found = known_.find(number.id);
        const bool again =
            numbering_ == group_numbering::as_given && found != known_.end() && found->second.defined;
        if (!again)
            sink_.remove_group(number);
    }
}

} // namespace fingerpost::router
