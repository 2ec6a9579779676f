// Opens sockets in another network namespace. A socket always stays in the namespace in which it was created.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "system/system_failure.hpp"

namespace fingerpost::system {

// Calls `run` in a namespace and waits for its end. It runs in a separate thread, so the calling thread stays
// where it is. `name` is a name of `ip netns`, or a path such as /proc/123/ns/net. With an empty name, the
// calling thread calls `run` itself.
std::optional<failure> in_network_namespace(const std::string& name, const std::function<void()>& run);

} // namespace fingerpost::system
