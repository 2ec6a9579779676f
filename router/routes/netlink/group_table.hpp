// Turns the next-hop objects of a source into groups of a sink, each with all of its paths.
//
// The objects may come in any order, even after the routes and groups that refer to them, and groups may have
// groups as members. The sink is updated whenever something in a group changes.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "router/routes/netlink/netlink_message.hpp"
#include "router/routes/sink/route_sink.hpp"

namespace fingerpost::router {

// `as_given`: the sink uses the source's group numbers. `fresh`: every refresh uses new numbers, because a
// restarted source may reuse an old number while stale routes still refer to it.
enum class group_numbering : std::uint8_t { as_given, fresh };

class group_table {
  public:
    group_table(route_sink& sink, group_numbering numbering) noexcept : sink_(sink), numbering_(numbering) {}

    // The sink's id for a group, whether or not the group is known.
    group_id name_of(std::uint32_t id);
    void set(const next_hop_message& message);
    void remove(std::uint32_t id);

    // Makes all groups stale; sweep() removes those from the sink that were not set again.
    void begin_refresh();
    void sweep();

    std::size_t size() const noexcept { return known_.size(); }

  private:
    struct node {
        group_id number{};
        bool defined = false;
        next_hop_message message{};
        std::vector<std::uint32_t> users{}; // groups that have it as a member, or had it
    };
    struct share {
        path exit;
        double weight = 0;
    };

    node& node_of(std::uint32_t id);
    destination flatten(const node& from) const;
    void add_shares(const node& from, double weight, unsigned depth, std::vector<share>& out,
                    action& otherwise) const;
    void update_sink(std::uint32_t id, unsigned depth);
    void forget_if_unused(std::uint32_t id);
    void leave_members(std::uint32_t id, const node& from);

    route_sink& sink_;
    group_numbering numbering_;
    std::uint32_t last_number_ = 0;
    std::unordered_map<std::uint32_t, node> known_;
    std::vector<group_id> stale_;
};

} // namespace fingerpost::router
