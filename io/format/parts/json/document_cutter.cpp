// Implements the states between, around and within values.
#include "io/format/parts/json/document_cutter.hpp"

#include <algorithm>
#include <utility>

#include "io/format/parts/json/json_tree.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

constexpr std::size_t max_open_values = 32;
constexpr std::size_t max_token_bytes = std::size_t{1} << 16;
constexpr std::size_t max_opened = 32;

bool is_space(char c) {
    return is_blank(c) || c == '\n' || c == '\r';
}

} // namespace

bool document_cutter::has_opened(std::string_view name) const noexcept {
    return std::find(opened_.begin(), opened_.end(), name) != opened_.end();
}

document_cutter::event document_cutter::fail(std::string reason) {
    inside_ = inside::broken;
    reason_ = std::move(reason);
    return event::bad;
}

void document_cutter::begin(inside what, char c) {
    inside_ = what;
    text_ = c;
    text_line_ = line_;
    is_escaped_ = false;
}

document_cutter::event document_cutter::step(char c) {
    switch (inside_) {
    case inside::value:
        return step_value(c);
    case inside::key:
    case inside::string:
        return step_string(c);
    case inside::scalar:
        if (!is_space(c) && c != ',' && c != ']' && c != '}') {
            text_ += c;
            return text_.size() > max_token_bytes ? fail("this is too long") : event::none;
        }
        if (const event result = end_token(); result != event::none)
            return result;
        return step_between(c);
    case inside::broken:
        return event::none;
    case inside::nothing:
        break;
    }
    return step_between(c);
}

document_cutter::event document_cutter::step_value(char c) {
    text_ += c;
    if (text_.size() > max_value_bytes)
        return fail("the value is larger than 16 MiB");
    if (!extent_.take(c))
        return event::none;
    inside_ = inside::nothing;
    next_ = expected_next::separator;
    return event::value;
}

document_cutter::event document_cutter::step_string(char c) {
    text_ += c;
    if (text_.size() > max_token_bytes)
        return fail("this is too long");
    if (is_escaped_)
        is_escaped_ = false;
    else if (c == '\\')
        is_escaped_ = true;
    else if (c == '"')
        return end_token();
    else if (c == '\n')
        return fail("the text does not end on this line");
    return event::none;
}

// Called after a key, or after a value that is not cut out.
document_cutter::event document_cutter::end_token() {
    json_tree parsed;
    if (auto fault = parse_json(text_, parsed))
        return fail(std::move(*fault));
    next_ = expected_next::separator;
    if (inside_ == inside::key) {
        path_.back() = std::move(parsed.text);
        next_ = expected_next::colon;
    }
    inside_ = inside::nothing;
    return event::none;
}

document_cutter::event document_cutter::open(char c) {
    if (!open_.empty() && selects_(path_, c)) {
        begin(inside::value, c);
        extent_.begin();
        return event::none;
    }
    if (open_.size() == max_open_values)
        return fail("more than 32 nested levels");
    if (open_.size() == 1 && opened_.size() < max_opened)
        opened_.push_back(path_.back());
    open_ += c;
    path_.emplace_back();
    next_ = c == '{' ? expected_next::key_or_end : expected_next::value_or_end;
    return event::none;
}

document_cutter::event document_cutter::close(char c) {
    const bool fits = !open_.empty() && open_.back() == (c == '}' ? '{' : '[');
    const bool may_end = next_ == expected_next::separator || next_ == expected_next::key_or_end ||
                         next_ == expected_next::value_or_end;
    if (!fits || !may_end) {
        begin(inside::nothing, c);
        return fail("unexpected closing brace or bracket");
    }
    open_.pop_back();
    path_.pop_back();
    next_ = open_.empty() ? expected_next::end : expected_next::separator;
    return event::none;
}

document_cutter::event document_cutter::step_between(char c) {
    if (is_space(c))
        return event::none;
    const bool begins_value = next_ == expected_next::value || next_ == expected_next::value_or_end;
    switch (next_) {
    case expected_next::document:
        if (mark_ < byte_order_mark.size() && c == byte_order_mark[mark_]) {
            ++mark_;
            return event::none;
        }
        if (c == '{' || (c == '[' && takes_array_))
            return open(c);
        break;
    case expected_next::key:
    case expected_next::key_or_end:
        if (c == '"') {
            begin(inside::key, c);
            return event::none;
        }
        break;
    case expected_next::colon:
        if (c == ':') {
            next_ = expected_next::value;
            return event::none;
        }
        break;
    case expected_next::separator:
        if (c == ',') {
            next_ = open_.back() == '{' ? expected_next::key : expected_next::value;
            if (open_.back() == '[')
                path_.back().clear();
            return event::none;
        }
        break;
    case expected_next::end:
        if (c == '{' && count_ == documents::several)
            return open(c);
        break;
    case expected_next::value:
    case expected_next::value_or_end:
        break;
    }
    if (c == '}' || c == ']')
        return close(c);
    if (begins_value && (c == '{' || c == '['))
        return open(c);
    begin(c == '"' ? inside::string : inside::scalar, c);
    if (begins_value)
        return event::none;
    return fail(next_ == expected_next::document ? "expected a JSON object"
                : next_ == expected_next::end    ? "more follows the end of the document"
                                                 : "not valid JSON: unexpected here");
}

document_cutter::event document_cutter::finish() {
    if (inside_ == inside::broken || (inside_ == inside::nothing && next_ == expected_next::end))
        return event::none;
    if (inside_ == inside::nothing)
        text_.clear();
    text_line_ = line_;
    return fail(next_ == expected_next::document ? "expected a JSON object, found the end"
                                                 : "the document does not end");
}

} // namespace fingerpost::io
