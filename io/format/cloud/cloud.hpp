// Address ranges that clouds publish: ip-ranges.json of AWS, cloud.json and goog.json of Google, and the
// service tags of Azure.
//
//     {"prefixes": [ {"ip_prefix": "3.5.140.0/22", "region": "ap-northeast-2", "service": "S3",
//                     "network_border_group": "ap-northeast-2"} ], "ipv6_prefixes": [...]}
//     {"prefixes": [ {"ipv4Prefix": "34.1.208.0/20", "service": "Google Cloud", "scope": "africa-south1"} ]}
//     {"values": [ {"name": "Sql.WestEurope", "properties": {"region": "westeurope", "systemService": "Sql",
//                   "addressPrefixes": ["4.175.0.0/27"]}} ]}
//
// The columns are service, region (Google's scope), provider (aws, google or azure) and group: AWS's
// network_border_group, or the name of Azure's tag. A prefix that is listed several times has all different
// texts in each column, with commas between them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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
    bool take(const json_tree& entry);
    bool take_tag(const json_tree& tag);
    bool add(std::string_view where, std::span<const std::string_view> cells);
    std::optional<input_error> complete();

    std::optional<joined_table> made_;
};

} // namespace fingerpost::io
