// Reads the updates of a file by its name.
#pragma once

#include <string>

#include "fingerpost/base/expected.hpp"
#include "io/format/updates/updates.hpp"

namespace fingerpost::io {

// `path`: as for file_source::open. Missing memory is an error. Instantiated for 32 and 128 bits.
template <class A>
expected<loaded_updates<A>, input_error> load_updates(const std::string& path,
                                                      host_bits policy = host_bits::mask);

} // namespace fingerpost::io
