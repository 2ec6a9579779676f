// The VRFs of a router. Each has its own table of routes and its own interfaces, so the same prefix can lead
// to different destinations in each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fingerpost::router {

// Every router has the default VRF; the others are numbered in the order of the configuration.
using vrf_number = std::uint16_t;
inline constexpr vrf_number default_vrf = 0;

// The kernel's main table, used by the default VRF: RT_TABLE_MAIN of <linux/rtnetlink.h>.
inline constexpr std::uint32_t main_table = 254;

struct vrf_facts {
    std::string name;
    std::uint32_t table = 0; // number of its table in the kernel and in FPM messages; 0: none
};

class vrf_list {
  public:
    // Contains only the default VRF.
    vrf_list() { add({"default", main_table}); }

    // Returns the number of the new VRF. If two VRFs have the same table, the first one keeps it.
    vrf_number add(vrf_facts vrf) {
        const auto number = static_cast<vrf_number>(all_.size());
        if (vrf.table != 0)
            by_table_.emplace(vrf.table, number);
        all_.push_back(std::move(vrf));
        return number;
    }
    // Assigns a VLAN of a port to a VRF, or without `vlan` all VLANs of the port that are not assigned
    // themselves.
    void assign(std::uint16_t port, std::optional<std::uint16_t> vlan, vrf_number to) {
        interfaces_[{port, vlan}] = to;
    }

    std::size_t size() const noexcept { return all_.size(); }
    bool has_one() const noexcept { return all_.size() == 1; }
    const vrf_facts& operator[](vrf_number number) const noexcept { return all_[number]; }

    // Table numbers of all VRFs, the default VRF first.
    std::vector<std::uint32_t> tables() const {
        std::vector<std::uint32_t> numbers;
        for (const vrf_facts& vrf : all_)
            if (vrf.table != 0)
                numbers.push_back(vrf.table);
        return numbers;
    }
    std::optional<vrf_number> with_table(std::uint32_t table) const noexcept {
        const auto match = by_table_.find(table);
        return match == by_table_.end() ? std::nullopt : std::optional(match->second);
    }
    std::optional<vrf_number> named(std::string_view name) const noexcept {
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (all_[i].name == name)
                return static_cast<vrf_number>(i);
        return std::nullopt;
    }
    // The VRF of a port's packets with this VLAN; 0 stands for untagged packets.
    vrf_number of(std::uint16_t port, std::uint16_t vlan) const noexcept {
        if (const auto own = interfaces_.find({port, vlan}); own != interfaces_.end())
            return own->second;
        const auto whole = interfaces_.find({port, std::nullopt});
        return whole == interfaces_.end() ? default_vrf : whole->second;
    }

  private:
    std::vector<vrf_facts> all_;
    std::map<std::uint32_t, vrf_number> by_table_;
    std::map<std::pair<std::uint16_t, std::optional<std::uint16_t>>, vrf_number> interfaces_;
};

} // namespace fingerpost::router
