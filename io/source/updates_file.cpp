// Reads the updates of a file with the update reader.
#include "io/source/updates_file.hpp"

#include "io/source/feed.hpp"

namespace fingerpost::io {

template <class A>
expected<loaded_updates<A>, input_error> load_updates(const std::string& path, host_bits policy) {
    return read_all(path, [policy](const std::string& name) { return update_reader<A>(name, policy); });
}

template expected<loaded_updates<ipv4_address>, input_error> load_updates(const std::string&, host_bits);
template expected<loaded_updates<ipv6_address>, input_error> load_updates(const std::string&, host_bits);

} // namespace fingerpost::io
