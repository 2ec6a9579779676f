// An HTTP request as it was read, and an answer to send.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fingerpost::system {

using http_fields = std::vector<std::pair<std::string, std::string>>;

struct http_request {
    std::string method;
    std::string target;      // begins with a slash, or is `*`
    std::string host;        // host and port of the target or of the field Host; may be empty in HTTP/1.0
    http_fields fields;      // in the order of the head
    std::string body;        // without the framing of chunks
    bool is_old = false;     // HTTP/1.0
    bool keeps = true;       // the client lets the connection continue
    bool has_length = false; // the head has the length of the body or declares chunks
    bool has_body = false;   // the body has at least one byte, or is chunked

    bool is_head() const noexcept { return method == "HEAD"; }
    // Returns the values of all lines with this name in any letter case, joined by commas as in RFC 9110;
    // empty if there are none.
    std::string field(std::string_view name) const;
    // The target up to the question mark, and the part after it.
    std::string_view path() const noexcept;
    std::string_view query() const noexcept;
};

struct http_answer {
    int code = 200;
    std::string type{}; // Content-Type
    std::string body{};
    http_fields fields{};  // in addition to those that text_of() writes
    std::size_t items = 0; // number of results, for logs; not sent
    bool closes = false;   // requests that the server close the connection; text_of() ignores it
};

// Why a request is refused: the status code, and a sentence for the answer.
struct http_refusal {
    int code = 0;
    std::string words{};
};

// Compares texts, ignoring the case of ASCII letters.
bool is_same_word(std::string_view first, std::string_view second) noexcept;

// State of the connection after an answer, for its head.
struct http_farewell {
    bool closes = false;           // the server closes it after this answer
    bool is_old = false;           // the client uses HTTP/1.0 and is informed if the connection is kept
    std::int64_t idle_seconds = 0; // time for which the connection is kept
};

// Returns the whole answer; for HEAD, without the body. The head has `fields`, Content-Type, Content-Length
// and the state of the connection.
std::string text_of(const http_answer& answer, const http_farewell& end, bool is_head);

} // namespace fingerpost::system
