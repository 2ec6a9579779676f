// Queries of `lookup` that are prefixes, or that ask for more than the longest match.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
    longest,  // the longest route that covers the query or has the same prefix
    exact,    // the route with the same prefix
    covering, // all routes that cover the query, shortest first, including the same prefix
    covered,  // all routes that the query covers, in prefix order, including the same prefix
};

// An address means the prefix of that one address. Slower than answers.hpp, especially for prefixes, which
// FIBs cannot look up.
class prefix_queries {
  public:
    // The table must outlive it.
    prefix_queries(const answer_table& table, match_kind wanted) : table_(&table), wanted_(wanted) {}

    // Adds a query; returns an error if it is invalid. Bits behind the length are ignored. In a family
    // without a table nothing matches. Rows show the text `shown`.
    std::optional<text_error> ask(std::string_view text, std::string_view shown);
    std::optional<text_error> ask(std::string_view text) { return ask(text, text); }

    bool is_full() const noexcept { return waiting_.size() == batch_rows; }
    bool is_empty() const noexcept { return waiting_.empty(); }
    // Writes the rows of all waiting queries, at least one for each and in order, and removes the queries.
    void write(row_writer& writer, std::string& out);

  private:
    static constexpr std::size_t most_rows = 4096;

    struct query {
        std::size_t text_end;
        any_prefix where;
    };
    // The state of one family.
    template <class A>
    struct search {
        std::optional<route_tree<A>> tree; // made when first needed
        std::vector<A> hosts;              // the queries that are addresses
        std::vector<next_hop> matches;     // for each of them
        std::size_t next = 0;              // the first one that has no row yet
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
    std::uint32_t longest(const prefix<A>& where);
    template <class A>
    void answer(std::string_view text, const prefix<A>& where, const family_table<A>* table);
    template <class A>
    void add(std::string_view text, std::uint32_t route, const family_table<A>& table);
    row& new_row(std::string_view text);
    void write_rows();

    const answer_table* table_;
    match_kind wanted_;
    search<ipv4_address> ipv4_;
    search<ipv6_address> ipv6_;
    std::string texts_; // of the queries, one after the other
    std::vector<query> waiting_;
    std::vector<row> rows_;
    std::array<char, most_rows*(max_prefix_text<ipv6_address> + max_number_text)> shown_; // by the rows
    char* shown_end_ = shown_.data();
    row_writer* writer_ = nullptr; // during write()
    std::string* out_ = nullptr;
};

} // namespace fingerpost::cli
