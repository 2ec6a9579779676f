// Examines runs of address characters and their surroundings.
#include "cli/enrich/rows/addresses.hpp"

#include <algorithm>
#include <array>

namespace fingerpost::cli::enrich {
namespace {

enum : unsigned char { separator = 1, part = 2, word = 4, letter = 8, digit = 16 };

constexpr std::array<unsigned char, 256> classes_of_bytes() {
    std::array<unsigned char, 256> kinds{};
    for (unsigned c = 0; c < 256; ++c) {
        const bool is_digit = c >= '0' && c <= '9';
        const bool is_hex = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        // UTF-8 bytes beyond ASCII count as letters.
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
        const bool separates = c == '.' || c == ':';
        kinds[c] = static_cast<unsigned char>(
            (separates ? separator | part : 0) | (is_digit || is_hex ? part : 0) |
            (is_letter ? letter | word : 0) | (is_digit ? digit | word : 0) | (c == '_' ? word : 0));
    }
    return kinds;
}
constexpr auto class_of = classes_of_bytes();

bool is(char c, unsigned kinds) {
    return (class_of[static_cast<unsigned char>(c)] & kinds) != 0;
}

// A run of address characters, and whether a word continues at either end.
class address_run {
  public:
    address_run(std::string_view text, std::size_t begin, std::size_t end)
        : text_(text), begin_(begin), end_(end) {
        word_before_ = joins_before();
        word_behind_ = joins_behind();
    }

    std::optional<found_address> find() const {
        const std::string_view run = text_.substr(begin_, end_ - begin_);
        if (run.find(':') != run.rfind(':'))
            if (const auto address = find_ipv6())
                return address;
        return run.find('.') != std::string_view::npos ? find_ipv4() : std::nullopt;
    }

  private:
    // A hyphen joins two parts into a word, unless it separates the ends of an address range.
    bool joins_before() const {
        if (begin_ == 0)
            return false;
        const char before = text_[begin_ - 1];
        return is(before, word) || (before == '-' && begin_ >= 2 && is(text_[begin_ - 2], letter));
    }
    bool joins_behind() const {
        if (end_ == text_.size())
            return false;
        const char behind = text_[end_];
        return is(behind, word) || (behind == '-' && end_ + 1 < text_.size() && is(text_[end_ + 1], letter));
    }
    bool in_brackets(std::size_t begin, std::size_t end) const {
        return begin != 0 && end < text_.size() && text_[begin - 1] == '[' &&
               (text_[end] == ']' || text_[end] == '%');
    }

    // Removes parts of adjacent words, and punctuation.
    std::optional<found_address> find_ipv6() const {
        std::size_t begin = begin_;
        std::size_t end = end_;
        if (word_before_)
            begin = std::min(text_.find(':', begin), end);
        if (word_behind_)
            end = std::max(text_.substr(0, end).rfind(':') + 1, begin);
        while (end > begin && (text_[end - 1] == '.' || single_colon_ends(begin, end)))
            --end;
        while (begin < end && (text_[begin] == '.' || single_colon_begins(begin, end)))
            ++begin;
        // `::` next to a word belongs to a program's name, such as `std::`.
        const bool cut_gap = (begin != begin_ || word_before_) && begin < end && text_[begin] == ':' &&
                             begin != 0 && is(text_[begin - 1], word);
        const bool cut_end = word_behind_ && end != begin && text_[end - 1] == ':';
        const std::string_view text = text_.substr(begin, end - begin);
        if (cut_gap || cut_end || (text == "::" && !in_brackets(begin, end)))
            return std::nullopt;
        if (const auto parsed = parse_address<ipv6_address>(text))
            return found_address{any_address::of(*parsed), begin, text.size()};
        return std::nullopt;
    }
    bool single_colon_ends(std::size_t begin, std::size_t end) const {
        return text_[end - 1] == ':' && (end - begin < 2 || text_[end - 2] != ':');
    }
    // `:::1` has a colon too many as well.
    bool single_colon_begins(std::size_t begin, std::size_t end) const {
        const std::string_view rest = text_.substr(begin, end - begin);
        return rest.starts_with(':') && (!rest.starts_with("::") || rest.starts_with(":::"));
    }

    // Searches between colons. The first and last pieces may belong to words.
    std::optional<found_address> find_ipv4() const {
        for (std::size_t begin = begin_; begin < end_;) {
            const std::size_t end = std::min(text_.find(':', begin), end_);
            const bool whole = (begin != begin_ || !word_before_) && (end != end_ || !word_behind_);
            if (whole)
                if (const auto address = ipv4_between(begin, end))
                    return address;
            begin = end + 1;
        }
        return std::nullopt;
    }
    std::optional<found_address> ipv4_between(std::size_t begin, std::size_t end) const {
        while (begin < end && text_[begin] == '.')
            ++begin;
        while (end > begin && text_[end - 1] == '.')
            --end;
        if (const auto parsed = parse_address<ipv4_address>(text_.substr(begin, end - begin)))
            return found_address{any_address::of(*parsed), begin, end - begin};
        return std::nullopt;
    }

    std::string_view text_;
    std::size_t begin_;
    std::size_t end_;
    bool word_before_;
    bool word_behind_;
};

} // namespace

std::optional<found_address> find_address(std::string_view text, std::size_t from) {
    std::size_t at = from;
    for (;;) {
        while (at < text.size() && !is(text[at], separator))
            ++at;
        if (at >= text.size())
            return std::nullopt;
        std::size_t begin = at;
        while (begin > from && is(text[begin - 1], part))
            --begin;
        std::size_t end = at + 1;
        while (end < text.size() && is(text[end], part))
            ++end;
        if (end - begin >= 2)
            if (const auto address = address_run(text, begin, end).find())
                return address;
        at = end;
    }
}

} // namespace fingerpost::cli::enrich
