// Writes valid JSON: handles commas, escapes, and numbers that JSON cannot represent.
#pragma once

#include <cassert>
#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fingerpost::bench {

class json_writer {
  public:
    // Inner levels are on one line, so a result file has one line per row and is easy to diff.
    explicit json_writer(std::size_t spread_levels = 2) : spread_levels_(spread_levels) {}

    void begin_object() { open('{'); }
    void end_object() { close('}'); }
    void begin_array() { open('['); }
    void end_array() { close(']'); }

    void key(std::string_view name) {
        separate();
        string(name);
        text_ += ": ";
        after_key_ = true;
    }

    void value(std::string_view s) {
        separate();
        string(s);
    }
    void value(const char* s) { value(std::string_view(s)); }
    void value(bool b) {
        separate();
        text_ += b ? "true" : "false";
    }
    template <std::integral T>
    void value(T number) {
        separate();
        text_ += fmt::format("{}", number);
    }
    // Seven digits exceed the precision of all clocks. Not-a-number becomes null.
    void value(double number) {
        separate();
        text_ += std::isfinite(number) ? fmt::format("{:.7g}", number) : "null";
    }
    void null() {
        separate();
        text_ += "null";
    }
    template <class T>
    void value(const std::vector<T>& items) {
        begin_array();
        for (const T& item : items)
            value(item);
        end_array();
    }
    template <class T>
    void member(std::string_view name, const T& item) {
        key(name);
        value(item);
    }

    // Writes null if the number is not known.
    template <class T>
    void member_if(bool known, std::string_view name, const T& number) {
        key(name);
        if (known)
            value(number);
        else
            null();
    }

    // Returns the whole document. Call it after closing the last container.
    std::string take() {
        assert(levels_.empty());
        text_ += '\n';
        return std::move(text_);
    }

  private:
    void open(char bracket) {
        separate();
        text_ += bracket;
        levels_.push_back(false);
    }
    void close(char bracket) {
        assert(!levels_.empty() && !after_key_);
        const bool had_items = levels_.back();
        levels_.pop_back();
        if (had_items && levels_.size() < spread_levels_)
            new_line();
        text_ += bracket;
    }
    // Called before every key and every value. A value directly after its key needs no separator.
    void separate() {
        if (std::exchange(after_key_, false) || levels_.empty())
            return;
        const bool first = !levels_.back();
        levels_.back() = true;
        if (!first)
            text_ += ',';
        if (levels_.size() <= spread_levels_)
            new_line();
        else if (!first)
            text_ += ' ';
    }
    void new_line() {
        text_ += '\n';
        text_.append(levels_.size() * 2, ' ');
    }
    void string(std::string_view s) {
        text_ += '"';
        for (const char c : s) {
            if (c == '"' || c == '\\')
                text_ += {'\\', c};
            else if (static_cast<unsigned char>(c) < 0x20)
                text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
            else
                text_ += c;
        }
        text_ += '"';
    }

    std::size_t spread_levels_;
    std::string text_;
    std::vector<bool> levels_; // whether the container of each level has an item
    bool after_key_ = false;
};

} // namespace fingerpost::bench
