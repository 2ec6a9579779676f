// Implements the states between and within objects.
#include "io/format/parts/json/json_cutter.hpp"

#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

constexpr std::size_t max_shown = 100;

} // namespace

json_cutter::event json_cutter::step_inside(char c) {
    if (c == '\n' && (extent_.in_string() || one_line_))
        return report_bad("the object does not end on this line", place::outside);
    text_ += c;
    if (text_.size() > max_object_bytes)
        return report_bad("the object is larger than 1 MiB", place::skipped_line);
    if (!extent_.take(c))
        return event::none;
    one_line_ = one_line_ || (!has_object_ && !in_array_ && text_line_ == line_);
    has_object_ = true;
    place_ = place::outside;
    next_ = expected_next::separator;
    return report(event::object);
}

json_cutter::event json_cutter::step_text(char c) {
    if (c == '\n')
        return report_bad("the text does not end on this line", place::outside);
    text_ += c;
    if (text_.size() > max_object_bytes)
        return report_bad("the text is larger than 1 MiB", place::skipped_line);
    const bool ends = c == '"' && !is_escaped_;
    is_escaped_ = c == '\\' && !is_escaped_;
    if (!ends)
        return event::none;
    place_ = place::outside;
    next_ = expected_next::separator;
    return report(event::object);
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
        return report_bad("expected an object, or a comma or bracket between objects", place::outside);
    place_ = place::outside;
    return event::none;
}

// Returns false if the character may not be between objects.
bool json_cutter::takes_outside(char c) {
    if (is_blank(c) || c == '\n' || c == '\r')
        return true;
    if (next_ == expected_next::first && mark_ < byte_order_mark.size() && c == byte_order_mark[mark_]) {
        ++mark_;
        return true;
    }
    const bool is_anything = next_ == expected_next::anything;
    switch (c) {
    case '"':
        if (!takes_texts_ || !in_array_)
            return false;
        [[fallthrough]];
    case '{':
        if (next_ == expected_next::nothing || (next_ == expected_next::separator && in_array_))
            return false;
        place_ = c == '{' ? place::object : place::text;
        extent_.begin();
        is_escaped_ = false;
        text_ = c;
        text_line_ = line_;
        return true;
    case '[':
        if (next_ != expected_next::first || in_array_)
            return false;
        in_array_ = true;
        return true;
    case ',':
        if (!in_array_ || !(is_anything || next_ == expected_next::separator))
            return false;
        next_ = expected_next::element;
        return true;
    case ']':
        if (!in_array_ || next_ == expected_next::element || next_ == expected_next::nothing)
            return false;
        next_ = expected_next::nothing;
        return true;
    default:
        return false;
    }
}

json_cutter::event json_cutter::finish() {
    if (is_reported_)
        text_.clear();
    if (place_ == place::object || place_ == place::text)
        return report_bad(place_ == place::object ? "the object does not end" : "the text does not end",
                          place::outside);
    if (place_ == place::wrong_line)
        return report_bad("expected an object, or a comma or bracket between objects", place::outside);
    if (!in_array_ || next_ == expected_next::nothing)
        return event::none;
    text_line_ = line_;
    return report_bad("the array does not end", place::outside);
}

} // namespace fingerpost::io
