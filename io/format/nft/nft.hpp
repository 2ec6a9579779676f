// Reads sets and maps of addresses as nftables prints them: `nft list set`, `nft list sets`, `nft list
// ruleset`.
//
//     table inet filter {
//         set bad {
//             type ipv4_addr
//             flags interval
//             elements = { 10.0.0.0/8, 192.0.2.1-192.0.2.9,
//                          198.51.100.7 comment "a host" }
//         }
//         map verdicts {
//             type ipv4_addr : verdict
//             elements = { 10.0.0.0/8 : accept, 11.0.0.0/8 : jump other }
//         }
//     }
//
// The value of a map element is its data; the value of a set element is the name of the set. Sets with other
// elements, such as ports, are left out and reported; chains and rules are skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/parts/fixed/fixed_reader.hpp"

namespace fingerpost::io {

class nft_reader : public fixed_reader<nft_reader> {
  public:
    nft_reader(std::string file, const table_options& options);

  private:
    friend class fixed_reader<nft_reader>;
    enum class place : std::uint8_t { top, table, set, elements, passed_over };

    bool take_line(std::string_view line);
    bool take_end();
    bool take_mark(std::string_view line, char mark);
    bool open_block(std::string_view line);
    bool close_block(std::string_view line);
    void end_statement();
    bool add_element();

    place place_ = place::top;
    place around_ = place::top;      // the place around a block that is skipped
    std::size_t passed_depth_ = 0;   // number of open braces in a block that is skipped
    std::vector<std::string> words_; // of the current statement or element
    std::uint64_t words_line_ = 0;   // line on which they begin
    std::string table_;
    std::string set_;
    std::string type_;             // key type of the set
    std::optional<family> family_; // of the keys
    std::uint64_t sets_ = 0;       // number of sets that were read
};

} // namespace fingerpost::io
