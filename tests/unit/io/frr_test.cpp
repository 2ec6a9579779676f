// Tables that FRR prints in JSON: which of several routes counts, and what its columns are.
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "tests/support/tables/table_readers.hpp"

namespace fingerpost::io {
namespace {

using enum table_format;

// As FRR 8.4 writes it, with the members that do not matter left out.
constexpr std::string_view rib = R"({
  "0.0.0.0/0":[
    {"prefix":"0.0.0.0/0", "prefixLen":0, "protocol":"bgp", "vrfName":"default", "selected":true, "destSelected":true,
     "distance":20, "metric":0, "installed":true, "nexthops":[
      {"flags":5, "ip":"203.0.113.1", "afi":"ipv4", "active":true, "recursive":true, "weight":1},
      {"flags":3, "fib":true, "ip":"192.0.2.1", "afi":"ipv4", "interfaceIndex":2, "interfaceName":"eth0", "resolver":true, "active":true},
      {"flags":3, "fib":true, "ip":"192.0.2.2", "afi":"ipv4", "interfaceIndex":3, "interfaceName":"eth1", "resolver":true, "active":true}]},
    {"prefix":"0.0.0.0/0", "protocol":"static", "distance":200, "metric":0, "nexthops":[{"ip":"192.0.2.9", "active":true}]}],
  "10.9.0.0\/16":[
    {"prefix":"10.9.0.0\/16", "protocol":"connected", "selected":true, "distance":0, "metric":0,
     "nexthops":[{"flags":3, "fib":true, "directlyConnected":true, "interfaceName":"eth0", "active":true}]}],
  "10.10.0.0/16":[
    {"protocol":"static", "selected":true, "distance":1, "metric":0,
     "nexthops":[{"fib":true, "unreachable":true, "blackhole":true, "active":true}]}],
  "10.11.0.0/16":[
    {"protocol":"static", "selected":true, "distance":1, "metric":0,
     "nexthops":[{"fib":true, "unreachable":true, "reject":true, "active":true}]}],
  "10.12.0.0/16":[
    {"protocol":"static", "distance":1, "metric":0, "nexthops":[{"ip":"192.0.2.77"}]}]
})";

TEST(frr, TheSelectedRouteCounts) {
    EXPECT_EQ(rows_in_chunks(frr_route, rib), "next_hop,dev,protocol,distance,metric|"
                                              "0.0.0.0/0=192.0.2.1,192.0.2.2,eth0,eth1,bgp,20,0;"
                                              "10.9.0.0/16=eth0,eth0,connected,0,0;"
                                              "10.10.0.0/16=blackhole,,static,1,0;"
                                              "10.11.0.0/16=unreachable,,static,1,0;");
    EXPECT_EQ(read_both(frr_route, rib)->ipv4.counts.not_best, 2U);
    EXPECT_EQ(rows_in_chunks(frr_route, rib, {.values = {"protocol"}}).substr(0, 22),
              "protocol|0.0.0.0/0=bgp");
    EXPECT_EQ(
        rows_in_chunks(frr_route,
                       R"({"2001:db8::/32":[{"protocol":"ospf6","selected":true,"distance":110,"metric":20,
        "nexthops":[{"fib":true,"ip":"fe80::1","afi":"ipv6","interfaceName":"eth0"}]}]})"),
        "next_hop,dev,protocol,distance,metric|2001:db8::/32=fe80::1,eth0,ospf6,110,20;");
    EXPECT_EQ(rows_in_chunks(frr_route, "{}"), "next_hop,dev,protocol,distance,metric|");
    EXPECT_EQ(found_format(rib), "frr-route");
}

TEST(frr, WhatIsNoTableOfRoutesIsRefused) {
    EXPECT_EQ(rows_in_chunks(frr_route, "{\n\"10.0.0.0/99\":[{\"selected\":true}]}"),
              "t:2: '10.0.0.0/99': prefix length 99 is longer than 32");
    EXPECT_EQ(rows_in_chunks(frr_route, "{\"10.0.0.0/8\":[{\"selected\":tru}]}").substr(0, 46),
              "t:1: '[{\"selected\":tru}]': not valid JSON: syntax err");
    EXPECT_EQ(rows_in_chunks(frr_bgp, "{\"a\":1}"), "t: 'routes': the document has no such member");
}

// FRR 8 prints an object for each VRF, one after the other; later versions one object with all of them.
TEST(frr, TheRoutesOfTheDefaultVrfAreRead) {
    const auto routes = [](std::string_view vrf, std::string_view table, std::string_view hop) {
        return std::string(R"({"10.0.0.0/8":[{"protocol":"static","vrfName":")")
            .append(vrf)
            .append(R"(","table":)")
            .append(table)
            .append(R"(,"selected":true,"nexthops":[{"fib":true,"ip":")")
            .append(hop)
            .append("\"}]}]}");
    };
    const std::string blue = routes("blue", "1001", "192.0.2.9"),
                      main = routes("default", "254", "192.0.2.1"),
                      other = routes("default", "100", "192.0.2.5");
    const auto hops = [](std::string table) {
        return table_options{.values = {"next_hop"}, .routing_table = std::move(table)};
    };
    for (const std::string& document :
         {blue + "\n" + main + "\n" + other + "\n",
          "{\"blue\":" + blue + ",\"red\":{},\"default\":" + main + "}\n" + other}) {
        EXPECT_EQ(rows_in_chunks(frr_route, document, hops("")), "next_hop|10.0.0.0/8=192.0.2.1;");
        EXPECT_EQ(rows_in_chunks(frr_route, document, hops("blue")), "next_hop|10.0.0.0/8=192.0.2.9;");
        EXPECT_EQ(rows_in_chunks(frr_route, document, hops("100")), "next_hop|10.0.0.0/8=192.0.2.5;");
        EXPECT_EQ(read_both(frr_route, document)->ipv4.counts.left_out, 2U);
        EXPECT_EQ(found_format(document), "frr-route");
    }
    EXPECT_EQ(rows_in_chunks(frr_route, "{\"red\":{},\"blue\":" + blue + "}", hops("")),
              "next_hop|10.0.0.0/8=192.0.2.9;");
    EXPECT_EQ(rows_in_chunks(frr_route, "{\"default\":{}}", hops("")), "next_hop|");
}

TEST(frr, ThePathsOfTheDefaultInstanceAreRead) {
    const auto paths = [](std::string_view hop) {
        return std::string(
                   R"({"vrfName":"x","routerId":"192.0.2.9","routes":{"10.0.0.0/8":[{"bestpath":true,"path":"1",)")
            .append(R"("nexthops":[{"ip":")")
            .append(hop)
            .append("\"}]}]}}");
    };
    const std::string all = "{\"blue\":" + paths("192.0.2.2") + ",\"default\":" + paths("192.0.2.1") + "}";
    EXPECT_EQ(rows_in_chunks(frr_bgp, all, {.values = {"next_hop"}}), "next_hop|10.0.0.0/8=192.0.2.1;");
    EXPECT_EQ(rows_in_chunks(frr_bgp, all, {.values = {"next_hop"}, .routing_table = "blue"}),
              "next_hop|10.0.0.0/8=192.0.2.2;");
    EXPECT_EQ(found_format(all), "frr-bgp");
}

constexpr std::string_view bgp_document = R"json({
 "vrfId": 0, "vrfName": "default", "tableVersion": 3, "routerId": "192.0.2.9", "defaultLocPrf": 100, "localAS": 64500,
 "routes": { "10.0.0.0/8": [
  {"valid":true, "pathFrom":"external", "prefix":"10.0.0.0", "prefixLen":8, "network":"10.0.0.0\/8", "metric":5,
   "weight":0, "peerId":"192.0.2.2", "path":"64502 64503", "origin":"IGP", "nexthops":[{"ip":"192.0.2.2","afi":"ipv4","used":true}]},
  {"valid":true, "bestpath":true, "pathFrom":"external", "metric":0, "locPrf":200, "peerId":"192.0.2.1", "path":"64501 64504",
   "origin":"IGP", "nexthops":[{"ip":"192.0.2.1","hostname":"r1","afi":"ipv4","used":true}]}
 ],"10.1.0.0/16": [{"valid":true, "bestpath":{"overall":true}, "aspath":{"string":"64501 {7,8}"}, "peer":{"peerId":"192.0.2.1"},
   "nexthops":[{"ip":"192.0.2.1"}]}]
 ,"10.2.0.0/16": [{"valid":true, "bestpath":true, "peerId":"(unspec)", "path":"", "weight":32768, "nexthops":[{"ip":"0.0.0.0","used":true}]}]
 ,"10.3.0.0/16": [{"valid":false, "path":"1"}]
 ,"10.4.0.0/16": {"prefix":"10.4.0.0/16", "paths":[{"bestpath":{"overall":true}, "aspath":{"string":"9"}, "med":4, "nexthops":[]}]}
 }, "totalRoutes": 5 })json";

TEST(frr, TheBestPathCounts) {
    EXPECT_EQ(rows_in_chunks(frr_bgp, bgp_document), "next_hop,origin_as,peer,path,local_pref,med|"
                                                     "10.0.0.0/8=192.0.2.1,64504,192.0.2.1,64501 64504,200,0;"
                                                     "10.1.0.0/16=192.0.2.1,{7,8},192.0.2.1,64501 {7,8},,;"
                                                     "10.2.0.0/16=0.0.0.0,,(unspec),,,;"
                                                     "10.4.0.0/16=,9,,9,,4;");
    EXPECT_EQ(read_both(frr_bgp, bgp_document)->ipv4.counts.not_best, 2U);
    EXPECT_EQ(found_format(bgp_document), "frr-bgp");
    EXPECT_EQ(
        rows_in_chunks(
            frr_bgp,
            R"({"routerId":"1.1.1.1","routes":{"2001:db8::/32":[{"bestpath":true,"path":"1","peerId":"fe80::1",
        "nexthops":[{"ip":"2001:db8::1","scope":"global"},{"ip":"fe80::1","scope":"link-local","used":true}]}]}})"),
        "next_hop,origin_as,peer,path,local_pref,med|2001:db8::/32=fe80::1,1,fe80::1,1,,;");
}

} // namespace
} // namespace fingerpost::io
