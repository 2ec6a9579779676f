// The route sources, and the settings of each.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "router/routes/list.hpp"

namespace fingerpost::router {

struct route_source;

#define FINGERPOST_ROUTE_FEED(name) name,
enum class route_feed : std::uint8_t { FINGERPOST_FOR_EACH_ROUTE_SOURCE(FINGERPOST_ROUTE_FEED) };
#undef FINGERPOST_ROUTE_FEED

// All sources, in the order of the list.
std::span<const route_feed> route_feeds() noexcept;

const route_source& source_of(route_feed feed) noexcept;

class source_settings {
  public:
    // Initially the defaults of all sources.
    source_settings();

    std::any& of(route_feed feed) { return all_[static_cast<std::size_t>(feed)]; }
    const std::any& of(route_feed feed) const { return all_[static_cast<std::size_t>(feed)]; }

  private:
    std::vector<std::any> all_;
};

} // namespace fingerpost::router
