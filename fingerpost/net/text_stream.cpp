// Writes text forms to streams of the standard library.
#include <ostream>
#include <string>

#include "fingerpost/net/text.hpp"

namespace fingerpost {

template <written T>
std::ostream& operator<<(std::ostream& out, const T& value) {
    return out << to_string(value);
}

template std::ostream& operator<<(std::ostream&, const ipv4_address&);
template std::ostream& operator<<(std::ostream&, const ipv6_address&);
template std::ostream& operator<<(std::ostream&, const any_address&);
template std::ostream& operator<<(std::ostream&, const ipv4_prefix&);
template std::ostream& operator<<(std::ostream&, const ipv6_prefix&);
template std::ostream& operator<<(std::ostream&, const any_prefix&);
template std::ostream& operator<<(std::ostream&, const route<ipv4_address>&);
template std::ostream& operator<<(std::ostream&, const route<ipv6_address>&);
template std::ostream& operator<<(std::ostream&, const any_route&);

} // namespace fingerpost
