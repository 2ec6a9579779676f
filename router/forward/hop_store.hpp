// The control thread's next hops, each with a number in the next-hop table and a reference count. Routes,
// groups and the table of neighbours refer to them by number.
//
//      path    a gateway or an interface, or a way to drop packets; its entry is updated when a link or a
//              neighbour changes
//      group   several paths; its buckets are distributed over those that are usable
//      alias   a group_id of a source (destination.hpp); its entry is a copy of that of the path or group for
//              which the source uses the id now, so routes with the alias change with it
//
// They serve both families and all VRFs.
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

    // The number of the next hop for this target of a route in `vrf`, with one more reference. A group_id
    // that set_group() does not know is unreachable until it does. errc::capacity, errc::out_of_memory.
    expected<std::uint32_t> hold(const route_target& to, vrf_number vrf = default_vrf) noexcept;
    // Removes one reference. After the last one the number goes back to the next-hop table, which reuses it
    // after a grace period (reclaim.hpp). Call it only when no version of a FIB, published or still to be
    // published, and no table of neighbours has the number of this reference.
    void release(std::uint32_t number) noexcept;

    // Sets where a group_id leads, for the first time or again; all routes that have it follow. After
    // errc::capacity or errc::out_of_memory nothing has changed.
    errc set_group(group_id group, const destination& to) noexcept;
    // Makes it unreachable, for the routes that still have it.
    void remove_group(group_id group) noexcept;
    // Removes the groups of all sources but this one.
    void keep_groups_of(std::uint32_t source) noexcept;

    // Updates all entries; to be called after links or neighbours have changed. Without memory the process
    // ends.
    void refresh() noexcept;

    // Calls use(key) for each neighbour that packets were sent to since the last call, and clears its mark in
    // the next-hop table. Ends when use() returns false: the neighbours after that one keep their marks for
    // the next call. A neighbour may come more than once, if several next hops lead to it.
    template <class F>
    void take_used(F use) const {
        for (const hop* const one : by_number_)
            if (one != nullptr)
                if (const auto key = used_neighbour(*one); key && !use(*key))
                    return;
    }

    std::size_t size() const noexcept { return hops_.size(); }
    // Calls use(number) for each, in ascending order, from `first` on, until it returns false.
    template <class F>
    void each(std::uint32_t first, F use) const {
        for (std::size_t i = first; i < by_number_.size(); ++i)
            if (by_number_[i] != nullptr && !use(static_cast<std::uint32_t>(i)))
                return;
    }
    // What the number stands for, in one word as in files of routes: `10.0.0.2%eth0`, `eth0`, `blackhole`;
    // the paths of a group joined by `+`, with weights other than 1 behind `*`. Empty if the number is not in
    // use.
    std::string describe(std::uint32_t number) const;

    struct group_path {
        std::uint32_t number = 0; // of the next hop
        std::uint16_t weight = 1;
        double share = 0; // of the group's flows, from 0 to 1; 0 if the path cannot be used now
    };
    // The paths of a group, or of an alias that leads to a group; empty for other numbers.
    std::vector<group_path> paths_of_group(std::uint32_t number) const;

  private:
    struct path_key {
        action what = action::forward;
        std::optional<any_address> gateway{};
        std::uint32_t interface = 0;
        vrf_number vrf = default_vrf; // where a gateway without an interface is looked for
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
        std::vector<std::uint32_t> members; // of a group its paths, of an alias what it stands for
        // For a group: the paths to which its buckets are assigned.
        std::vector<bucket_member> usable;
        std::shared_ptr<const bucket_array> buckets;
    };

    static hop_key key_of(const destination& to, vrf_number vrf = default_vrf);
    std::optional<neighbour_key> used_neighbour(const hop& one) const;
    expected<std::uint32_t> hold_key(const hop_key& key);
    expected<std::vector<std::uint32_t>> hold_members(const hop_key& key);
    void update(hop& one);
    next_hop_entry entry_of(hop& one);
    next_hop_entry path_entry(const path_key& to) const;
    next_hop_entry group_entry(hop& one, const group_key& of);

    const interfaces* links_;
    next_hop_table* table_;
    reclaimer* old_;
    std::map<hop_key, hop> hops_;
    std::vector<hop*> by_number_;
    std::map<group_id, destination> groups_;
};

} // namespace fingerpost::router
