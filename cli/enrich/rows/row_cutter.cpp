// Finds the ends of rows: line feeds outside quotes.
#include "cli/enrich/rows/row_cutter.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fingerpost::cli::enrich {

// Handles eight bytes at a time, because a single thread cuts all rows and limits the speed.
std::uint64_t line_feeds(std::string_view text) {
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
    constexpr std::uint64_t low_bits = ones * 0x7f;
    std::uint64_t count = 0;
    std::size_t at = 0;
    for (; text.size() - at >= 8; at += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, text.data() + at, sizeof eight);
        eight ^= ones * '\n';
        // Sets the highest bit of each byte that was a line feed; the product adds them up.
        const std::uint64_t line_feeds = ~(((eight & low_bits) + low_bits) | eight | low_bits);
        count += (line_feeds >> 7) * ones >> 56;
    }
    return count + static_cast<std::uint64_t>(
                       std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\n'));
}

row_cutter::row_cutter(std::string file, const csv_dialect* dialect, std::uint64_t first_line)
    : file_(std::move(file)), dialect_(dialect != nullptr ? *dialect : csv_dialect{}),
      quotes_(dialect != nullptr && dialect->quotes), line_(first_line) {}

// A quote elsewhere is an ordinary character. The byte before it is always available, because held_ begins
// with a row.
bool row_cutter::is_field_start(std::size_t at) const {
    return at == 0 || held_[at - 1] == dialect_.delimiter || held_[at - 1] == '\n';
}

// Whether text follows the closing quote of a field with several lines. If several lines lack a quote, the
// next line's quote closes the field, and text follows it.
bool row_cutter::is_damaged_at(std::size_t quote) const {
    const char behind = held_[quote + 1];
    return behind != dialect_.delimiter && behind != '\n' && behind != '\r' &&
           held_.find('\n', opening_) < quote;
}

// Examines new bytes. Returns the end of the last complete row.
std::size_t row_cutter::find_ends() {
    std::size_t row_end = none;
    while (seen_ < held_.size()) {
        const std::size_t quote = quotes_ ? held_.find('"', seen_) : none;
        if (!in_quotes_) {
            const std::size_t stop = std::min(quote, held_.size());
            const std::size_t end = std::string_view(held_).substr(seen_, stop - seen_).rfind('\n');
            row_end = end != none ? seen_ + end + 1 : row_end;
            seen_ = stop;
            if (quote == none)
                break;
            in_quotes_ = is_field_start(quote);
            opening_ = quote;
            ++seen_;
            continue;
        }
        if (quote == none) {
            seen_ = held_.size();
            break;
        }
        // Two quotes are text. The second one may be in the next chunk.
        if (quote + 1 == held_.size()) {
            seen_ = quote;
            break;
        }
        in_quotes_ = held_[quote + 1] == '"';
        seen_ = quote + (in_quotes_ ? 2 : 1);
        if (!in_quotes_ && is_damaged_at(quote))
            row_end = break_row(row_end != none ? row_end : 0, held_.rfind('\n', quote) + 1);
    }
    return row_end;
}

// Makes each line between two places a row, and continues after them. Returns where they end.
std::size_t row_cutter::break_row(std::size_t begin, std::size_t end) {
    by_line_.push_back({begin, end});
    seen_ = end;
    in_quotes_ = false;
    return end;
}

row_block row_cutter::cut(std::size_t size) {
    std::string rest = held_.substr(size);
    row_block block{std::exchange(held_, std::move(rest)), file_, line_};
    block.bytes.resize(size);
    block.by_line = std::exchange(by_line_, {});
    line_ += line_feeds(block.bytes);
    seen_ -= std::min(seen_, size);
    opening_ -= std::min(opening_, size);
    return block;
}

// Skips to the end of a row that is too long, which is the next line feed, even in quotes. Returns false if
// it has not arrived yet.
bool row_cutter::skip_row() {
    const std::size_t line_feed = held_.find('\n');
    skipping_ = line_feed == none;
    line_ += skipping_ ? 0 : 1;
    held_.erase(0, skipping_ ? held_.size() : line_feed + 1);
    return !skipping_;
}

bool row_cutter::refuse_row(const receiver& to) {
    row_block reported{held_.substr(0, shown_of_too_long), file_, line_};
    reported.is_too_long = true;
    seen_ = 0;
    in_quotes_ = false;
    skip_row();
    return to(std::move(reported));
}

bool row_cutter::cut_rows(const receiver& to) {
    for (;;) {
        if (const std::size_t end = find_ends(); end != none && !to(cut(end)))
            return false;
        if (held_.size() <= max_row_bytes)
            return true;
        const std::size_t end = in_quotes_ ? held_.rfind('\n') : none;
        if (end != none ? !to(cut(break_row(0, end + 1))) : !refuse_row(to))
            return false;
    }
}

bool row_cutter::feed(std::string_view chunk, const receiver& to) {
    held_ += chunk;
    if (skipping_ && !skip_row())
        return true;
    return cut_rows(to);
}

bool row_cutter::finish(const receiver& to) {
    if (skipping_)
        held_.clear();
    // A closing quote at the end of the chunk waits for the next byte.
    if (in_quotes_ && seen_ == held_.size())
        by_line_.push_back({0, held_.size()});
    row_block last{std::move(held_), file_, line_};
    last.by_line = std::move(by_line_);
    last.is_last = true;
    return to(std::move(last));
}

} // namespace fingerpost::cli::enrich
