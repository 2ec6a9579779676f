// Why a request to the system has failed, in words for people.
#pragma once

#include <string>
#include <string_view>

namespace fingerpost::system {

struct failure {
    std::string reason;
};

// `what: the system's words for the error number`, for example `bind 127.0.0.1:2620: Address already in use`.
failure system_failure(std::string_view what, int error);

} // namespace fingerpost::system
