// Reads addresses one by one, without copying all of them.
#include "cli/serve/http/request_addresses.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/format/parts/words.hpp"

namespace fingerpost::cli {
namespace {

constexpr std::string_view json_space = " \t\r\n";

std::string_view without_space(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(json_space);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(json_space) + 1 - begin);
}

int digit_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

} // namespace

std::string percent_decoded(std::string_view text, bool plus_is_blank) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_code = text[i] == '%' && i + 2 < text.size() && digit_value(text[i + 1]) >= 0 &&
                             digit_value(text[i + 2]) >= 0;
        if (is_code) {
            out += static_cast<char>(digit_value(text[i + 1]) * 16 + digit_value(text[i + 2]));
            i += 2;
        } else {
            out += plus_is_blank && text[i] == '+' ? ' ' : text[i];
        }
    }
    return out;
}

namespace {

// Accepts `["...", ...]` from the parser and stops at anything else.
class json_addresses final : public nlohmann::json_sax<nlohmann::json> {
  public:
    json_addresses(std::size_t most, session& into) : most_(most), asked_(into) {}

    const refusal& why() const noexcept { return why_; }

    bool string(string_t& text) override {
        if (asked_.count() == most_)
            return refuse(too_many_addresses(most_));
        asked_.add(text);
        return true;
    }
    bool start_array(std::size_t) override {
        if (!is_open_) {
            is_open_ = true;
            return true;
        }
        return refuse_element("an array");
    }
    bool end_array() override { return true; }
    bool null() override { return refuse_element("null"); }
    bool boolean(bool) override { return refuse_element("a boolean"); }
    bool number_integer(number_integer_t) override { return refuse_element("a number"); }
    bool number_unsigned(number_unsigned_t) override { return refuse_element("a number"); }
    bool number_float(number_float_t, const string_t&) override { return refuse_element("a number"); }
    bool binary(binary_t&) override { return refuse_element("binary"); }
    bool start_object(std::size_t) override { return refuse_element("an object"); }
    bool key(string_t&) override { return false; }
    bool end_object() override { return false; }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        return refuse({400, fmt::format("invalid JSON at byte {}", position)});
    }

  private:
    bool refuse(refusal why) {
        why_ = std::move(why);
        return false;
    }
    bool refuse_element(std::string_view what) {
        return refuse({400, fmt::format("element {} of the array is {}; addresses are strings",
                                        asked_.count() + 1, what)});
    }

    std::size_t most_;
    session& asked_;
    bool is_open_ = false;
    refusal why_;
};

refusal ask_lines(std::string_view body, std::size_t most, session& into) {
    while (!body.empty()) {
        const std::size_t end = std::min(body.find('\n'), body.size());
        const std::string_view line = without_space(body.substr(0, end));
        body.remove_prefix(std::min(end + 1, body.size()));
        if (line.empty())
            continue;
        if (into.count() == most)
            return too_many_addresses(most);
        into.add(line);
    }
    return {};
}

} // namespace

refusal too_many_addresses(std::size_t most) {
    return {413, fmt::format("a request has at most {} addresses (--max-addresses)", most)};
}

namespace {

// Calls use(value) with each raw value of the parameters with this name, until it returns false.
template <class F>
void for_each_value(std::string_view query, std::string_view name, F use) {
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view parameter = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        const std::size_t equals = parameter.find('=');
        if (equals != std::string_view::npos && parameter.substr(0, equals) == name &&
            !use(parameter.substr(equals + 1)))
            return;
    }
}

} // namespace

std::vector<std::string> query_values(std::string_view query, std::string_view name) {
    std::vector<std::string> values;
    for_each_value(query, name, [&](std::string_view value) {
        values.push_back(percent_decoded(value, true));
        return true;
    });
    return values;
}

refusal ask_query(std::string_view query, std::size_t most, session& into) {
    refusal why;
    for_each_value(query, "address", [&](std::string_view value) {
        if (into.count() == most)
            why = too_many_addresses(most);
        else
            into.add(percent_decoded(value, true));
        return why.code == 0;
    });
    return why;
}

refusal ask_body(std::string_view body, std::size_t most, session& into) {
    const std::string_view text = without_space(io::without_byte_order_mark(body));
    if (text.starts_with('{') || text.starts_with('"'))
        return {400,
                fmt::format("the body is a JSON {}; send an array of strings such as [\"10.1.2.3\"], or an "
                            "address on each line",
                            text.front() == '{' ? "object" : "string")};
    if (!text.starts_with('['))
        return ask_lines(text, most, into);
    json_addresses reader(most, into);
    nlohmann::json::sax_parse(body, &reader);
    return reader.why();
}

} // namespace fingerpost::cli
