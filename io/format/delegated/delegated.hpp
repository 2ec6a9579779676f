// Reads the delegation statistics that the regional Internet registries publish, in the standard and the
// extended form.
//
//     2|ripencc|20231114|3|19830705|20231113|+0100
//     ripencc|*|ipv4|*|1|summary
//     ripencc|NL|ipv4|193.0.0.0|2048|19930901|allocated|a2f9a6b1-0000-0000-0000-000000000000
//     ripencc|NL|ipv6|2001:610::|32|19990819|allocated
//
// The value of an IPv4 record is a number of addresses. If it is not a power of two, the record becomes
// several prefixes. The value of an IPv6 record is a prefix length. The first line, summaries and AS number
// records are skipped.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "io/format/parts/fixed/fixed_reader.hpp"

namespace fingerpost::io {

class delegated_reader : public fixed_reader<delegated_reader> {
  public:
    delegated_reader(std::string file, const table_options& options);

  private:
    friend class fixed_reader<delegated_reader>;
    bool take_line(std::string_view line);
    static bool take_end() noexcept { return true; }
    bool take_ipv4(std::string_view line, std::string_view start, std::string_view value,
                   std::span<const std::string_view> cells);
    bool take_ipv6(std::string_view line, std::string_view start, std::string_view value,
                   std::span<const std::string_view> cells);
};

} // namespace fingerpost::io
