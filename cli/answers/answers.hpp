// Answers to addresses of both families, in the order of the queries.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answers/address_field.hpp"
#include "cli/answers/answer_rows.hpp"
#include "cli/answers/answer_table.hpp"
#include "cli/answers/table_parts.hpp"
#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {

// Enough addresses for every kernel to run at full width, and few enough for their data to stay in the cache.
inline constexpr std::size_t batch_rows = 2048;

// Largest size of the text that describe() writes after the prefix.
inline constexpr std::size_t max_number_text = 10;

// Fills in the prefix and values of the matching route. Writes texts at `to` and returns their end.
template <class A>
char* describe(const family_table<A>& table, next_hop match, char* to, row& into) {
    char* const end = format(table.prefix_of(match), to);
    into.prefix = {to, end};
    into.values = &table.values();
    into.number = table.row_of(match);
    if (into.values->has_rows())
        return end;
    char* const behind = std::to_chars(end, end + max_number_text, into.number.id).ptr;
    into.number_text = {end, behind};
    return behind;
}

// Addresses of one family that wait for an answer.
template <class A>
class family_questions {
  public:
    // Returns the number that identifies the address in answer().
    std::size_t ask(A address) {
        addresses_.push_back(address);
        return addresses_.size() - 1;
    }
    void look_up(const family_table<A>& table);
    // Stores prefix and next hop of an address in `into`, after look_up(). Call it once for each address. The
    // texts are valid until clear().
    void answer(const family_table<A>& table, std::size_t question, row& into);
    void clear() {
        addresses_.clear();
        shown_end_ = shown_.data();
    }

  private:
    std::vector<A> addresses_;
    std::array<next_hop, batch_rows> matches_;
    // Texts of prefixes and numeric next hops, one after the other.
    std::array<char, batch_rows*(max_prefix_text<A> + max_number_text)> shown_;
    char* shown_end_ = shown_.data();
};

// Reads the address in a text, which may have a port, brackets or a zone, in the form that
// answer_table::answering_form() chooses. Returns nothing if its family has no table, and an error if the
// text is not an address.
expected<std::optional<any_address>, text_error> address_for(const answer_table& table,
                                                             std::string_view text);

// Looks up each address in the table of its family, and handles invalid texts. Each thread needs its own.
class answers {
  public:
    explicit answers(const answer_table& table) : table_(&table) {}
    answers(const answers&) = delete;
    answers& operator=(const answers&) = delete;

    // Switches to another table, or to `part` of it unless that is nullptr. Drops waiting addresses.
    void use(const answer_table& table, const table_part* part = nullptr);

    // Adds an address, or returns an error if it is invalid. An address whose family has no table has no
    // match.
    std::optional<text_error> ask(std::string_view text);
    // Adds a row with an error instead of an answer.
    void keep(std::string_view text, std::string error);

    bool is_full() const noexcept { return waiting_.size() == batch_rows; }
    // Writes the answers of all waiting rows in order and removes the rows.
    void write(row_writer& writer, std::string& out);

  private:
    enum class asked : std::uint8_t { ipv4, ipv6, missed, wrong };
    struct question {
        std::size_t text_end;
        std::size_t number; // index of the address in its family, or of the error; 0 for a miss
        asked whom;
    };

    void note(std::string_view text, asked whom, std::size_t number);

    void clear();

    const answer_table* table_;
    const table_part* part_ = nullptr;
    family_questions<ipv4_address> ipv4_;
    family_questions<ipv6_address> ipv6_;
    std::string texts_; // texts of the queries, one after the other
    std::vector<question> waiting_;
    std::vector<row> rows_;
    std::vector<std::string> errors_;
};

} // namespace fingerpost::cli
