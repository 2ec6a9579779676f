// Lists that others publish: ranges of clouds, RPKI payloads and databases of pyasn. What becomes of their
// entries, what is refused and where, and that the size of chunks changes nothing.
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "tests/support/tables/table_readers.hpp"

namespace fingerpost::io {
namespace {

using enum table_format;

constexpr std::string_view aws = R"({
  "syncToken": "1693948388",
  "createDate": "2023-09-05-21-13-08",
  "prefixes": [
    {"ip_prefix": "3.5.140.0/22", "region": "ap-northeast-2", "service": "AMAZON", "network_border_group": "ap-northeast-2"},
    {"ip_prefix": "15.230.0.0/24", "region": "GLOBAL", "service": "AMAZON", "network_border_group": "GLOBAL"},
    {"ip_prefix": "3.5.140.0/22", "region": "ap-northeast-2", "service": "S3", "network_border_group": "ap-northeast-2"}
  ],
  "ipv6_prefixes": [
    {"ipv6_prefix": "2a05:d07a:a000::/40", "region": "eu-south-1", "service": "AMAZON", "network_border_group": "eu-south-1"}
  ]
})";

TEST(cloud, ListsOfThreeClouds) {
    EXPECT_EQ(rows_in_chunks(cloud, aws),
              "service,region,provider,group|3.5.140.0/22=AMAZON,S3,ap-northeast-2,aws,ap-northeast-2;"
              "15.230.0.0/24=AMAZON,GLOBAL,aws,GLOBAL;"
              "2a05:d07a:a000::/40=AMAZON,eu-south-1,aws,eu-south-1;");
    EXPECT_EQ(
        rows_in_chunks(cloud, R"({"syncToken": "1", "creationTime": "2023-09-05T13:08:11", "prefixes": [{
        "ipv4Prefix": "34.1.208.0/20", "service": "Google Cloud", "scope": "africa-south1" }, {
        "ipv6Prefix": "2600:1900:8000::/44", "service": "Google Cloud", "scope": "africa-south1"}]})"),
        "service,region,provider,group|34.1.208.0/20=Google Cloud,africa-south1,google,;"
        "2600:1900:8000::/44=Google Cloud,africa-south1,google,;");
    EXPECT_EQ(rows_in_chunks(cloud, R"({"prefixes": [{"ipv4Prefix": "8.8.4.0/24"}]})"),
              "service,region,provider,group|8.8.4.0/24=,,google,;");
    EXPECT_EQ(rows_in_chunks(cloud, R"({"changeNumber": 297, "cloud": "Public", "values": [
        {"name": "Sql", "id": "Sql", "properties": {"changeNumber": 1, "region": "", "regionId": 0, "platform": "Azure",
         "systemService": "AzureSQL", "addressPrefixes": ["4.175.0.0/27", "2603:1000::/47"], "networkFeatures": ["API"]}},
        {"name": "Sql.WestEurope", "id": "Sql.WestEurope", "properties": {"region": "westeurope",
         "systemService": "AzureSQL", "addressPrefixes": ["4.175.0.0/27"]}}]})"),
              "service,region,provider,group|4.175.0.0/27=AzureSQL,westeurope,azure,Sql,Sql.WestEurope;"
              "2603:1000::/47=AzureSQL,,azure,Sql;");
    EXPECT_EQ(rows_in_chunks(cloud, aws, {.values = {"service"}}).substr(0, 39),
              "service|3.5.140.0/22=AMAZON,S3;15.230.0");
}

// Beginnings of the published files.
TEST(cloud, ListsOfOtherProviders) {
    EXPECT_EQ(rows_in_chunks(cloud, R"({"last_updated_timestamp": "2024-05-01T00:00:00.000000", "regions": [
        {"region": "us-phoenix-1", "cidrs": [{"cidr": "129.146.0.0/21", "tags": ["OCI"]},
         {"cidr": "134.70.8.0/21", "tags": ["OSN", "OBJECT_STORAGE"]}]}]})"),
              "service,region,provider,group|129.146.0.0/21=OCI,us-phoenix-1,oracle,;"
              "134.70.8.0/21=OSN,OBJECT_STORAGE,us-phoenix-1,oracle,;");
    EXPECT_EQ(rows_in_chunks(cloud, R"([{"id": 1, "serviceArea": "Exchange", "urls": ["outlook.office.com"],
        "ips": ["13.107.6.152/31", "2603:1006::/40"], "tcpPorts": "80,443", "category": "Optimize", "required": true},
        {"id": 5, "serviceArea": "Exchange", "urls": ["*.outlook.com"], "category": "Allow"}])"),
              "service,region,provider,group|13.107.6.152/31=Exchange,,microsoft365,Optimize;"
              "2603:1006::/40=Exchange,,microsoft365,Optimize;");
    EXPECT_EQ(
        rows_in_chunks(cloud, R"({"result":{"ipv4_cidrs":["173.245.48.0/20"],"ipv6_cidrs":["2400:cb00::/32"],
        "etag":"38f79d050aa027e3be3865e495dcc9bc"},"success":true,"errors":[],"messages":[]})"),
        "service,region,provider,group|173.245.48.0/20=,,cloudflare,;2400:cb00::/32=,,cloudflare,;");
    EXPECT_EQ(
        rows_in_chunks(cloud, R"({"addresses":["23.235.32.0/20"],"ipv6_addresses":["2a04:4e40::/32"]})"),
        "service,region,provider,group|23.235.32.0/20=,,fastly,;2a04:4e40::/32=,,fastly,;");
    EXPECT_EQ(
        rows_in_chunks(cloud, R"({"verifiable_password_authentication": false,
        "ssh_key_fingerprints": {"SHA256_RSA": "uNiVztksCsDhcc0u9e8BrwQF1y1RNj4W0Pl/jgiuoiE"},
        "ssh_keys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"],
        "hooks": ["192.30.252.0/22", "2a0a:a440::/29"], "web": ["192.30.252.0/22"], "domains": {"website": ["*.github.com"]}})"),
        "service,region,provider,group|192.30.252.0/22=hooks,web,,github,;2a0a:a440::/29=hooks,,github,;");
    EXPECT_EQ(rows_in_chunks(cloud, R"({"addresses":["23.235.32.0/20","x"]})").substr(0, 8), "t:1: 'x'");
}

TEST(cloud, WhatIsWrongIsToldWithItsLine) {
    EXPECT_EQ(
        rows_in_chunks(
            cloud, "{\"prefixes\": [\n{\"ip_prefix\": \"10.0.0.0/8\"},\n{\"ip_prefix\": \"10.0.0.0/40\"}]}"),
        "t:3: '10.0.0.0/40': prefix length 40 is longer than 32");
    EXPECT_EQ(rows_in_chunks(cloud,
                             "{\"prefixes\": [\n{\"ip_prefix\": \"x/8\"}, {\"ip_prefix\": \"10.0.0.0/8\"}]}",
                             {.skip_bad = 1}),
              "service,region,provider,group|10.0.0.0/8=,,aws,;");
    EXPECT_EQ(rows_in_chunks(cloud, "{\"prefixes\": [{\"name\": \"a\"}]}"),
              "t:1: 'a': an entry without ip_prefix, ipv6_prefix, ipv4Prefix, ipv6Prefix or a list "
              "properties.addressPrefixes");
    EXPECT_EQ(rows_in_chunks(cloud, "{\"a\": 1}"), "t: 'prefixes': the document has no such member");
    EXPECT_EQ(rows_in_chunks(cloud, aws, {.values = {"country"}}),
              "t: no column 'country'; columns: service, region, provider, group");
}

TEST(documents, TheirSkeletonIsChecked) {
    EXPECT_EQ(rows_in_chunks(cloud, ""), "t:1: expected a JSON object, found the end");
    EXPECT_EQ(rows_in_chunks(cloud, "[]"), "t: 'prefixes': the document has no such member");
    EXPECT_EQ(rows_in_chunks(vrps_json, "[]"), "t:1: '[': expected a JSON object");
    EXPECT_EQ(rows_in_chunks(cloud, "{\"prefixes\": [{\"ip_prefix\": \"10.0.0.0/8\"}"),
              "t:1: the document does not end");
    EXPECT_EQ(rows_in_chunks(cloud, "{\"prefixes\": [{\"ip_prefix\": \"10.0.0"),
              "t:1: '{\"ip_prefix\": \"10.0.0': the document does not end");
    EXPECT_EQ(rows_in_chunks(cloud, "{\"prefixes\": [{\"ip_prefix\": \"10.0.0.0/8\"},]}"),
              "t:1: ']': unexpected closing brace or bracket");
    EXPECT_EQ(rows_in_chunks(cloud, "{\"prefixes\": [}"), "t:1: '}': unexpected closing brace or bracket");
    EXPECT_EQ(rows_in_chunks(cloud, "{\"prefixes\": []} x"),
              "t:1: 'x': more follows the end of the document");
    EXPECT_EQ(rows_in_chunks(cloud, "{\"prefixes\": [],\n\"a\": tru}").substr(0, 19), "t:2: 'tru': no JSON");
    EXPECT_EQ(rows_in_chunks(cloud, "{\"prefixes\" []}"), "t:1: '[': not valid JSON: unexpected here");
    EXPECT_EQ(rows_in_chunks(cloud, "{\"a\n\": 1}"), "t:1: '\"a\\x0a': the text does not end on this line");
    EXPECT_EQ(rows_in_chunks(vrps_json, std::string("{\"a\":") + std::string(40, '[')),
              "t:1: '\"a\"': more than 32 nested levels");
    EXPECT_EQ(
        rows_in_chunks(
            cloud,
            "\xef\xbb\xbf{\"b\": [1, -2.5e3, null, \"\\u00e9\", {\"c\": [ ]}], \"pre\\u0066ixes\":[]}\n"),
        "service,region,provider,group|");
    // A brace that is missing makes one value of all that follows.
    EXPECT_EQ(rows_in_chunks(cloud, "{\"prefixes\": [{\"a\": {\"b\": 1}, 5]}").substr(0, 4), "t:1:");
}

TEST(vrps, JsonOfSeveralValidators) {
    const std::string_view table =
        "asn,max_length,ta|1.1.1.0/24=13335,24,apnic;10.0.0.0/8=7,64500,64500,8,16,24,,ripe,ripe;"
        "2001:db8::/32=64501,48,ripe;";
    EXPECT_EQ(
        rows_in_chunks(
            vrps_json,
            R"({"metadata": {"generated": 1626853335, "generatedTime": "2021-07-21T07:42:15Z"}, "roas": [
        { "asn": "AS13335", "prefix": "1.1.1.0/24", "maxLength": 24, "ta": "apnic" },
        { "asn": "AS64500", "prefix": "10.0.0.0/8", "maxLength": 24, "ta": "ripe" },
        { "asn": "AS64500", "prefix": "10.0.0.0/8", "maxLength": 16, "ta": "ripe" },
        { "asn": "AS64500", "prefix": "10.0.0.0/8", "maxLength": 16, "ta": "ripe" },
        { "asn": 7, "prefix": "10.0.0.0/8", "maxLength": 8, "ta": "" },
        { "asn": "AS64501", "prefix": "2001:db8::/32", "maxLength": 48, "ta": "ripe", "expires": 1627 } ],
        "bgpsec_keys": [], "aspas": [{"customer_asid": 1, "providers": [2, 3]}]})"),
        table);
    EXPECT_EQ(rows_in_chunks(
                  vrps_csv,
                  "ASN,IP Prefix,Max Length,Trust Anchor,Expires\r\nAS13335,1.1.1.0/24,24,apnic,1\r\n"
                  "AS64500,10.0.0.0/8,16,ripe,1\r\nAS64500,10.0.0.0/8,24,ripe,2\r\nAS7,10.0.0.0/8,8,,\r\n"
                  "AS64501,2001:db8::/32,48,ripe,3\r\n"),
              table);
    EXPECT_EQ(rows_in_chunks(vrps_json, R"({"roas": [{"asn": "AS1", "prefix": "10.0.0.0/8", "maxLength": 8,
        "source": [{"type": "roa", "uri": "rsync://x", "tal": "arin"}]}]})"),
              "asn,max_length,ta|10.0.0.0/8=1,8,arin;");
    EXPECT_EQ(
        rows_in_chunks(
            vrps_csv,
            "\"ASN\",\"IP Prefix\",\"Max Length\",\"Trust Anchor\"\n\"1\",\"10.0.0.0/8\",\"\",\"arin\"\n"),
        "asn,max_length,ta|10.0.0.0/8=1,8,arin;");
    EXPECT_EQ(
        rows_in_chunks(vrps_csv,
                       "URI,ASN,IP Prefix,Max Length,Not Before,Not After\nrsync://x,AS1,10.0.0.0/8,8,a,b\n"),
        "asn,max_length,ta|10.0.0.0/8=1,8,;");
    EXPECT_EQ(rows_in_chunks(vrps_json, R"({"roas":[{"asn":1,"prefix":"10.0.0.0/8","maxLength":8,"ta":"a"},
        {"asn":1,"prefix":"10.0.0.0/8","maxLength":9,"ta":"a"}]})",
                             {.values = {"asn"}}),
              "asn|10.0.0.0/8=1;");
}

TEST(vrps, WhatIsWrongIsToldWithItsLine) {
    const std::string header = "ASN,IP Prefix,Max Length,Trust Anchor\n";
    EXPECT_EQ(rows_in_chunks(vrps_csv, header + "ASx,10.0.0.0/8,8,a\n"),
              "t:2: 'ASx': not an AS number");
    EXPECT_EQ(rows_in_chunks(vrps_csv, header + "AS4294967296,10.0.0.0/8,8,a\n"),
              "t:2: 'AS4294967296': not an AS number");
    EXPECT_EQ(rows_in_chunks(vrps_csv, header + "AS1,10.0.0.0/8,7,a\n"),
              "t:2: '7': the maximum length of 10.0.0.0/8 is not from 8 to 32");
    EXPECT_EQ(rows_in_chunks(vrps_csv, header + "AS1,::/0,129,a\n"),
              "t:2: '129': the maximum length of ::/0 is not from 0 to 128");
    EXPECT_EQ(rows_in_chunks(vrps_csv, header + "AS1,10.0.0.0,8,a\n"),
              "t:2: '10.0.0.0': not a prefix with a length");
    EXPECT_EQ(rows_in_chunks(vrps_csv, header + "AS1,10.0.0.0/33,33,a\n"),
              "t:2: '10.0.0.0/33': prefix length 33 is longer than 32");
    EXPECT_EQ(rows_in_chunks(vrps_csv, header + "AS1,10.0.0.0/8\n"),
              "t:2: 'AS1,10.0.0.0/8': the row has fewer fields than the header");
    EXPECT_EQ(rows_in_chunks(vrps_csv, "AS1,10.0.0.0/8,8\n"),
              "t:1: 'AS1,10.0.0.0/8,8': no header with the columns ASN, IP Prefix and Max Length");
    EXPECT_EQ(rows_in_chunks(vrps_csv, header + "x\nAS1,10.0.0.0/8,8,a\n", {.skip_bad = 1}),
              "asn,max_length,ta|10.0.0.0/8=1,8,a;");
    EXPECT_EQ(rows_in_chunks(vrps_json, "{\"roas\": [\n\n{\"prefix\": \"10.0.0.0/8\"}]}"),
              "t:3: not an AS number");
    EXPECT_EQ(rows_in_chunks(vrps_json, "{}"), "t: 'roas': the document has no such member");
}

TEST(pyasn, PrefixesAndTheirOrigin) {
    EXPECT_EQ(rows_in_chunks(pyasn, "; IP-ASN32-DAT file\n; Original file : "
                                    "rib.bz2\n;\n\n1.0.0.0/24\t13335\n2001:db8::/32\t4294967295\r\n"),
              "asn|1.0.0.0/24=13335;2001:db8::/32=4294967295;");
    EXPECT_EQ(rows_in_chunks(pyasn, "1.0.0.0/24\t1\n1.0.0.0/24\t2\n"), "asn|1.0.0.0/24=2;");
    EXPECT_EQ(rows_in_chunks(pyasn, "1.0.0.0/24\tAS1\n"), "t:1: 'AS1': not an AS number");
    EXPECT_EQ(rows_in_chunks(pyasn, "1.0.0.0/24\n"), "t:1: '1.0.0.0/24': not an AS number");
    EXPECT_EQ(rows_in_chunks(pyasn, "1.0.0.0/24\t1 2\n"),
              "t:1: '1.0.0.0/24\\x091 2': unexpected text after the prefix and the AS number");
    EXPECT_EQ(rows_in_chunks(pyasn, ";\n1.0.0.0/33\t1\n"),
              "t:2: '1.0.0.0/33': prefix length 33 is longer than 32");
    EXPECT_EQ(rows_in_chunks(pyasn, "1.0.0.0/24\t1\n", {.values = {"name"}}),
              "t: no column 'name'; columns: asn");
}

TEST(published_lists, AreFoundByTheirStart) {
    EXPECT_EQ(found_format(aws), "cloud");
    EXPECT_EQ(found_format(R"({"prefixes": [{"ipv4Prefix": "8.8.4.0/24"}]})"), "cloud");
    EXPECT_EQ(found_format(R"({"values": [{"name": "a", "properties": {"addressPrefixes": []}}]})"), "cloud");
    EXPECT_EQ(
        found_format(
            R"({"last_updated_timestamp": "x", "regions": [{"region": "a", "cidrs": [{"cidr": "x"}]}]})"),
        "cloud");
    EXPECT_EQ(found_format(R"([{"id": 1, "serviceArea": "Exchange", "ips": []}])"), "cloud");
    EXPECT_EQ(found_format(R"({"result": {"ipv4_cidrs": [], "ipv6_cidrs": []}})"), "cloud");
    EXPECT_EQ(found_format(R"({"addresses": ["23.235.32.0/20"], "ipv6_addresses": []})"), "cloud");
    EXPECT_EQ(found_format(R"({"verifiable_password_authentication": false, "hooks": []})"), "cloud");
    EXPECT_EQ(found_format(R"({"addresses": "x", "network": "10.0.0.0/8"})"), "json");
    EXPECT_EQ(found_format(R"(["10.0.0.0/8", "11.0.0.0/8"])"), "json");
    EXPECT_EQ(found_format(R"({ "roas": [{"asn": 1}]})"), "vrps-json");
    EXPECT_EQ(found_format(R"({"metadata": {"buildtime": "x"}, "roas": []})"), "vrps-json");
    EXPECT_EQ(found_format("ASN,IP Prefix,Max Length,Trust Anchor\nAS1,10.0.0.0/8,8,a\n"), "vrps-csv");
    EXPECT_EQ(found_format("; IP-ASN32-DAT file\n1.0.0.0/24\t1\n"), "pyasn");
    EXPECT_EQ(found_format(R"({"network": "10.0.0.0/8", "metadata": "x"})"), "json");
    EXPECT_EQ(found_format(R"({"metadata": {"owner": "x"}, "network": "10.0.0.0/8"})"), "json");
}

} // namespace
} // namespace fingerpost::io
