// Why a request to the system has failed, as text.
#pragma once

#include <string>
#include <string_view>

namespace fingerpost::system {

struct failure {
    std::string reason;
};

// Returns `what: the system's text for the error number`, such as `bind 127.0.0.1:2620: Address already in
// use`.
failure system_failure(std::string_view what, int error);

} // namespace fingerpost::system
