// Expands the list into arrays.
#include "router/routes/route_sources.hpp"

#include <array>

#include "router/routes/source/route_source.hpp"

namespace fingerpost::router {

#define FINGERPOST_ROUTE_SOURCE(name) extern const route_source name##_source;
FINGERPOST_FOR_EACH_ROUTE_SOURCE(FINGERPOST_ROUTE_SOURCE)
#undef FINGERPOST_ROUTE_SOURCE

namespace {

#define FINGERPOST_ROUTE_FEED(name) route_feed::name,
constexpr std::array all_feeds{FINGERPOST_FOR_EACH_ROUTE_SOURCE(FINGERPOST_ROUTE_FEED)};
#undef FINGERPOST_ROUTE_FEED

#define FINGERPOST_ROUTE_SOURCE(name) &name##_source,
constexpr std::array all_sources{FINGERPOST_FOR_EACH_ROUTE_SOURCE(FINGERPOST_ROUTE_SOURCE)};
#undef FINGERPOST_ROUTE_SOURCE

} // namespace

std::span<const route_feed> route_feeds() noexcept {
    return all_feeds;
}

const route_source& source_of(route_feed feed) noexcept {
    return *all_sources[static_cast<std::size_t>(feed)];
}

source_settings::source_settings() {
    for (const route_source* const source : all_sources)
        all_.push_back(source->presets != nullptr ? source->presets() : std::any());
}

} // namespace fingerpost::router
