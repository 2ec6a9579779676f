// One table as text, as an MRT file and as an image through the same door, and what it refuses.
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "io/source/any_table.hpp"
#include "tests/support/images.hpp"
#include "tests/support/mrt_writer.hpp"

namespace fingerpost::testing {
namespace {

constexpr std::string_view text = "network,asn,country\n"
                                  "10.0.0.0/8,64500,CH\n10.1.0.0/16,64501,\n192.0.2.0/24,64500,CH\n"
                                  "2001:db8::/32,64502,IT\n";

template <class A>
void list(const io::loaded_table<A>& table, std::string& into) {
    for (std::size_t i = 0; i < table.values.columns(); ++i)
        into.append(table.values.name(i)).append(" ");
    into += "\n";
    for (const route<A>& one : table.routes) {
        into += to_string(one.where);
        for (std::size_t i = 0; i < table.values.columns(); ++i)
            into.append("|").append(table.values.cell(one.hop, i));
        into += "\n";
    }
}
std::string listed(const expected<io::both_tables, io::input_error>& made) {
    if (!made)
        return io::message(made.error());
    std::string all;
    list(made->ipv4, all);
    list(made->ipv6, all);
    return all;
}

struct any_table : ::testing::Test {
    scratch_folder folder;

    std::string file(const char* name, std::string_view bytes) {
        std::ofstream(folder / name, std::ios::binary) << bytes;
        return (folder / name).string();
    }
    // The tables of a file as an image.
    std::string image_of(const std::string& path) {
        auto made = io::load_both(path);
        EXPECT_TRUE(made);
        const std::string to = path + ".image";
        EXPECT_FALSE(save_both_images(to, routes(made->ipv4.routes), made->ipv4.values.view(),
                                      routes(made->ipv6.routes), made->ipv6.values.view())
                         .failed());
        return to;
    }
};

TEST_F(any_table, AnImageHasTheRoutesOfItsText) {
    const std::string path = file("table.csv", text);
    const std::string image = image_of(path);
    const std::string whole = listed(io::load_both(path));
    EXPECT_NE(whole.find("10.1.0.0/16|64501|\n"), std::string::npos) << whole;
    EXPECT_EQ(listed(io::load_both(image)), whole);
    const std::vector<io::read_options> choices = {{.table = {.only = family::ipv4}},
                                                   {.table = {.only = family::ipv6}},
                                                   {.table = {.values = {"country"}}},
                                                   {.table = {.values = {"country", "asn"}}}};
    for (const io::read_options& how : choices) {
        const auto from_text = io::load_both(path, how);
        const auto from_image = io::load_both(image, how);
        EXPECT_EQ(listed(from_image), listed(from_text));
        EXPECT_EQ(from_image->ipv4.counts.other_family, from_text->ipv4.counts.other_family);
    }
    // Equal rows are stored once, even if dropped columns differed.
    EXPECT_EQ(io::load_both(image, {.table = {.values = {"country"}}})->ipv4.values.size(), 2U);
    EXPECT_EQ(listed(io::load_both(image, {.table = {.values = {"city"}}})),
              image + ": no column 'city'; columns: asn, country");
    EXPECT_EQ(listed(io::load_both(image, {.table = {.values = {"asn", "asn"}}})),
              image + ": the column 'asn' is named twice");
}

TEST_F(any_table, AnImageStaysMapped) {
    const std::string image = image_of(file("table.csv", text));
    std::vector<std::string> told;
    io::read_options how;
    how.table.on_understood = [&](const std::string& words) { told.push_back(words); };
    auto found = io::open_tables(image, how);
    ASSERT_TRUE(found);
    const auto* const images = std::get_if<both_images>(&*found);
    ASSERT_NE(images, nullptr);
    EXPECT_EQ(images->ipv4->size(), 3U);
    EXPECT_EQ(images->ipv6->size(), 1U);
    EXPECT_EQ(told, std::vector<std::string>{"a table image"});
    EXPECT_EQ(*io::columns_of(*images, {}, "x"), (std::vector<std::string>{"asn", "country"}));
    // Anything else is read.
    auto text_found = io::open_tables(folder / "table.csv");
    ASSERT_TRUE(text_found);
    EXPECT_EQ(std::get<io::both_tables>(*text_found).ipv4.routes.size(), 3U);
}

TEST_F(any_table, NumbersAreTextsAndColumnsGoByName) {
    const std::array<std::string_view, 1> name{"city"};
    value_rows rows(name);
    const next_hop bern = rows.intern("Bern");
    const std::string path = (folder / "odd.image").string();
    const auto ten = prefix<ipv4_address>::make({0x0a000000}, 8);
    const auto all = prefix<ipv6_address>::make(ipv6_address::first(), 0);
    ASSERT_FALSE(save_both_images(path, routes<ipv4_address>({{ten, {64'500}}}), {},
                                  routes<ipv6_address>({{all, bern}}), rows.view())
                     .failed());
    EXPECT_EQ(listed(io::load_both(path)), "next_hop city \n10.0.0.0/8|64500|\nnext_hop city \n::/0||Bern\n");
    const auto one = io::load_table(path);
    ASSERT_FALSE(one);
    EXPECT_EQ(one.error().reason.find("the file has routes of both families"), 0U) << one.error().reason;
    const auto four = io::load_table(path, {.table = {.only = family::ipv4}});
    ASSERT_TRUE(four);
    EXPECT_EQ(std::get<io::loaded_table<ipv4_address>>(*four).routes.size(), 1U);
}

TEST_F(any_table, AnMrtFileIsOneTableMore) {
    const octets entry = rib_entry(0, as_path(4, {64'501, 64'502}) + next_hop_attribute("192.0.2.9"));
    const octets table = record(10, 13, 1, peer_index({{"192.0.2.1", 64'501}})) +
                         record(10, 13, 2, rib("10.0.0.0/8", {entry}));
    const auto path = (folder / "rib").string();
    write_file(path, table.view());
    EXPECT_EQ(listed(io::load_both(path)), "next_hop peer_address peer_as origin_as \n"
                                           "10.0.0.0/8|192.0.2.9|192.0.2.1|64501|64502\n"
                                           "next_hop peer_address peer_as origin_as \n");
    EXPECT_EQ(listed(io::load_both(path, {.table = {.values = {"origin_as"}}})),
              "origin_as \n10.0.0.0/8|64502\norigin_as \n");
    io::read_options how{.mrt = {.peer = {}, .values = io::mrt_values::next_hop}};
    std::uint64_t damaged = 0;
    how.on_recorded = [&](const io::mrt_report& found) { damaged += found.counted.damaged; };
    // A record of a table whose body is none.
    write_file(folder / "hurt", (table + record(10, 13, 2, octets().u8(1))).view());
    EXPECT_EQ(listed(io::load_both(folder / "hurt", how)), "next_hop \n10.0.0.0/8|192.0.2.9\nnext_hop \n");
    EXPECT_EQ(damaged, 1U);
}

TEST_F(any_table, SeveralTablesAreJoined) {
    std::vector<io::both_tables> all;
    all.push_back(*io::load_both(file("a.csv", text)));
    all.push_back(
        *io::load_both(image_of(file("b.csv", "network,city,asn\n10.1.0.0/16,Bern,1\n::/0,Rome,\n"))));
    all.push_back(*io::load_both(file("c.txt", "10.1.0.0/16 eth0\n")));
    all.push_back(*io::load_both(file("none.csv", "network,asn\n")));
    const io::joined_tables joined = io::join_tables(std::move(all));
    EXPECT_EQ(listed(joined.tables), "asn country city next_hop \n"
                                     "10.0.0.0/8|64500|CH||\n10.1.0.0/16||||eth0\n192.0.2.0/24|64500|CH||\n"
                                     "asn country city next_hop \n::/0|||Rome|\n2001:db8::/32|64502|IT||\n");
    EXPECT_EQ(joined.replaced, 2U);
}

TEST_F(any_table, DamageIsToldWithItsPlaceAndNothingIsLoaded) {
    const std::string image = image_of(file("table.csv", text));
    const std::string whole = read_file(image);
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size(); at += 61) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
        const auto read = io::load_both(file("hurt", bytes));
        const auto mapped = io::open_tables(folder / "hurt");
        ASSERT_FALSE(read) << at;
        ASSERT_FALSE(mapped) << at;
        EXPECT_EQ(io::message(read.error()), io::message(mapped.error()));
        EXPECT_EQ(read.error().file, (folder / "hurt").string());
        // Other first bytes make another format of it.
        if (at >= 8) {
            EXPECT_NE(read.error().reason.find("byte "), std::string::npos) << read.error().reason;
        }
        ++refused;
    }
    EXPECT_GE(refused, 30U);
    for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{200}})
        EXPECT_FALSE(io::load_both(file("cut", whole.substr(0, size))));
    auto source = io::file_source::open(image);
    ASSERT_TRUE(source);
    auto input = io::table_input::open(std::move(*source), "-");
    ASSERT_TRUE(input);
    const auto from_stdin = input->map();
    ASSERT_FALSE(from_stdin);
    EXPECT_NE(from_stdin.error().reason.find("must be in a file"), std::string::npos);
}

} // namespace
} // namespace fingerpost::testing
