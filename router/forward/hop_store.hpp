// The control thread's next hops, each with a number in the next-hop table and a reference count. Routes,
// groups and the neighbour table refer to them by number.
//
//   path    a gateway or an interface, or a way to drop packets; its entry is updated when a link or a
//           neighbour changes
//   group   several paths; its buckets are distributed over the usable ones
//   alias   a group_id of a source (destination.hpp); its entry is a copy of the path or group that the id
//           currently stands for, so routes with the alias follow its changes
//
// They are shared by both address families and all VRFs.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "router/forward/buckets.hpp"
#include "router/forward/interfaces.hpp"
#include "router/forward/next_hop_table.hpp"
#include "router/routes/sink/destination.hpp"

namespace fingerpost::router {

class hop_store {
  public:
    hop_store(const interfaces& links, next_hop_table& table, reclaimer& old)
        : links_(&links), table_(&table), old_(&old) {}
    hop_store(const hop_store&) = delete;
    hop_store& operator=(const hop_store&) = delete;

    // Returns the number of the next hop for this target of a route in `vrf`, and adds a reference. An
    // unknown group_id is unreachable until set_group() defines it. Fails with errc::capacity or
    // errc::out_of_memory.
    expected<std::uint32_t> hold(const route_target& to, vrf_number vrf = default_vrf) noexcept;
    // Removes one reference. After the last one the number returns to the next-hop table, which reuses it
    // after a grace period (reclaim.hpp). The caller must ensure that no version of a FIB, published or
    // pending, and no neighbour table refers to the number through this reference.
    void release(std::uint32_t number) noexcept;

    // Sets or replaces the target of a group_id; all routes with the id follow. After errc::capacity or
    // errc::out_of_memory nothing has changed.
    errc set_group(group_id group, const destination& to) noexcept;
    // Makes the group unreachable for routes that still refer to it.
    void remove_group(group_id group) noexcept;
    // Removes the groups of all other sources.
    void keep_groups_of(std::uint32_t source) noexcept;

    // Updates all entries; to be called after links or neighbours have changed. Terminates the process if
    // memory runs out.
    void refresh() noexcept;

    // Calls use(key) for each neighbour that packets were sent to since the last call, and clears its mark in
    // the next-hop table. Stops when use() returns false; the remaining neighbours keep their marks for the
    // next call. A neighbour may be visited more than once if several next hops lead to it.
    template <class F>
    void take_used(F use) const {
        for (const hop* const entry : by_number_)
            if (entry != nullptr)
                if (const auto key = used_neighbour(*entry); key && !use(*key))
                    return;
    }

    std::size_t size() const noexcept { return hops_.size(); }
    // Calls use(number) for each next hop from number `first` on, in ascending order, until it returns false.
    template <class F>
    void each(std::uint32_t first, F use) const {
        for (std::size_t i = first; i < by_number_.size(); ++i)
            if (by_number_[i] != nullptr && !use(static_cast<std::uint32_t>(i)))
                return;
    }
    // Describes a next hop in one word, as in files of routes: `10.0.0.2%eth0`, `eth0`, `blackhole`. The
    // paths of a group are joined by `+`; a weight other than 1 follows after `*`. Empty if the number is not
    // in use.
    std::string describe(std::uint32_t number) const;

    struct group_path {
        std::uint32_t number = 0; // of the next hop
        std::uint16_t weight = 1;
        double share = 0; // of the group's flows, from 0 to 1; 0 if the path is currently unusable
    };
    // The paths of a group, or of an alias of a group; empty for other numbers.
    std::vector<group_path> paths_of_group(std::uint32_t number) const;

  private:
    struct path_key {
        action what = action::forward;
        std::optional<any_address> gateway{};
        std::uint32_t interface = 0;
        vrf_number vrf = default_vrf; // in which a gateway without an interface is resolved
        friend auto operator<=>(const path_key&, const path_key&) = default;
    };
    struct weighted {
        path_key to;
        std::uint16_t weight = 1;
        friend auto operator<=>(const weighted&, const weighted&) = default;
    };
    struct group_key {
        std::vector<weighted> members;
        friend auto operator<=>(const group_key&, const group_key&) = default;
    };
    struct alias_key {
        group_id group{};
        friend auto operator<=>(const alias_key&, const alias_key&) = default;
    };
    using hop_key = std::variant<path_key, group_key, alias_key>;
    struct hop {
        const hop_key* key = nullptr;
        std::uint32_t number = 0;
        std::size_t references = 0;
        std::vector<std::uint32_t> members; // paths of a group, or the target of an alias
        // For a group: the paths that have buckets.
        std::vector<bucket_member> usable;
        std::shared_ptr<const bucket_array> buckets;
    };

    static hop_key key_of(const destination& to, vrf_number vrf = default_vrf);
    std::optional<neighbour_key> used_neighbour(const hop& used) const;
    expected<std::uint32_t> hold_key(const hop_key& key);
    expected<std::vector<std::uint32_t>> hold_members(const hop_key& key);
    void update(hop& updated);
    next_hop_entry entry_of(hop& updated);
    next_hop_entry path_entry(const path_key& to) const;
    next_hop_entry group_entry(hop& updated, const group_key& of);

    const interfaces* links_;
    next_hop_table* table_;
    reclaimer* old_;
    std::map<hop_key, hop> hops_;
    std::vector<hop*> by_number_;
    std::map<group_id, destination> groups_;
};

} // namespace fingerpost::router
