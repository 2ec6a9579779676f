// Writes the prefixes that cover an address, with their values, as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/answers/answer_table.hpp"
#include "cli/answers/table_parts.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli {

class covers_writer {
  public:
    // Considers only `part` of the table, unless it is nullptr. All arguments except the names must outlive
    // the writer.
    covers_writer(const answer_table& table, const table_part* part, answer_names names);

    // Appends `{"address":"A","covers":[{"prefix":"P","next_hop":"H"},...]}`, shortest prefix first. If the
    // text is not an address, the list is empty and the member `error` has the reason.
    void write(std::string_view text, std::string& out);

  private:
    template <class A>
    void write_covers(const family_table<A>& table, A address, std::string& out);
    void write_route(const row& route, std::string& out) const;

    const answer_table& table_;
    const table_part* part_;
    answer_names names_;
    std::vector<next_hop> covers_;
};

} // namespace fingerpost::cli
