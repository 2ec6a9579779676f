// Looks a batch of IPv6 addresses up in a live table of the C++ library.
#include <cstdio>
#include <fingerpost/fingerpost.hpp>

using namespace fingerpost;

static ipv6_prefix at(const char* text) {
    return *parse_prefix<ipv6_address>(text);
}

int main() {
    auto table = ipv6_table::create();
    if (!table || !table->assign({{at("2001:db8::/32"), {1}}, {at("2001:db8:1::/48"), {2}}}))
        return 1;
    auto reader = table->reader();
    if (!reader)
        return 1;
    const ipv6_address in[] = {at("2001:db8:1::7/128").base, at("2001:db8:2::7/128").base};
    next_hop out[2];
    reader->pin().lookup(in, out);
    std::printf("%u %u\n", out[0].id, out[1].id);
}
