// The ends of rows: every line feed, but for those in quotes.
#include "cli/enrich/row_cutter.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fingerpost::cli::enrich {
namespace {

constexpr std::size_t shown_of_too_long = 64;

// Eight bytes at once: the thread that cuts is one for all, so what it does limits the speed.
std::uint64_t line_feeds(std::string_view text) {
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
    constexpr std::uint64_t low_bits = ones * 0x7f;
    std::uint64_t count = 0;
    std::size_t at = 0;
    for (; text.size() - at >= 8; at += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, text.data() + at, sizeof eight);
        eight ^= ones * '\n';
        // The highest bit of each byte that was a line feed, and no other; the product adds them up.
        const std::uint64_t found = ~(((eight & low_bits) + low_bits) | eight | low_bits);
        count += (found >> 7) * ones >> 56;
    }
    return count + static_cast<std::uint64_t>(
                       std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\n'));
}

} // namespace

row_cutter::row_cutter(std::string file, const csv_dialect* dialect)
    : file_(std::move(file)), dialect_(dialect != nullptr ? *dialect : csv_dialect{}),
      quotes_(dialect != nullptr && dialect->quotes) {}

// Behind the first or the last line feed between two positions.
std::size_t row_cutter::end_within(std::size_t from, std::size_t to, bool first_only) const {
    const std::string_view part = std::string_view(held_).substr(from, to - from);
    const std::size_t at = first_only ? part.find('\n') : part.rfind('\n');
    return at == none ? none : from + at + 1;
}

// A quote elsewhere is a character like any other. What stands before it is always there: held_ begins with a
// row or, when one is skipped, with the last byte that was looked at.
bool row_cutter::is_field_start(std::size_t at) const {
    return at == 0 ? !skipping_ : held_[at - 1] == dialect_.delimiter || held_[at - 1] == '\n';
}

// Looks at the bytes that have not been looked at; the end of the first or last row that ends in them.
std::size_t row_cutter::find_ends(bool first_only) {
    std::size_t found = none;
    while (seen_ < held_.size()) {
        const std::size_t quote = quotes_ ? held_.find('"', seen_) : none;
        if (!in_quotes_) {
            const std::size_t stop = std::min(quote, held_.size());
            const std::size_t end = end_within(seen_, stop, first_only);
            found = end != none ? end : found;
            if (first_only && found != none)
                return found;
            seen_ = stop;
            if (quote == none)
                break;
            in_quotes_ = is_field_start(quote);
            ++seen_;
            continue;
        }
        if (quote == none) {
            seen_ = held_.size();
            break;
        }
        // Whether a second one follows, which makes both of them text, the next chunk may tell.
        if (quote + 1 == held_.size()) {
            seen_ = quote;
            break;
        }
        in_quotes_ = held_[quote + 1] == '"';
        seen_ = quote + (in_quotes_ ? 2 : 1);
    }
    return found;
}

row_block row_cutter::cut(std::size_t size) {
    std::string rest = held_.substr(size);
    row_block made{std::exchange(held_, std::move(rest)), file_, line_};
    made.bytes.resize(size);
    line_ += line_feeds(made.bytes);
    seen_ -= size;
    return made;
}

// To the end of a row that is too long; false when it has not come yet.
bool row_cutter::skip_row() {
    const std::size_t end = find_ends(true);
    const std::size_t gone = end != none ? end : seen_ - std::min<std::size_t>(seen_, 1);
    line_ += line_feeds(std::string_view(held_).substr(0, gone));
    held_.erase(0, gone);
    seen_ -= std::min(seen_, gone);
    if (end == none)
        return false;
    seen_ = 0;
    skipping_ = false;
    return true;
}

bool row_cutter::refuse_row(const receiver& to) {
    row_block told{held_.substr(0, shown_of_too_long), file_, line_};
    told.is_too_long = true;
    skipping_ = true;
    skip_row();
    return to(std::move(told));
}

bool row_cutter::feed(std::string_view chunk, const receiver& to) {
    held_ += chunk;
    if (skipping_ && !skip_row())
        return true;
    if (const std::size_t end = find_ends(false); end != none && !to(cut(end)))
        return false;
    return held_.size() <= max_row_bytes || refuse_row(to);
}

bool row_cutter::finish(const receiver& to) {
    row_block last;
    if (skipping_)
        held_.clear();
    last = row_block{std::move(held_), file_, line_};
    last.is_last = true;
    return to(std::move(last));
}

} // namespace fingerpost::cli::enrich
