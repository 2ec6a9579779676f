// Feeds bytes to the address and prefix parsers: inet_pton must agree, and the printed text must parse to the
// same value.
#include <arpa/inet.h>
#include <cstdint>
#include <string>

#include "fingerpost/net/text.hpp"
#include "fuzz/require.hpp"

namespace {

using namespace fingerpost;

template <class A>
void compare_with_system(const std::string& text, int system_family) {
    unsigned char bytes[16] = {};
    // inet_pton stops at a zero byte, which our parsers must refuse.
    const bool whole = text.find('\0') == std::string::npos;
    const bool accepted = whole && inet_pton(system_family, text.c_str(), bytes) == 1;
    const auto ours = parse_address<A>(text);
    require(ours.has_value() == accepted);
    const auto either = parse_address(text);
    require(either.has_value() || !ours);
    if (!ours) {
        require(ours.error().offset <= text.size());
        require(!message(ours.error()).empty());
        return;
    }
    A theirs{};
    for (std::size_t i = 0; i < sizeof(A); ++i)
        theirs.value = static_cast<typename A::value_type>(theirs.value << 8 | bytes[i]);
    require(*ours == theirs && *either == any_address(theirs));
    require(detect_family(text) == family_of<A>);
    const auto back = parse_address<A>(to_string(*ours));
    require(back.has_value() && *back == *ours);
}

template <class A>
void check_prefix(const std::string& text) {
    const auto masked = parse_prefix<A>(text);
    const auto strict = parse_prefix<A>(text, host_bits::refuse);
    require(masked.has_value() || !strict.has_value());
    if (!strict)
        require(!message(strict.error()).empty());
    if (!masked)
        return;
    require(masked->length <= A::bits && prefix<A>::is_canonical(masked->base, masked->length));
    if (strict)
        require(*strict == *masked);
    else
        require(strict.error().suggestion == any_prefix(*masked));
    require(*parse_prefix(text) == any_prefix(*masked));
    const auto back = parse_prefix<A>(to_string(*masked), host_bits::refuse);
    require(back.has_value() && *back == *masked);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    compare_with_system<ipv4_address>(text, AF_INET);
    compare_with_system<ipv6_address>(text, AF_INET6);
    check_prefix<ipv4_address>(text);
    check_prefix<ipv6_address>(text);
    return 0;
}
