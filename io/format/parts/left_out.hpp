// Valid parts of an input that a reader leaves out, for one report at the end of the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

class left_out {
  public:
    // Counts a route. `description` distinguishes it from the routes that are read: `of table local`.
    void add_route(std::string_view description, std::uint64_t count = 1);
    // Counts something else, such as a whole set with this number of entries.
    void add_other(std::string_view description, std::uint64_t entries = 0);

    bool empty() const noexcept { return kinds_.empty(); }
    // Number of all routes and entries.
    std::uint64_t count() const noexcept { return count_; }
    // Returns `12 routes of table local, 1 route of table 100, the set ports`, with up to 8 kinds.
    std::string words() const;

  private:
    struct kind {
        std::string description;
        std::uint64_t count;
        bool is_route;
    };
    kind& kind_of(std::string_view description, bool is_route);

    std::vector<kind> kinds_;
    std::size_t last_ = 0; // kind that was added last, because routes of one kind follow one another
    std::uint64_t count_ = 0;
};

} // namespace fingerpost::io
