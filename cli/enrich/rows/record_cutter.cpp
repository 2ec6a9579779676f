// Tracks brackets and strings. Rows are validated when they are read, the frame at the end of the document.
#include "cli/enrich/rows/record_cutter.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/enrich/rows/json_line.hpp"
#include "io/format/parts/printable.hpp"

namespace fingerpost::cli::enrich {
bool record_cutter::feed(std::string_view chunk, const row_cutter::receiver& to) {
    held_ += chunk;
    for (; seen_ != held_.size(); ++seen_) {
        const char c = held_[seen_];
        if (in_string_) {
            in_string_ = is_escaped_ || c != '"';
            is_escaped_ = !is_escaped_ && c == '\\';
            value_end_ = seen_ + 1;
        } else if (!is_json_blank(c) && !step(c, seen_)) {
            hand_on(to);
            return false;
        }
    }
    return hand_on(to);
}

// Handles a byte outside strings.
bool record_cutter::step(char c, std::size_t at) {
    if (std::exchange(awaits_object_, false)) {
        has_empty_ = has_empty_ || c == ']';
        if (c == '{')
            begin_rows(array_begin_);
    }
    if (row_depth_ != 0 && open_.size() == row_depth_ && (c == ',' || c == ']' || row_begin_ == none))
        return step_in_rows(c, at);
    value_end_ = at + 1;
    in_string_ = c == '"';
    if (c == '}' || c == ']')
        return close(c, at);
    if (open_.empty() && c != '{' && c != '[')
        return fail("the document is not a JSON object or array", at);
    if (c != '{' && c != '[')
        return true;
    open_ += c;
    if (c == '[' && !has_rows_ && open_.size() <= 2) {
        array_begin_ = at + 1;
        if (open_.size() == 1)
            begin_rows(array_begin_);
        else
            awaits_object_ = open_.front() == '{';
    }
    return true;
}

// Handles a byte that may begin or end a row.
bool record_cutter::step_in_rows(char c, std::size_t at) {
    if (c != ',' && c != ']') {
        row_begin_ = at;
        needs_row_ = false;
        // The byte is the first one inside the row.
        return step(c, at);
    }
    if (row_begin_ != none)
        end_row();
    else if (c == ',' || needs_row_)
        return fail("a value is missing before this comma or bracket", at);
    needs_row_ = c == ',';
    value_end_ = at + 1;
    if (c == ',')
        return true;
    row_depth_ = 0;
    return close(c, at);
}

bool record_cutter::close(char c, std::size_t at) {
    if (open_.empty() || open_.back() != (c == '}' ? '{' : '['))
        return fail("a closing bracket matches no open one", at);
    open_.pop_back();
    return !open_.empty() || end_document(at);
}

void record_cutter::begin_rows(std::size_t at) {
    put_frame(at);
    row_depth_ = open_.size();
    has_rows_ = true;
}

void record_cutter::end_row() {
    places_.push_back({row_begin_, value_end_,
                       std::exchange(is_skipping_, false) ? row_place::what::rest : row_place::what::row});
    placed_ = value_end_;
    row_begin_ = none;
}

void record_cutter::put_frame(std::size_t end) {
    if (end <= placed_)
        return;
    places_.push_back({placed_, end, row_place::what::frame});
    frame_.append(held_, placed_, end - placed_);
    placed_ = end;
}

bool record_cutter::end_document(std::size_t at) {
    put_frame(at + 1);
    if (!nlohmann::json::accept(std::exchange(frame_, {})))
        return fail("the document is not JSON outside of its rows", at);
    if (!std::exchange(has_rows_, false) && !has_empty_)
        return fail("the document has no array of objects to use as rows; jq -c . writes one object per line",
                    at);
    has_empty_ = false;
    return true;
}

bool record_cutter::hand_on(const row_cutter::receiver& to) {
    if (row_depth_ == 0)
        put_frame(awaits_object_ ? array_begin_ : seen_);
    if (frame_.size() > max_row_bytes)
        return fail("too much of the document is outside its rows", seen_);
    if (!places_.empty() && !to(cut(placed_)))
        return false;
    if (row_begin_ != none && !is_skipping_ && held_.size() - row_begin_ > max_row_bytes)
        return refuse_row(to);
    if (is_skipping_)
        drop(seen_);
    return true;
}

// Reports the row that has arrived so far, and skips it and its rest.
bool record_cutter::refuse_row(const row_cutter::receiver& to) {
    row_block refused{held_.substr(row_begin_, shown_of_too_long), file_, line_};
    refused.is_too_long = true;
    is_skipping_ = true;
    drop(seen_);
    return to(std::move(refused));
}

row_block record_cutter::cut(std::size_t size) {
    row_block block{held_.substr(0, size), file_, line_};
    block.places = std::exchange(places_, {});
    drop(size);
    return block;
}

void record_cutter::drop(std::size_t size) {
    line_ += line_feeds(std::string_view(held_).substr(0, size));
    held_.erase(0, size);
    for (std::size_t* const at : {&placed_, &seen_, &value_end_, &array_begin_})
        *at -= std::min(*at, size);
    if (row_begin_ != none)
        row_begin_ -= std::min(row_begin_, size);
}

bool record_cutter::finish(const row_cutter::receiver& to) {
    if (!open_.empty())
        return fail("the document ends before its last bracket", held_.size());
    return hand_on(to);
}

bool record_cutter::fail(const char* what, std::size_t at) {
    if (error_.empty())
        error_ = fmt::format("{}:{}: {}", io::printable(file_),
                             line_ + line_feeds(std::string_view(held_).substr(0, at)), what);
    return false;
}

} // namespace fingerpost::cli::enrich
