// Writes the heads of answers, and finds fields of requests.
#include "system/http/http_message.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

namespace fingerpost::system {
namespace {

struct http_title {
    int code;
    std::string_view text;
};

// The titles of RFC 9110, section 15.
constexpr std::array titles{
    http_title{200, "OK"},
    http_title{400, "Bad Request"},
    http_title{404, "Not Found"},
    http_title{405, "Method Not Allowed"},
    http_title{408, "Request Timeout"},
    http_title{411, "Length Required"},
    http_title{413, "Content Too Large"},
    http_title{414, "URI Too Long"},
    http_title{415, "Unsupported Media Type"},
    http_title{417, "Expectation Failed"},
    http_title{421, "Misdirected Request"},
    http_title{431, "Request Header Fields Too Large"},
    http_title{500, "Internal Server Error"},
    http_title{501, "Not Implemented"},
    http_title{503, "Service Unavailable"},
    http_title{505, "HTTP Version Not Supported"},
};

std::string_view title_of(int code) {
    const auto* const match = std::find_if(titles.begin(), titles.end(),
                                           [&](const http_title& title) { return title.code == code; });
    return match == titles.end() ? std::string_view("Refused") : match->text;
}

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

} // namespace

bool is_same_word(std::string_view first, std::string_view second) noexcept {
    return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
}

std::string http_request::field(std::string_view name) const {
    std::string joined;
    bool has_value = false;
    for (const auto& [key, value] : fields) {
        if (!is_same_word(key, name))
            continue;
        joined += has_value ? ", " : "";
        joined += value;
        has_value = true;
    }
    return joined;
}

std::string_view http_request::path() const noexcept {
    return std::string_view(target).substr(0, target.find('?'));
}

std::string_view http_request::query() const noexcept {
    const std::size_t mark = target.find('?');
    return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

std::string text_of(const http_answer& answer, const http_farewell& end, bool is_head) {
    std::string text;
    text.reserve(answer.body.size() + 256);
    auto out = std::back_inserter(text);
    fmt::format_to(out, "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n", answer.code,
                   title_of(answer.code), answer.type, answer.body.size());
    for (const auto& [name, value] : answer.fields)
        fmt::format_to(out, "{}: {}\r\n", name, value);
    if (end.closes)
        text += "Connection: close\r\n";
    else if (end.is_old)
        text += "Connection: keep-alive\r\n";
    if (!end.closes)
        fmt::format_to(out, "Keep-Alive: timeout={}\r\n", end.idle_seconds);
    text += "\r\n";
    if (!is_head)
        text += answer.body;
    return text;
}

} // namespace fingerpost::system
