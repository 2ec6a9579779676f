// Routes from files, valid and invalid.
#include "router/routes/file/file_routes.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "io/source/any_table.hpp"
#include "router/tests/routes/recording_sink.hpp"
#include "tests/support/mrt_writer.hpp"

namespace fingerpost::router {
namespace {

using namespace testing;

struct file_source_of_routes : ::testing::Test {
    std::string path = (std::filesystem::temp_directory_path() /
                        ("fingerpost-routes-" + std::to_string(::getpid()) + ".txt"))
                           .string();
    recorded_routes sink;
    file_routes routes{sink, path, [](std::string_view name) -> std::optional<std::uint32_t> {
                           if (name == "eth0" || name == "blackhole")
                               return 4;
                           return std::nullopt;
                       }};

    ~file_source_of_routes() override { std::filesystem::remove(path); }
    std::string load(const std::string& text) {
        std::ofstream(path) << text;
        const auto failed = routes.load();
        return failed ? io::message(*failed) : "";
    }
};

TEST_F(file_source_of_routes, every_kind_of_next_hop) {
    EXPECT_EQ(load("10.0.0.0/8 192.0.2.1\n20.0.0.0/8 2001:db8::1 # of the other family\n"
                   "2001:db8::/32 fe80::1%eth0\n0.0.0.0/0 eth0\n::/0 port:blackhole\n"
                   "30.0.0.0/8 blackhole\n31.0.0.0/8 unreachable\n32.0.0.0/8 prohibit\n"),
              "");
    const std::map<any_prefix, route_target> expected = {
        {network("10.0.0.0/8"), destination{action::forward, {by("192.0.2.1")}}},
        {network("20.0.0.0/8"), destination{action::forward, {by("2001:db8::1")}}},
        {network("2001:db8::/32"), destination{action::forward, {by("fe80::1", 4)}}},
        {network("0.0.0.0/0"), destination{action::forward, {by("", 4)}}},
        {network("::/0"), destination{action::forward, {by("", 4)}}},
        {network("30.0.0.0/8"), destination{action::blackhole, {}}},
        {network("31.0.0.0/8"), destination{action::unreachable, {}}},
        {network("32.0.0.0/8"), destination{action::prohibit, {}}},
    };
    EXPECT_EQ(sink.routes, expected);
    EXPECT_EQ(sink.commits, 1U);
    EXPECT_EQ(routes.routes(), 8U);
}

TEST_F(file_source_of_routes, vrfs_have_files_of_their_own) {
    const std::string red = path + ".red";
    file_routes both(sink, path, [](std::string_view) { return std::nullopt; }, {{1, red}});
    std::ofstream(path) << "10.0.0.0/8 192.0.2.1\n";
    std::ofstream(red) << "10.0.0.0/8 192.0.2.2\n11.0.0.0/8 blackhole\n";
    EXPECT_FALSE(both.load());
    EXPECT_EQ(both.routes(), 3U);
    EXPECT_EQ(sink.commits, 1U);
    EXPECT_EQ(sink.resolved(network("10.0.0.0/8")), forward({by("192.0.2.1")}));
    EXPECT_EQ(sink.resolved(network("10.0.0.0/8"), 1), forward({by("192.0.2.2")}));
    EXPECT_FALSE(sink.resolved(network("11.0.0.0/8")));
    std::ofstream(path) << "12.0.0.0/8 192.0.2.1\n";
    std::ofstream(red) << "10.0.0.0/8 nowhere\n";
    const auto failed = both.load();
    ASSERT_TRUE(failed) << "a fault in one file leaves all as they were";
    EXPECT_NE(io::message(*failed).find(".red"), std::string::npos) << io::message(*failed);
    EXPECT_FALSE(sink.resolved(network("12.0.0.0/8")));
    std::filesystem::remove(red);
}

TEST_F(file_source_of_routes, loading_again_replaces_all_in_one_commit) {
    EXPECT_EQ(load("10.0.0.0/8 192.0.2.1\n11.0.0.0/8 192.0.2.1\n"), "");
    EXPECT_EQ(load("11.0.0.0/8 192.0.2.2\n12.0.0.0/8 192.0.2.1\n"), "");
    EXPECT_EQ(sink.routes.size(), 2U);
    EXPECT_FALSE(sink.resolved(network("10.0.0.0/8")));
    EXPECT_EQ(sink.resolved(network("11.0.0.0/8")), (destination{action::forward, {by("192.0.2.2")}}));
    EXPECT_EQ(sink.commits, 2U);
    EXPECT_EQ(sink.uncommitted, 0U);
}

TEST_F(file_source_of_routes, errors_change_nothing) {
    EXPECT_EQ(load("10.0.0.0/8 192.0.2.1\n"), "");
    const auto before = sink.routes;
    EXPECT_EQ(load("11.0.0.0/8 192.0.2.1\n2001:db8::/32 eth9\n"),
              path +
                  ": '2001:db8::/32 eth9': not an address, an interface, blackhole, unreachable or prohibit");
    EXPECT_EQ(load("11.0.0.0/8 fe80::1%eth9\n"),
              path + ": '11.0.0.0/8 fe80::1%eth9': there is no interface 'eth9'");
    EXPECT_EQ(load("11.0.0.0/8 port:\n"), path + ": '11.0.0.0/8 port:': there is no interface ''");
    EXPECT_EQ(load("11.0.0.0/8\n"), path + ": '11.0.0.0/8 ': a route needs a next hop");
    EXPECT_EQ(load("11.0.0.0/8 eth9\n11.0.0.0/8 eth0\n"),
              path + ": 'eth9': not an address, an interface, blackhole, unreachable or prohibit");
    EXPECT_NE(load("11.0.0.0/8 eth0\n11.0.0/8 eth0\n").find(path + ":2: '11.0.0/8'"), std::string::npos);
    std::filesystem::remove(path);
    EXPECT_TRUE(routes.load());
    EXPECT_EQ(sink.routes, before);
    EXPECT_EQ(sink.commits, 1U);
    EXPECT_EQ(sink.refreshes, 1U);
}

// Every file format must give the routes of the text.
TEST_F(file_source_of_routes, an_image_and_an_mrt_file) {
    const std::string text = "10.0.0.0/8 192.0.2.1\n20.0.0.0/8 blackhole\n2001:db8::/32 fe80::1%eth0\n";
    EXPECT_EQ(load(text), "");
    const auto wanted = sink.routes;
    const auto tables = io::load_both(path);
    ASSERT_TRUE(tables);
    const auto save = [&] {
        return save_both_images(path, fingerpost::routes(tables->ipv4.routes), tables->ipv4.values.view(),
                                fingerpost::routes(tables->ipv6.routes), tables->ipv6.values.view());
    };
    EXPECT_EQ(load("10.0.0.0/8 192.0.2.7\n"), "");
    ASSERT_FALSE(save().failed());
    const auto failed = routes.load();
    EXPECT_FALSE(failed) << io::message(*failed);
    EXPECT_EQ(sink.routes, wanted);
    EXPECT_EQ(routes.routes(), 3U);

    namespace mrt = fingerpost::testing;
    const mrt::octets entry =
        mrt::rib_entry(0, mrt::as_path(4, {64'501}) + mrt::next_hop_attribute("192.0.2.9"));
    const mrt::octets recorded = mrt::record(10, 13, 1, mrt::peer_index({{"192.0.2.1", 64'501}})) +
                                 mrt::record(10, 13, 2, mrt::rib("10.0.0.0/8", {entry}));
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(recorded.view().data()),
               static_cast<std::streamsize>(recorded.size()));
    EXPECT_FALSE(routes.load());
    EXPECT_EQ(sink.routes.size(), 1U);
    EXPECT_EQ(sink.resolved(network("10.0.0.0/8")), (destination{action::forward, {by("192.0.2.9")}}));
}

TEST_F(file_source_of_routes, a_damaged_image_changes_nothing) {
    EXPECT_EQ(load("10.0.0.0/8 192.0.2.1\n"), "");
    const auto before = sink.routes;
    const auto tables = io::load_both(path);
    ASSERT_TRUE(tables);
    ASSERT_FALSE(
        ipv4_image::save(path, fingerpost::routes(tables->ipv4.routes), tables->ipv4.values.view()).failed());
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(600) << 'x';
    const auto failed = routes.load();
    ASSERT_TRUE(failed);
    EXPECT_NE(io::message(*failed).find(path + ": byte "), std::string::npos) << io::message(*failed);
    // Plain numbers are not valid next hops.
    ASSERT_FALSE(ipv4_image::save(path, fingerpost::routes<ipv4_address>(
                                            {{*parse_prefix<ipv4_address>("10.0.0.0/8"), {7}}}))
                     .failed());
    const auto number = routes.load();
    ASSERT_TRUE(number);
    EXPECT_EQ(io::message(*number),
              path + ": '10.0.0.0/8 7': not an address, an interface, blackhole, unreachable or prohibit");
    EXPECT_EQ(sink.routes, before);
    EXPECT_EQ(sink.commits, 1U);
}

} // namespace
} // namespace fingerpost::router
