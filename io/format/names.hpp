// Next hops as tables name them: every different name gets the next free number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::io {

// Ids are dense from 0 in the order of first use. Views given out live until the next intern().
class next_hop_names {
  public:
    next_hop intern(std::string_view name);

    std::size_t size() const noexcept { return ends_.size(); }
    std::string_view operator[](next_hop hop) const noexcept {
        const std::size_t start = hop.id == 0 ? 0 : ends_[hop.id - 1];
        return std::string_view(bytes_).substr(start, ends_[hop.id] - start);
    }

  private:
    // `id_plus_one` is 0 in a free slot. The hash spares most looks at the name, and hashing anew.
    struct slot {
        std::uint32_t hash = 0;
        std::uint32_t id_plus_one = 0;
    };

    void grow();
    std::size_t find(std::string_view name, std::uint32_t hash) const;

    std::string bytes_;              // all names, one after the other
    std::vector<std::size_t> ends_;  // where name i ends in bytes_
    std::vector<slot> slots_;        // open addressing, a power of two
    next_hop last_ = next_hop::none; // tables repeat a next hop from line to line
};

} // namespace fingerpost::io
