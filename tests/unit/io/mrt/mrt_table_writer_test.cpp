// Tables written as MRT files: each field, the values that cannot be written, and whole tables read back.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "io/format/mrt/mrt_writer.hpp"
#include "io/source/mrt/mrt_table.hpp"
#include "tests/support/images.hpp"
#include "tests/support/mrt_listing.hpp"
#include "tests/support/mrt_writer.hpp"
#include "tests/support/tables/real_data.hpp"

namespace fingerpost::testing {
namespace {

using io::mrt::table_writer;
using io::mrt::writer_options;

template <class A>
prefix<A> prefix_of(std::string_view text) {
    return *parse_prefix<A>(text);
}
std::string listed(const std::string& stream) {
    const auto all = list_mrt(std::as_bytes(std::span(stream)));
    EXPECT_TRUE(all.is_complete);
    EXPECT_EQ(all.decoder.counted().damaged, 0u);
    return all.text;
}

TEST(mrt_table_writer, ByteByByte) {
    std::string out;
    table_writer writer({.seconds = 10});
    writer.begin(out);
    EXPECT_EQ(writer.add(prefix_of<ipv4_address>("10.128.0.0/9"), {"192.0.2.9", "65550"}, out), "");
    EXPECT_EQ(writer.add(prefix_of<ipv6_address>("2001:db8::/33"), {"2001:db8::9", ""}, out), "");
    EXPECT_EQ(writer.substituted(), 0u);
    octets wanted = record(10, 13, 1,
                           octets()
                               .address("192.0.2.1")
                               .u16(0)
                               .u16(1)
                               .u8(2)
                               .address("192.0.2.2")
                               .address("192.0.2.2")
                               .u32(64'512));
    const auto one = [](unsigned number, std::string_view where, const octets& attributes) {
        return octets().u32(number).prefix(where).u16(1).u16(0).u32(10).sized(attributes);
    };
    const octets origin = attribute(1, octets().u8(2));
    const octets mp = octets().u8(0x80).u8(14).u8(17).u8(16).address("2001:db8::9");
    wanted.add(record(
        10, 13, 2,
        one(0, "10.128.0.0/9", origin + as_path(4, {64'512, 65'550}) + next_hop_attribute("192.0.2.9"))));
    wanted.add(record(10, 13, 4, one(1, "2001:db8::/33", origin + as_path(4, {64'512}) + mp)));
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(wanted.view().data()), wanted.size()), out);
}

TEST(mrt_table_writer, PathsEndInTheirOrigin) {
    std::string out;
    table_writer writer({});
    writer.begin(out);
    const auto where = prefix_of<ipv4_address>("0.0.0.0/0");
    std::string large = "{1";
    for (int i = 2; i <= 255; ++i)
        large += "," + std::to_string(i);
    for (const std::string& origin : {std::string("1"), std::string("4294967295"), std::string("64512"),
                                      std::string("{7}"), std::string("{7,4294967295}"), large + "}"})
        EXPECT_EQ(writer.add(where, {"10.0.0.1", origin}, out), "") << origin;
    std::string wanted;
    for (const std::string& origin : {std::string("1"), std::string("4294967295"), std::string("64512"),
                                      std::string("{7}"), std::string("{7,4294967295}"), large + "}"})
        wanted += "B 0 192.0.2.2 64512 0.0.0.0/0 10.0.0.1 " + origin + "\n";
    EXPECT_EQ(listed(out), wanted);
    const std::string before = out;
    for (const std::string& origin :
         {std::string("x"), std::string("4294967296"), std::string("{}"), std::string("{1"),
          std::string("1,2"), std::string("{1,}"), std::string("{1 2}"), std::string("-1"), large + ",256}"})
        EXPECT_EQ(writer.add(where, {"10.0.0.1", origin}, out),
                  "the origin AS is neither a number nor a set of numbers")
            << origin;
    EXPECT_EQ(out, before);
}

TEST(mrt_table_writer, NextHopsThatAreNone) {
    const auto four = prefix_of<ipv4_address>("10.0.0.0/8");
    const auto six = prefix_of<ipv6_address>("2001:db8::/32");
    std::string out;
    table_writer strict({});
    for (const char* hop : {"eth0", "7", "10.0.0", "fe80::1%eth0"}) {
        EXPECT_EQ(strict.add(four, {hop}, out), "the next hop is not an address that BGP can carry");
        EXPECT_EQ(strict.add(six, {hop}, out), "the next hop is not an address that BGP can carry");
    }
    EXPECT_EQ(strict.add(six, {"10.0.0.1"}, out), "the next hop is not an address that BGP can carry");
    EXPECT_EQ(strict.add(four, {""}, out), "the route has no next hop");
    EXPECT_EQ(out, "");
    writer_options options;
    options.ipv4_substitute = *parse_address<ipv4_address>("192.0.2.77");
    options.ipv6_substitute = *parse_address<ipv6_address>("2001:db8::77");
    table_writer writer(options);
    writer.begin(out);
    EXPECT_EQ(writer.add(four, {"eth0"}, out), "");
    EXPECT_EQ(writer.add(four, {"2001:db8::5"}, out), ""); // RFC 8950
    EXPECT_EQ(writer.add(six, {"10.0.0.1"}, out), "");
    EXPECT_EQ(writer.add(six, {""}, out), "");
    EXPECT_EQ(writer.substituted(), 3u);
    EXPECT_EQ(listed(out), "B 0 192.0.2.2 64512 10.0.0.0/8 192.0.2.77 64512\n"
                           "B 0 192.0.2.2 64512 10.0.0.0/8 2001:db8::5 64512\n"
                           "B 0 192.0.2.2 64512 2001:db8::/32 2001:db8::77 64512\n"
                           "B 0 192.0.2.2 64512 2001:db8::/32 2001:db8::77 64512\n");
}

TEST(mrt_table_writer, ThePeerMayHaveAnIPv6Address) {
    writer_options options;
    options.from = {*parse_address<ipv6_address>("2001:db8::2"), 4'200'000'000};
    std::string out;
    table_writer writer(options);
    writer.begin(out);
    EXPECT_EQ(writer.add(prefix_of<ipv6_address>("::/0"), {"2001:db8::1"}, out), "");
    EXPECT_EQ(listed(out), "B 0 2001:db8::2 4200000000 ::/0 2001:db8::1 4200000000\n");
}

// The form that GoBGP 3.10 wants: all of MP_REACH_NLRI, with the prefix.
TEST(mrt_table_writer, TheWholeAttribute) {
    writer_options options;
    options.reach = io::mrt::reach_form::whole;
    std::string out;
    table_writer writer(options);
    writer.begin(out);
    const std::size_t head = out.size();
    EXPECT_EQ(writer.add(prefix_of<ipv6_address>("2001:db8::/33"), {"2001:db8::9"}, out), "");
    octets reach = octets().u16(2).u8(1).u8(16).address("2001:db8::9").u8(0).prefix("2001:db8::/33");
    const octets attributes = attribute(1, octets().u8(2)) + as_path(4, {64'512}) +
                              octets().u8(0x80).u8(14).u8(reach.size()).add(reach);
    const octets wanted =
        record(0, 13, 4, octets().u32(0).prefix("2001:db8::/33").u16(1).u16(0).u32(0).sized(attributes));
    EXPECT_EQ(out.substr(head),
              std::string(reinterpret_cast<const char*>(wanted.view().data()), wanted.size()));
    EXPECT_EQ(writer.add(prefix_of<ipv4_address>("10.0.0.0/8"), {"2001:db8::5"}, out), "");
    EXPECT_EQ(listed(out), "B 0 192.0.2.2 64512 2001:db8::/33 2001:db8::9 64512\n"
                           "B 0 192.0.2.2 64512 10.0.0.0/8 2001:db8::5 64512\n");
}

// A next hop for each route, of a few hundred, and origins.
template <class A>
std::string hop_for(const prefix<A>& where) {
    const auto mixed = static_cast<std::uint32_t>((top64(where.base) * 0x9e37'79b9'7f4a'7c15u) >> 40) % 300;
    if constexpr (A::bits == 32)
        return to_string(ipv4_address{0xc633'6400u + mixed});
    else
        return to_string(ipv6_address{u128{0x2001'0db8'0000'0000u} << 64 | mixed});
}

template <class A>
void round_trip(const std::string& name) {
    const auto routes = load_real_routes<A>(name);
    if (!routes)
        return;
    std::string out;
    table_writer writer({.seconds = 1'700'000'000});
    writer.begin(out);
    for (const route<A>& one : *routes)
        ASSERT_EQ(writer.add(one.where, {hop_for(one.where)}, out), "");
    const scratch_folder folder;
    write_file(folder / "table", std::as_bytes(std::span(out)));
    io::mrt_report report;
    const auto back = io::load_mrt_table((folder / "table").string(), {}, {}, &report);
    ASSERT_TRUE(back) << back.error().reason;
    EXPECT_EQ(report.counted.damaged, 0u);
    EXPECT_EQ(report.counted.records, routes->size() + 1);
    const io::loaded_table<A>& table = [&]() -> const auto& {
        if constexpr (A::bits == 32)
            return back->ipv4;
        else
            return back->ipv6;
    }();
    EXPECT_EQ(back->ipv4.routes.size() + back->ipv6.routes.size(), routes->size());
    ASSERT_EQ(table.routes.size(), routes->size());
    EXPECT_EQ(table.values.size(), 300u);
    for (std::size_t i = 0; i < routes->size(); ++i) {
        ASSERT_EQ(table.routes[i].where, (*routes)[i].where);
        ASSERT_EQ(table.values[table.routes[i].hop], hop_for((*routes)[i].where));
    }
}

TEST(mrt_table_writer, TheInternetIsReadBackIPv4) {
    round_trip<ipv4_address>(real_or_small("tier1-v4", "ipv4"));
}
TEST(mrt_table_writer, TheInternetIsReadBackIPv6) {
    round_trip<ipv6_address>(real_or_small("tier1-v6", "ipv6"));
}

} // namespace
} // namespace fingerpost::testing
