// Throws for narrow.hpp, which therefore does not need <stdexcept>.
#include "fingerpost/base/narrow.hpp"

#include <stdexcept>

namespace fingerpost::detail {

void throw_too_large(const char* what) {
    throw std::length_error(what);
}

} // namespace fingerpost::detail
