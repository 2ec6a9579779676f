// An HTTP request as it was read, and an answer as it will be sent.
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
    std::string host;        // the host and port of the target or else of the field Host; empty if HTTP/1.0
                             // has neither
    http_fields fields;      // in the order of the head
    std::string body;        // without the framing of chunks
    bool is_old = false;     // HTTP/1.0
    bool keeps = true;       // whether the client lets the connection continue
    bool has_length = false; // the head gives the length of the body, or says that it comes in chunks
    bool has_body = false;   // the body has at least one byte, or comes in chunks

    bool is_head() const noexcept { return method == "HEAD"; }
    // The values of all lines with this name in any case of letters, joined by commas as in RFC 9110; empty
    // if there are none.
    std::string field(std::string_view name) const;
    // The target up to the question mark, and the part behind it.
    std::string_view path() const noexcept;
    std::string_view query() const noexcept;
};

struct http_answer {
    int code = 200;
    std::string type{}; // Content-Type
    std::string body{};
    http_fields fields{};  // others than those that text_of() writes
    std::size_t items = 0; // how many things it is about, for logs; not sent
    bool closes = false;   // asks the server to close the connection; text_of() ignores it
};

// Why a request is not answered as asked: the status code, and a sentence from which the handler makes the
// answer.
struct http_refusal {
    int code = 0;
    std::string words{};
};

// Whether they are equal except for the case of ASCII letters.
bool is_same_word(std::string_view one, std::string_view other) noexcept;

// What the head of an answer says about the connection.
struct http_farewell {
    bool closes = false;           // the server closes it after this answer
    bool is_old = false;           // the client uses HTTP/1.0, so it must be told if the connection is kept
    std::int64_t idle_seconds = 0; // so long the connection is kept
};

// The whole answer as it is sent, for HEAD without its body. Besides `fields` the head has Content-Type,
// Content-Length and what `end` says.
std::string text_of(const http_answer& answer, const http_farewell& end, bool is_head);

} // namespace fingerpost::system
