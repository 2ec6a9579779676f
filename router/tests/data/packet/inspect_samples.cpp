// The rules of inspect.hpp, as hand-written frames.
#include "router/tests/data/packet/inspect_samples.hpp"

#include <string_view>

namespace fingerpost::router::testing {

namespace {

frame from_ipv4(std::string_view address) {
    return ipv4_frame().ip_set(12, address).summed();
}
frame to_ipv4(std::string_view address) {
    return ipv4_frame().ip_set(16, address).summed();
}
frame from_ipv6(std::string_view address) {
    return ipv6_frame().ip_set(8, address);
}
frame to_ipv6(std::string_view address) {
    return ipv6_frame().ip_set(24, address);
}
frame hop_by_hop(std::string_view digits) {
    return ipv6_frame().with_extension(0, digits);
}

const std::string zeros_of_ipv6(32, '0');

std::vector<sample> link_samples() {
    const frame arp{testing::hex("ffffffffffff 020000000002 0806 0001080006040001 020000000002c0000201"
                                 "000000000000c0000202")};
    return {
        {"ordinary IPv4", ipv4_frame(), ipv4},
        {"ordinary IPv6", ipv6_frame(), ipv6},
        {"another station", ipv4_frame().set(5, "09"), drop(drop_reason::not_for_us)},
        {"another station, first byte", ipv4_frame().set(0, "06"), drop(drop_reason::not_for_us)},
        {"IPv6 for another station", ipv6_frame().set(5, "09"), drop(drop_reason::not_for_us)},
        {"IPv4 in a broadcast", ipv4_frame().set(0, "ffffffffffff"), host},
        {"IPv4 in a multicast", ipv4_frame().set(0, "01005e000001"), host},
        {"IPv6 in a multicast", ipv6_frame().set(0, "333300000001"), host},
        {"bad IPv4 in a broadcast", ipv4_frame().set(0, "ffffffffffff").ip_set(10, "0000"),
         drop(drop_reason::bad_ip_checksum)},
        {"ARP", arp, host},
        {"ARP of another station", arp.set(0, "020000000009"), drop(drop_reason::not_for_us)},
        {"a length instead of a type", ipv4_frame().set(12, "002e"), host},
        {"LLDP", ipv4_frame().set(0, "0180c200000e 020000000002 88cc"), host},
        {"known VLAN", ipv4_frame().tagged(5), ipv4},
        {"known VLAN with priority", ipv6_frame().tagged(0xe064), ipv6},
        {"unknown VLAN", ipv4_frame().tagged(6), drop(drop_reason::unknown_vlan)},
        {"reserved VLAN", ipv4_frame().tagged(0xfff), drop(drop_reason::unknown_vlan)},
        {"priority alone", ipv4_frame().tagged(0xa000), ipv4},
        {"two tags", ipv4_frame().tagged(5).tagged(100), host},
        {"service tag", ipv4_frame().tagged(5).set(12, "88a8"), host},
        {"ARP of an unknown VLAN", arp.tagged(7), drop(drop_reason::unknown_vlan)},
        {"ARP of a known VLAN", arp.tagged(5), host},
    };
}

std::vector<sample> ipv4_samples() {
    return {
        {"version 6", ipv4_frame().ip_set(0, "65").summed(), drop(drop_reason::bad_ip_version)},
        {"version 0", ipv4_frame().ip_set(0, "05").summed(), drop(drop_reason::bad_ip_version)},
        {"header of 16 bytes", ipv4_frame().ip_set(0, "44").summed(),
         drop(drop_reason::bad_ip_header_length)},
        {"header of 0 bytes", ipv4_frame().ip_set(0, "40").summed(), drop(drop_reason::bad_ip_header_length)},
        {"header longer than the frame", ipv4_frame().ip_set(0, "4f").summed(), drop(drop_reason::truncated)},
        {"bad checksum", ipv4_frame().ip_set(10, "7c4e"), drop(drop_reason::bad_ip_checksum)},
        {"no checksum", ipv4_frame().ip_set(10, "0000"), drop(drop_reason::bad_ip_checksum)},
        {"total length one too long", ipv4_frame().ip_set(2, "002f").summed(), drop(drop_reason::truncated)},
        {"total length too long by far", ipv4_frame().ip_set(2, "ffff").summed(),
         drop(drop_reason::truncated)},
        {"total length of the header alone", ipv4_frame().ip_set(2, "0014").summed(), ipv4},
        {"total length below the header", ipv4_frame().ip_set(2, "0013").summed(),
         drop(drop_reason::bad_ip_total_length)},
        {"total length 0", ipv4_frame().ip_set(2, "0000").summed(), drop(drop_reason::bad_ip_total_length)},
        {"padded", ipv4_frame().padded(6), ipv4},
        {"TTL 0 is not looked at", ipv4_frame().ip_set(8, "00").summed(), ipv4},
        {"first fragment", ipv4_frame().ip_set(6, "2000").summed(), ipv4},
        {"last fragment", ipv4_frame().ip_set(6, "0010").summed(), ipv4},
        {"source 0.0.0.0", from_ipv4("00000000"), drop(drop_reason::martian_source)},
        {"source 0.1.2.3", from_ipv4("00010203"), drop(drop_reason::martian_source)},
        {"source 1.0.0.0", from_ipv4("01000000"), ipv4},
        {"source 126.255.255.255", from_ipv4("7effffff"), ipv4},
        {"source 127.0.0.0", from_ipv4("7f000000"), drop(drop_reason::martian_source)},
        {"source 127.255.255.255", from_ipv4("7fffffff"), drop(drop_reason::martian_source)},
        {"source 128.0.0.0", from_ipv4("80000000"), ipv4},
        {"source 223.255.255.255", from_ipv4("dfffffff"), ipv4},
        {"source 224.0.0.0", from_ipv4("e0000000"), drop(drop_reason::martian_source)},
        {"source 239.255.255.255", from_ipv4("efffffff"), drop(drop_reason::martian_source)},
        {"source 240.0.0.0", from_ipv4("f0000000"), ipv4},
        {"source 255.255.255.254", from_ipv4("fffffffe"), ipv4},
        {"source 255.255.255.255", from_ipv4("ffffffff"), drop(drop_reason::martian_source)},
        {"source 169.254.1.1", from_ipv4("a9fe0101"), ipv4},
        {"destination 0.0.0.0", to_ipv4("00000000"), drop(drop_reason::martian_destination)},
        {"destination 0.255.255.255", to_ipv4("00ffffff"), drop(drop_reason::martian_destination)},
        {"destination 127.0.0.1", to_ipv4("7f000001"), drop(drop_reason::martian_destination)},
        {"destination 223.255.255.255", to_ipv4("dfffffff"), ipv4},
        {"destination 224.0.0.0", to_ipv4("e0000000"), host},
        {"destination 239.255.255.255", to_ipv4("efffffff"), host},
        {"destination 240.0.0.0", to_ipv4("f0000000"), ipv4},
        {"destination 255.255.255.254", to_ipv4("fffffffe"), ipv4},
        {"destination 255.255.255.255", to_ipv4("ffffffff"), host},
        {"0.0.0.0 to 255.255.255.255", to_ipv4("ffffffff").ip_set(12, "00000000").summed(), host},
        {"0.0.0.0 to 0.0.0.0", to_ipv4("00000000").ip_set(12, "00000000").summed(), host},
        {"0.0.0.0 to 224.0.0.22", to_ipv4("e0000016").ip_set(12, "00000000").summed(), host},
        {"127.0.0.1 to 224.0.0.22", to_ipv4("e0000016").ip_set(12, "7f000001").summed(),
         drop(drop_reason::martian_source)},
        {"no-operations", ipv4_frame().with_options("01010101"), ipv4},
        {"end of list, then anything", ipv4_frame().with_options("00830000"), ipv4},
        {"record route", ipv4_frame().with_options("07070400000000 00"), ipv4},
        {"router alert", ipv4_frame().with_options("94040000"), ipv4},
        {"unknown option", ipv4_frame().with_options("5e04abcd"), ipv4},
        {"loose source route", ipv4_frame().with_options("830704c633640700"),
         drop(drop_reason::source_route)},
        {"strict source route behind another", ipv4_frame().with_options("01 890704c6336407"),
         drop(drop_reason::source_route)},
        {"option of length 1", ipv4_frame().with_options("07010000"), host},
        {"option past the header", ipv4_frame().with_options("01 07040400"), host},
        {"option without a length", ipv4_frame().with_options("01010107"), host},
        {"bad option to a multicast", to_ipv4("e0000001").with_options("01010107"), host},
        {"good option in a broadcast", ipv4_frame().set(0, "ffffffffffff").with_options("01010101"), host},
        {"40 bytes of options", ipv4_frame().with_options(std::string(80, '0')), ipv4},
        {"bad checksum of options", ipv4_frame().with_options("01010101").ip_set(23, "02"),
         drop(drop_reason::bad_ip_checksum)},
    };
}

std::vector<sample> ipv6_samples() {
    const std::string loopback = zeros_of_ipv6.substr(0, 31) + "1";
    const std::string mapped = zeros_of_ipv6.substr(0, 20) + "ffffc0000201";
    return {
        {"version 4", ipv6_frame().ip_set(0, "40"), drop(drop_reason::bad_ip_version)},
        {"payload length one too long", ipv6_frame().ip_set(4, "001b"), drop(drop_reason::truncated)},
        {"payload length 0", ipv6_frame().ip_set(4, "0000"), ipv6},
        {"padded", ipv6_frame().padded(6), ipv6},
        {"hop limit 0 is not looked at", ipv6_frame().ip_set(7, "00"), ipv6},
        {"source ::", from_ipv6(zeros_of_ipv6), drop(drop_reason::martian_source)},
        {"source ::1", from_ipv6(loopback), drop(drop_reason::martian_source)},
        {"source ::2", from_ipv6(zeros_of_ipv6.substr(0, 31) + "2"), ipv6},
        {"source ::ffff:192.0.2.1", from_ipv6(mapped), ipv6},
        {"source ff02::1", from_ipv6("ff020000000000000000000000000001"), drop(drop_reason::martian_source)},
        {"source fe7f::", from_ipv6("fe7f0000000000000000000000000001"), ipv6},
        {"source fe80::", from_ipv6("fe800000000000000000000000000001"), host},
        {"source febf::", from_ipv6("febf0000000000000000000000000001"), host},
        {"source fec0::", from_ipv6("fec00000000000000000000000000001"), ipv6},
        {"destination ::", to_ipv6(zeros_of_ipv6), drop(drop_reason::martian_destination)},
        {"destination ::1", to_ipv6(loopback), drop(drop_reason::martian_destination)},
        {"destination ::ffff:192.0.2.1", to_ipv6(mapped), ipv6},
        {"destination fe80::1", to_ipv6("fe800000000000000000000000000001"), host},
        {"destination ff00::1", to_ipv6("ff000000000000000000000000000001"),
         drop(drop_reason::martian_destination)},
        {"destination ff01::1", to_ipv6("ff010000000000000000000000000001"),
         drop(drop_reason::martian_destination)},
        {"destination ff02::1", to_ipv6("ff020000000000000000000000000001"), host},
        {"destination ff0e::1", to_ipv6("ff0e0000000000000000000000000001"), host},
        {":: to ff02::1:ff00:1", to_ipv6("ff0200000000000000000001ff000001").ip_set(8, zeros_of_ipv6), host},
        {"::1 to ff02::1", to_ipv6("ff020000000000000000000000000001").ip_set(8, loopback),
         drop(drop_reason::martian_source)},
        {":: to fe80::1", to_ipv6("fe800000000000000000000000000001").ip_set(8, zeros_of_ipv6),
         drop(drop_reason::martian_source)},
        {"hop-by-hop padding", hop_by_hop("0000 0104 00000000"), ipv6},
        {"hop-by-hop single pads", hop_by_hop("0000 000000000000"), ipv6},
        {"padding that is not zero", hop_by_hop("0000 0104 00000001"), host},
        {"seven bytes of padding", hop_by_hop("0001 1e00 0000 0103000000 1e03000000"), ipv6},
        {"eight bytes of padding", hop_by_hop("0001 1e00 0000 0104000000001e020000"), host},
        {"router alert", hop_by_hop("0000 05020000 0100"), host},
        {"unknown option to skip", hop_by_hop("0000 1e04 00000000"), ipv6},
        {"unknown option to discard", hop_by_hop("0000 5e04 00000000"), host},
        {"unknown option to answer", hop_by_hop("0000 9e04 00000000"), host},
        {"jumbo payload option", hop_by_hop("0000 c204 00010000"), host},
        {"jumbo payload", hop_by_hop("0000 c204 00010000").ip_set(4, "0000"), host},
        {"option past its header", hop_by_hop("0000 1e05 00000000"), host},
        {"option without a length", hop_by_hop("0000 1e03 000000 1e"), host},
        {"header past the packet", hop_by_hop("0009 1e04 00000000"), host},
        {"eight options", hop_by_hop("0002 1e00 1e00 1e00 1e00 1e00 1e00 1e00 1e00 01020000 0000"), ipv6},
        {"nine options", hop_by_hop("0002 1e00 1e00 1e00 1e00 1e00 1e00 1e00 1e00 1e00 0100 0000"), host},
        {"destination options", ipv6_frame().with_extension(60, "0000 9e04 00000000"), ipv6},
        {"routing header", ipv6_frame().with_extension(43, "0000 0400 00000000"), ipv6},
        {"fragment", ipv6_frame().with_extension(44, "0000 0008 00000001"), ipv6},
    };
}

} // namespace

std::vector<sample> inspect_samples() {
    std::vector<sample> all = link_samples();
    for (auto& more : {ipv4_samples(), ipv6_samples()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

} // namespace fingerpost::router::testing
