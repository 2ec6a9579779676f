// Writes the text of a failure.
#include "system/system_failure.hpp"

#include <system_error>

#include <fmt/format.h>

namespace fingerpost::system {

failure system_failure(std::string_view what, int error) {
    return {fmt::format("{}: {}", what, std::generic_category().message(error))};
}

} // namespace fingerpost::system
