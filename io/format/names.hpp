// Next hops as tables name them: every different name gets the next free number.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/hash_index.hpp"
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

    const hash_index& index() const noexcept { return index_; }

  private:
    std::string bytes_;             // all names, one after the other
    std::vector<std::size_t> ends_; // where name i ends in bytes_
    hash_index index_;
    next_hop last_ = next_hop::none; // tables repeat a next hop from line to line
};

} // namespace fingerpost::io
