// Looks up a batch of IPv6 addresses in a live table of the C++ library.
#include <cstdio>
#include <fingerpost/fingerpost.hpp>

using namespace fingerpost;

int main() {
    auto table = ipv6_table::create();
    if (!table || !table->assign({{"2001:db8::/32"_prefix, {1}}, {"2001:db8:1::/48"_prefix, {2}}}))
        return 1;
    auto reader = table->reader();
    if (!reader)
        return 1;
    const ipv6_address in[] = {"2001:db8:1::7"_address, "2001:db8:2::7"_address};
    next_hop out[2];
    reader->pin().lookup(in, out);
    std::printf("%u %u\n", out[0].id, out[1].id);
}
