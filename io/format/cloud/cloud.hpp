// Reads address ranges that clouds and large sites publish: ip-ranges.json of AWS, cloud.json and goog.json
// of Google, the service tags of Azure, public_ip_ranges.json of Oracle, the endpoints of Microsoft 365, and
// the lists of Cloudflare, Fastly and GitHub.
//
//     {"prefixes": [ {"ip_prefix": "3.5.140.0/22", "region": "ap-northeast-2", "service": "S3",
//                     "network_border_group": "ap-northeast-2"} ], "ipv6_prefixes": [...]}
//     {"prefixes": [ {"ipv4Prefix": "34.1.208.0/20", "service": "Google Cloud", "scope": "africa-south1"} ]}
//     {"values": [ {"name": "Sql.WestEurope", "properties": {"region": "westeurope", "systemService": "Sql",
//                   "addressPrefixes": ["4.175.0.0/27"]}} ]}
//     {"regions": [ {"region": "us-phoenix-1", "cidrs": [ {"cidr": "129.146.0.0/21", "tags": ["OCI"]} ]} ]}
//     [ {"id": 1, "serviceArea": "Exchange", "ips": ["13.107.6.152/31"], "category": "Optimize"} ]
//     {"result": {"ipv4_cidrs": ["173.245.48.0/20"], "ipv6_cidrs": [...]}, "success": true}
//     {"addresses": ["23.235.32.0/20"], "ipv6_addresses": [...]}
//     {"verifiable_password_authentication": false, "hooks": ["192.30.252.0/22"], "web": [...]}
//
// The columns are service, region (Google's scope), provider, and group: AWS's network_border_group, the name
// of Azure's tag, or the category of Microsoft 365. If a prefix is listed several times, each column has its
// different texts, separated by commas.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/joined_routes.hpp"
#include "io/format/parts/json/document_reader.hpp"

namespace fingerpost::io {

class cloud_reader : private document_reader {
  public:
    cloud_reader(std::string file, const table_options& options);

    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take(std::span<const std::string> path, const json_tree& entry);
    bool take_entry(const json_tree& entry);
    bool take_tag(const json_tree& tag);
    bool take_region(const json_tree& region);
    bool take_endpoint(const json_tree& endpoint);
    bool take_list(std::span<const std::string> path, const json_tree& list);
    bool add_networks(const std::vector<json_tree>& networks, std::span<const std::string_view> cells);
    bool add(std::string_view where, std::span<const std::string_view> cells);
    std::optional<input_error> complete();

    std::optional<joined_table> table_;
    bool has_entries_ = false;
};

} // namespace fingerpost::io
