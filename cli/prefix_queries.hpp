// Queries of `lookup` that are prefixes, or that want more than the longest match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answer_table.hpp"
#include "cli/route_tree.hpp"
#include "cli/rows.hpp"
#include "fingerpost/net/any.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {

enum class match_kind : std::uint8_t {
    longest,  // the longest route that covers the query or is the same prefix
    exact,    // the route of the same prefix
    covering, // all that cover the query, shortest first, and the same prefix
    covered,  // all that the query covers, in prefix order, and the same prefix
};

// Slower than answers.hpp, as queries are answered one by one. An address is the prefix of that address.
class prefix_queries {
  public:
    // The table must outlive it.
    prefix_queries(const answer_table& table, match_kind wanted) : table_(&table), wanted_(wanted) {}

    // Notes the rows of a query, at least one; why it is none, else. Bits behind the length do not count.
    std::optional<text_error> ask(std::string_view text);

    bool is_full() const noexcept { return rows_.size() >= most_rows; }
    bool is_empty() const noexcept { return rows_.empty(); }
    // Writes the rows in order and forgets them.
    void write(row_writer& writer, std::string& out);

  private:
    static constexpr std::size_t most_rows = 4096;

    template <class A>
    std::optional<route_tree<A>>& tree_of();
    template <class A>
    std::optional<text_error> ask_family(std::string_view text, const family_table<A>* table);
    template <class A>
    void find(std::string_view query, const prefix<A>& where, const family_table<A>& table);
    template <class A>
    void add(std::string_view query, std::uint32_t route, const family_table<A>& table);

    const answer_table* table_;
    match_kind wanted_;
    // Made when first needed.
    std::optional<route_tree<ipv4_address>> ipv4_;
    std::optional<route_tree<ipv6_address>> ipv6_;
    std::deque<std::string> texts_; // that the rows show
    std::vector<row> rows_;
};

} // namespace fingerpost::cli
