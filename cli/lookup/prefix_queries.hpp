// Queries of `lookup` that are prefixes, or that request more than the longest match.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answers/answer_rows.hpp"
#include "cli/answers/answer_table.hpp"
#include "cli/answers/answers.hpp"
#include "cli/lookup/route_tree.hpp"
#include "fingerpost/net/any.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {

enum class match_kind : std::uint8_t {
    longest,  // the longest route that contains or equals the query
    exact,    // the route of the same prefix
    covering, // all routes that contain or equal the query, shortest first
    covered,  // all routes inside or equal to the query, in prefix order
};

// An address counts as the prefix of that single address. Slower than answers.hpp, especially for prefixes,
// which FIBs cannot look up.
class prefix_queries {
  public:
    // Table and trees must outlive it.
    prefix_queries(const answer_table& table, route_trees& trees, match_kind match)
        : table_(&table), trees_(&trees), wanted_(match) {}

    // Adds a query, or returns an error if it is invalid. Bits after the length are ignored. A family without
    // a table has no match. `shown` is the query's text in the output.
    std::optional<text_error> ask(std::string_view text, std::string_view shown);
    std::optional<text_error> ask(std::string_view text) { return ask(text, text); }

    bool is_full() const noexcept { return waiting_.size() == batch_rows; }
    bool is_empty() const noexcept { return waiting_.empty(); }
    // Writes the rows of all waiting queries in order, at least one for each, and removes the queries. Calls
    // `spill` from time to time, because a single query may have as many rows as the table.
    void write(
        row_writer& writer, std::string& out, const std::function<void()>& spill = [] {});

  private:
    static constexpr std::size_t most_rows = 4096;

    struct query {
        std::size_t text_end;
        any_prefix where;
    };
    // The queries of one family.
    template <class A>
    struct search {
        std::vector<A> hosts;          // queries that are addresses
        std::vector<next_hop> matches; // the match of each host
        std::size_t next = 0;          // index of the next host without a row
    };

    template <class A>
    search<A>& search_of() noexcept {
        if constexpr (A::bits == ipv4_address::bits)
            return ipv4_;
        else
            return ipv6_;
    }
    template <class A>
    void note(std::string_view text, const prefix<A>& where);
    template <class A>
    void look_up(const family_table<A>* table);
    template <class A>
    std::uint32_t longest(const route_tree<A>& tree, const prefix<A>& where);
    template <class A>
    void answer(std::string_view text, const prefix<A>& where, const family_table<A>* table);
    template <class A>
    void add(std::string_view text, std::uint32_t route, const family_table<A>& table);
    row& new_row(std::string_view text);
    void write_rows();

    const answer_table* table_;
    route_trees* trees_;
    match_kind wanted_;
    search<ipv4_address> ipv4_;
    search<ipv6_address> ipv6_;
    std::string texts_; // the queries, one after the other
    std::vector<query> waiting_;
    std::vector<row> rows_;
    std::array<char, most_rows*(max_prefix_text<ipv6_address> + max_number_text)>
        shown_; // texts that the rows refer to
    char* shown_end_ = shown_.data();
    row_writer* writer_ = nullptr; // set during write()
    std::string* out_ = nullptr;
    const std::function<void()>* spill_ = nullptr;
};

} // namespace fingerpost::cli
