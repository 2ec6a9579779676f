// Opens things in another network namespace: a socket belongs permanently to the namespace in which it was
// made.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "system/system_failure.hpp"

namespace fingerpost::system {

// Calls `run` in a namespace, in a thread of its own, so that the calling thread stays where it is, and waits
// for its end. `name` is a name of `ip netns`, or a path such as /proc/123/ns/net. An empty name is the
// caller's own namespace; then the calling thread runs `run` itself.
std::optional<failure> in_network_namespace(const std::string& name, const std::function<void()>& run);

} // namespace fingerpost::system
