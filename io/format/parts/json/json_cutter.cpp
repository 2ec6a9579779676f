// Implements the states between and within objects.
#include "io/format/parts/json/json_cutter.hpp"

#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

constexpr std::size_t max_shown = 100;

} // namespace

json_cutter::event json_cutter::step_inside(char c) {
    if (c == '\n' && (extent_.in_string() || one_line_))
        return tell_bad("the object does not end in this line", place::outside);
    text_ += c;
    if (text_.size() > max_object_bytes)
        return tell_bad("the object has more than 1 MiB", place::skipped_line);
    if (!extent_.take(c))
        return event::none;
    one_line_ = one_line_ || (!has_object_ && !in_array_ && text_line_ == line_);
    has_object_ = true;
    place_ = place::outside;
    wants_ = wanted::separator;
    return tell(event::object);
}

json_cutter::event json_cutter::step_text(char c) {
    if (c == '\n')
        return tell_bad("the text does not end in this line", place::outside);
    text_ += c;
    if (text_.size() > max_object_bytes)
        return tell_bad("the text has more than 1 MiB", place::skipped_line);
    const bool ends = c == '"' && !is_escaped_;
    is_escaped_ = c == '\\' && !is_escaped_;
    if (!ends)
        return event::none;
    place_ = place::outside;
    wants_ = wanted::separator;
    return tell(event::object);
}

json_cutter::event json_cutter::step_outside(char c) {
    if (place_ == place::outside) {
        if (takes_outside(c))
            return event::none;
        place_ = place::wrong_line;
        text_line_ = line_;
    }
    if (c != '\n') {
        if (place_ == place::wrong_line && text_.size() < max_shown)
            text_ += c;
        return event::none;
    }
    if (place_ == place::wrong_line)
        return tell_bad("neither an object nor what stands between two", place::outside);
    place_ = place::outside;
    return event::none;
}

// Returns false if the character may not be between objects.
bool json_cutter::takes_outside(char c) {
    if (is_blank(c) || c == '\n' || c == '\r')
        return true;
    if (wants_ == wanted::first && mark_ < byte_order_mark.size() && c == byte_order_mark[mark_]) {
        ++mark_;
        return true;
    }
    const bool any = wants_ == wanted::anything;
    switch (c) {
    case '"':
        if (!takes_texts_ || !in_array_)
            return false;
        [[fallthrough]];
    case '{':
        if (wants_ == wanted::nothing || (wants_ == wanted::separator && in_array_))
            return false;
        place_ = c == '{' ? place::object : place::text;
        extent_.begin();
        is_escaped_ = false;
        text_ = c;
        text_line_ = line_;
        return true;
    case '[':
        if (wants_ != wanted::first || in_array_)
            return false;
        in_array_ = true;
        return true;
    case ',':
        if (!in_array_ || !(any || wants_ == wanted::separator))
            return false;
        wants_ = wanted::element;
        return true;
    case ']':
        if (!in_array_ || wants_ == wanted::element || wants_ == wanted::nothing)
            return false;
        wants_ = wanted::nothing;
        return true;
    default:
        return false;
    }
}

json_cutter::event json_cutter::finish() {
    if (is_told_)
        text_.clear();
    if (place_ == place::object || place_ == place::text)
        return tell_bad(place_ == place::object ? "the object does not end" : "the text does not end",
                        place::outside);
    if (place_ == place::wrong_line)
        return tell_bad("neither an object nor what stands between two", place::outside);
    if (!in_array_ || wants_ == wanted::nothing)
        return event::none;
    text_line_ = line_;
    return tell_bad("the array does not end", place::outside);
}

} // namespace fingerpost::io
