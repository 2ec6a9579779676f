// Tables made of MRT files: the peers whose routes they take, the best routes, their answers, and files
// without a table.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "io/source/mrt/mrt_table.hpp"
#include "tests/support/images.hpp"
#include "tests/support/mrt_writer.hpp"

namespace fingerpost::testing::of_mrt_table_load {
namespace {

using io::mrt_choice;
using io::mrt_values;

enum type : unsigned { table_dump_type = 12, v2_type = 13, bgp4mp_type = 16 };
enum subtype : unsigned { peers = 1, v4 = 2, v4_multicast = 3, v6 = 4, v4_with_ids = 8 };

octets in_v2(unsigned subtype, const octets& body) {
    return record(10, v2_type, subtype, body);
}
// Numbers 0 to 2.
octets three_peers() {
    return in_v2(peers, peer_index({{"192.0.2.3", 64'503}, {"192.0.2.1", 64'501}, {"2001:db8::1", 64'501}}));
}
octets attributes(std::initializer_list<std::uint32_t> path, std::string_view next_hop) {
    return as_path(4, path) + next_hop_attribute(next_hop);
}

struct loaded {
    std::string text; // a line for each route: prefix and cells
    std::string error;
    io::mrt_report report;
    io::both_tables tables;
};

template <class A>
void list(const io::loaded_table<A>& table, std::string& into) {
    for (const route<A>& r : table.routes) {
        into += to_string(r.where);
        for (std::size_t column = 0; column < table.values.columns(); ++column)
            into += " " + std::string(table.values.cell(r.hop, column));
        into += "\n";
    }
}

loaded load_file(const fs::path& path, const mrt_choice& choice = {}, const io::table_options& options = {}) {
    loaded all;
    auto made = io::load_mrt_table(path.string(), options, choice, &all.report);
    if (!made) {
        all.error = made.error().reason;
        return all;
    }
    list(made->ipv4, all.text);
    list(made->ipv6, all.text);
    all.tables = std::move(*made);
    return all;
}
loaded load(const octets& stream, const mrt_choice& choice = {}, const io::table_options& options = {}) {
    const scratch_folder folder;
    write_file(folder / "table", stream.view());
    return load_file(folder / "table", choice, options);
}
mrt_choice of_peer(std::string_view name, mrt_values values = mrt_values::next_hop) {
    const auto peer = io::parse_peer(name);
    EXPECT_TRUE(peer) << name;
    return {peer.value_or(io::peer_choice()), values};
}

TEST(mrt_table, NamesOfPeers) {
    EXPECT_EQ(std::get<any_address>(*io::parse_peer("192.0.2.1")),
              any_address(*parse_address<ipv4_address>("192.0.2.1")));
    EXPECT_EQ(std::get<any_address>(*io::parse_peer("2001:db8::1")),
              any_address(*parse_address<ipv6_address>("2001:db8::1")));
    EXPECT_EQ(std::get<io::peers_of_as>(*io::parse_peer("AS4294967295")).as, 4'294'967'295u);
    EXPECT_EQ(std::get<io::peers_of_as>(*io::parse_peer("as1")).as, 1u);
    EXPECT_EQ(std::get<io::numbered_peer>(*io::parse_peer("65535")).number, 65'535u);
    for (const char* wrong : {"", "AS", "AS4294967296", "ASx", "65536", "-1", "192.0.2", "::g", "peer", "1 "})
        EXPECT_FALSE(io::parse_peer(wrong)) << wrong;
}

TEST(mrt_table, TheShortestPathIsBestThenTheLowestPeer) {
    const octets longer = attributes({1, 2, 3}, "10.9.9.9");
    const octets all =
        three_peers() +
        in_v2(v4, rib("10.0.0.0/8", {rib_entry(1, longer), rib_entry(0, attributes({1, 2}, "10.9.9.1"))})) +
        in_v2(v4, rib("10.1.0.0/16", {rib_entry(0, attributes({5}, "10.9.9.1")), rib_entry(1, longer),
                                      rib_entry(1, attributes({6}, "10.9.9.2"))})) +
        // IPv4 peers are lower than IPv6 ones.
        in_v2(v4, rib("10.2.0.0/16", {rib_entry(2, attributes({5}, "10.9.9.1")),
                                      rib_entry(0, attributes({6}, "10.9.9.2"))})) +
        // A set counts as one AS.
        in_v2(v4, rib("10.3.0.0/16",
                      {rib_entry(1, attributes({5, 6, 7}, "10.9.9.1")),
                       rib_entry(0, attribute(2, path_segment(4, {9}) +
                                                     path_segment(4, {5, 6, 7}, segment::set)))})) +
        // A route without a path is the peer's own.
        in_v2(v4, rib("10.4.0.0/16", {rib_entry(1, attributes({5}, "10.9.9.1")), rib_entry(0, {})}));
    EXPECT_EQ(load(all, {{}, mrt_values::all}).text, "10.0.0.0/8 10.9.9.1 192.0.2.3 64503 2\n"
                                                     "10.1.0.0/16 10.9.9.2 192.0.2.1 64501 6\n"
                                                     "10.2.0.0/16 10.9.9.2 192.0.2.3 64503 6\n"
                                                     "10.3.0.0/16  192.0.2.3 64503 {5,6,7}\n"
                                                     "10.4.0.0/16  192.0.2.3 64503 \n");
}

TEST(mrt_table, PathIdentifiersAndValuesDecideLast) {
    const octets ids =
        three_peers() + in_v2(v4_with_ids, rib("10.0.0.0/8", {rib_entry(1, attributes({5}, "10.9.9.1"), 7),
                                                              rib_entry(1, attributes({5}, "10.9.9.2"), 3)}));
    EXPECT_EQ(load(ids).text, "10.0.0.0/8 10.9.9.2\n");
    const octets equal =
        three_peers() + in_v2(v4, rib("10.0.0.0/8", {rib_entry(1, attributes({5}, "10.9.9.2")),
                                                     rib_entry(1, attributes({5}, "10.9.9.1"))}));
    EXPECT_EQ(load(equal).text, "10.0.0.0/8 10.9.9.1\n");
}

TEST(mrt_table, OneValueOrAll) {
    const octets all =
        three_peers() +
        in_v2(v6, rib("2001:db8::/32", {rib_entry(2, as_path(4, {7, 8}) + mp_next_hop("2001:db8::9"))})) +
        in_v2(v4, rib("0.0.0.0/0", {rib_entry(0, attributes({7}, "10.9.9.9"))}));
    const auto columns = [](const loaded& made) {
        std::string names;
        for (std::size_t i = 0; i < made.tables.ipv6.values.columns(); ++i)
            names += std::string(made.tables.ipv6.values.name(i)) + " ";
        return names;
    };
    const loaded hops = load(all);
    EXPECT_EQ(hops.text, "0.0.0.0/0 10.9.9.9\n2001:db8::/32 2001:db8::9\n");
    EXPECT_EQ(columns(hops), "next_hop ");
    const loaded whose = load(all, {{}, mrt_values::peer});
    EXPECT_EQ(whose.text, "0.0.0.0/0 192.0.2.3\n2001:db8::/32 2001:db8::1\n");
    EXPECT_EQ(columns(whose), "peer_address ");
    const loaded origins = load(all, {{}, mrt_values::origin_as});
    EXPECT_EQ(origins.text, "0.0.0.0/0 7\n2001:db8::/32 8\n");
    EXPECT_EQ(columns(origins), "origin_as ");
    EXPECT_EQ(columns(load(all, {{}, mrt_values::all})), "next_hop peer_address peer_as origin_as ");
}

TEST(mrt_table, OnePeer) {
    const octets all =
        three_peers() +
        in_v2(v4, rib("10.0.0.0/8", {rib_entry(0, attributes({1}, "10.9.9.1")),
                                     rib_entry(1, attributes({1, 2}, "10.9.9.2"))})) +
        in_v2(v4, rib("10.1.0.0/16", {rib_entry(0, attributes({1}, "10.9.9.3"))})) +
        in_v2(v6, rib("2001:db8::/32", {rib_entry(2, as_path(4, {7}) + mp_next_hop("2001:db8::9"))}));
    EXPECT_EQ(load(all, of_peer("192.0.2.1")).text, "10.0.0.0/8 10.9.9.2\n");
    EXPECT_EQ(load(all, of_peer("2001:db8::1")).text, "2001:db8::/32 2001:db8::9\n");
    EXPECT_EQ(load(all, of_peer("AS64501")).text, "10.0.0.0/8 10.9.9.2\n2001:db8::/32 2001:db8::9\n");
    EXPECT_EQ(load(all, of_peer("0")).text, "10.0.0.0/8 10.9.9.1\n10.1.0.0/16 10.9.9.3\n");
    EXPECT_EQ(load(all, of_peer("2")).text, "2001:db8::/32 2001:db8::9\n");
    EXPECT_EQ(load(all, of_peer("AS1")).error,
              "no routes of this peer; peers: 192.0.2.1 (AS64501), 192.0.2.3 (AS64503), 2001:db8::1 "
              "(AS64501)");
}

TEST(mrt_table, OneFamily) {
    const octets all = three_peers() +
                       in_v2(v6, rib("2001:db8::/32", {rib_entry(2, mp_next_hop("2001:db8::9"))})) +
                       in_v2(v4, rib("0.0.0.0/0", {rib_entry(0, attributes({7}, "10.9.9.9"))}));
    const loaded six = load(all, {}, {.only = family::ipv6});
    EXPECT_EQ(six.text, "2001:db8::/32 2001:db8::9\n");
    EXPECT_EQ(six.tables.ipv6.counts.other_family, 1u);
    EXPECT_EQ(load(all, {}, {.only = family::ipv4}).text, "0.0.0.0/0 10.9.9.9\n");
}

// Records in any order, entries in any order within them, as TABLE_DUMP and as TABLE_DUMP_V2.
TEST(mrt_table, TheOrderOfTheFileDoesNotMatter) {
    struct dumped {
        std::string prefix, peer, hop;
        unsigned as, length;
    };
    std::vector<dumped> all;
    for (unsigned i = 0; i < 300; ++i)
        all.push_back({"10." + std::to_string(i % 37) + ".0.0", "192.0.2." + std::to_string(i % 5),
                       "10.9.9." + std::to_string(i % 11), 64'500 + i % 2, 1 + i % 3});
    std::mt19937 random(7);
    std::string first;
    for (int round = 0; round < 20; ++round) {
        octets stream;
        for (const dumped& d : all) {
            octets path = octets().u8(2).u8(d.length);
            for (unsigned k = 0; k < d.length; ++k)
                path.u16(k + 1);
            const octets entry =
                table_dump_entry(d.prefix, 16, d.peer, d.as, attribute(2, path) + next_hop_attribute(d.hop));
            stream.add(record(10, table_dump_type, 1, table_dump(entry)));
        }
        const loaded made = load(stream, {{}, mrt_values::all});
        EXPECT_EQ(made.tables.ipv4.routes.size(), 37u) << made.error;
        first = first.empty() ? made.text : first;
        EXPECT_EQ(made.text, first);
        std::shuffle(all.begin(), all.end(), random);
    }
    EXPECT_EQ(first.substr(0, first.find('\n')), "10.0.0.0/16 10.9.9.0 192.0.2.0 64500 1");
}

TEST(mrt_table, DamageIsSkippedAndReported) {
    const octets head = three_peers();
    const octets whole = in_v2(v4, rib("10.0.0.0/8", {rib_entry(0, attributes({1}, "10.9.9.1"))}));
    const octets bad = in_v2(v4, rib("10.1.0.0/16", {rib_entry(9, {})}));
    const loaded made = load(head + bad + whole);
    EXPECT_EQ(made.text, "10.0.0.0/8 10.9.9.1\n");
    ASSERT_EQ(made.report.damaged.size(), 1u);
    EXPECT_EQ(made.report.damaged[0].offset, head.size());
    EXPECT_EQ(made.report.damaged[0].reason, "an entry has a peer index that is not in the table of peers");
    EXPECT_EQ(made.report.counted.damaged, 1u);
    const loaded none = load(bad);
    EXPECT_EQ(none.error,
              "no readable MRT record; byte 0: an entry has a peer index that is not in the table "
              "of peers");
}

TEST(mrt_table, FilesWithoutATable) {
    const octets announced =
        update({}, as_path(2, {1}) + next_hop_attribute("10.9.9.1"), prefixes({"10.0.0.0/8"}));
    const octets updates = record(10, bgp4mp_type, 1, session(2, 1, "192.0.2.1") + announced);
    EXPECT_EQ(load(updates).error,
              "the file has updates, not a table; `fingerpost replay` applies them to a table");
    const octets change = session(2, 1, "192.0.2.1").u16(1).u16(2);
    EXPECT_EQ(load(record(10, bgp4mp_type, 0, change)).error,
              "the file has updates, not a table; `fingerpost replay` applies them to a table");
    EXPECT_EQ(load({}).error, "the file has no MRT records");
    const std::string noise(100, 'x');
    octets text;
    for (const char c : noise)
        text.u8(static_cast<unsigned char>(c));
    EXPECT_EQ(load(text).error, "no readable MRT record; byte 0: no record begins here");
    EXPECT_EQ(load(three_peers()).error, "");
    const loaded multicast = load(three_peers() + in_v2(v4_multicast, rib("10.0.0.0/8", {rib_entry(0, {})})));
    EXPECT_EQ(multicast.error, "the file has only multicast routes");
    EXPECT_EQ(multicast.report.multicast, 1u);
    const scratch_folder folder;
    EXPECT_NE(load_file(folder / "missing").error.find("No such file"), std::string::npos);
    // Updates between the routes of a table are counted.
    const loaded both = load(three_peers() + updates +
                             in_v2(v4, rib("10.0.0.0/8", {rib_entry(0, attributes({1}, "10.9.9.1"))})));
    EXPECT_EQ(both.text, "10.0.0.0/8 10.9.9.1\n");
    EXPECT_EQ(both.report.updates, 1u);
}

// More candidates than are kept at once: each prefix comes once, with the best of all.
TEST(mrt_table, ManyRoutesOfOnePrefixFarApart) {
    octets stream;
    for (unsigned peer = 1; peer <= 9; ++peer)
        for (unsigned i = 0; i < 9'000; ++i) {
            const std::string base = "10." + std::to_string(i / 256) + "." + std::to_string(i % 256) + ".0";
            octets path = octets().u8(2).u8(1 + (peer + i) % 9);
            for (unsigned k = 0; k < 1 + (peer + i) % 9; ++k)
                path.u16(100 + peer);
            stream.add(record(10, table_dump_type, 1,
                              table_dump(table_dump_entry(base, 24, "192.0.2." + std::to_string(peer),
                                                          100 + peer, attribute(2, path)))));
        }
    const loaded made = load(stream, {{}, mrt_values::origin_as});
    ASSERT_EQ(made.tables.ipv4.routes.size(), 9'000u);
    for (unsigned i = 0; i < 9'000; ++i) {
        const unsigned best = 9 - i % 9; // with this number (peer + i) is a multiple of 9
        EXPECT_EQ(made.tables.ipv4.values[made.tables.ipv4.routes[i].hop], std::to_string(100 + best));
    }
}

} // namespace
} // namespace fingerpost::testing::of_mrt_table_load
