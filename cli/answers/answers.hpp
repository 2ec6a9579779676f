// Answers to addresses of both families, in the order in which they were asked.
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

// Enough addresses for every kernel to run at full width, few enough for all of their data to stay in the
// cache.
inline constexpr std::size_t batch_rows = 2048;

// What describe() writes besides a prefix, at most.
inline constexpr std::size_t max_number_text = 10;

// Fills in prefix and values of the route that has matched, with texts from `to` on; returns their end.
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

// The addresses of one family that wait for an answer.
template <class A>
class family_questions {
  public:
    // Returns the number by which answer() identifies the address.
    std::size_t ask(A address) {
        addresses_.push_back(address);
        return addresses_.size() - 1;
    }
    void look_up(const family_table<A>& table);
    // Prefix and next hop for an address that look_up() has answered; call it once for each. The results are
    // valid until clear().
    void answer(const family_table<A>& table, std::size_t question, row& into);
    void clear() {
        addresses_.clear();
        shown_end_ = shown_.data();
    }

  private:
    std::vector<A> addresses_;
    std::array<next_hop, batch_rows> matches_;
    // Prefixes, and next hops that are numbers, one after the other as answers are asked for.
    std::array<char, batch_rows*(max_prefix_text<A> + max_number_text)> shown_;
    char* shown_end_ = shown_.data();
};

// The address in a text, which may have a port, brackets or a zone, in the form that
// answer_table::answering_form() chooses. Nothing if there is no table of its family; an error if the text is
// no address.
expected<std::optional<any_address>, text_error> address_for(const answer_table& table,
                                                             std::string_view text);

// Looks up in the table of each address's family, and handles invalid texts. Each thread has its own.
class answers {
  public:
    explicit answers(const answer_table& table) : table_(&table) {}
    answers(const answers&) = delete;
    answers& operator=(const answers&) = delete;

    // Uses another table from now on, or `part` of it if that is not nullptr. Addresses that waited for the
    // former one are dropped.
    void use(const answer_table& table, const table_part* part = nullptr);

    // Adds an address; returns an error if it is invalid. An address of a family without a table has no
    // match.
    std::optional<text_error> ask(std::string_view text);
    // Adds a row that has no answer but an error.
    void keep(std::string_view text, std::string error);

    bool is_full() const noexcept { return waiting_.size() == batch_rows; }
    // Answers all waiting rows in order, and removes them.
    void write(row_writer& writer, std::string& out);

  private:
    enum class asked : std::uint8_t { ipv4, ipv6, missed, wrong };
    struct question {
        std::size_t text_end;
        std::size_t number; // of the address in its family, or of the error; 0 for a miss
        asked whom;
    };

    void note(std::string_view text, asked whom, std::size_t number);

    void clear();

    const answer_table* table_;
    const table_part* part_ = nullptr;
    family_questions<ipv4_address> ipv4_;
    family_questions<ipv6_address> ipv6_;
    std::string texts_; // as they were given, one after the other
    std::vector<question> waiting_;
    std::vector<row> rows_;
    std::vector<std::string> errors_;
};

} // namespace fingerpost::cli
