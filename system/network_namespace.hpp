// Opens things in another network namespace: a socket belongs for good to the one in which it was made.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "system/system_failure.hpp"

namespace fingerpost::system {

// Calls `run` in a namespace, by a thread of its own, so that the caller's thread stays where it is, and
// waits for its end. `name` is what `ip netns` calls it, or a path such as /proc/123/ns/net; an empty name is
// the caller's own, and then the caller calls `run` itself.
std::optional<failure> in_network_namespace(const std::string& name, const std::function<void()>& run);

} // namespace fingerpost::system
