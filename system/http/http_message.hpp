// A request of HTTP as it was read, and an answer as it will be sent.
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
    std::string host;        // where the request was sent to, with its port; empty in HTTP/1.0 without one
    http_fields fields;      // in the order of the head
    std::string body;        // without the framing of chunks
    bool is_old = false;     // HTTP/1.0
    bool keeps = true;       // the connection, as far as the client is asked
    bool has_length = false; // the head says how long the body is, or that it comes in chunks
    bool has_body = false;   // of more than no bytes, or in chunks

    bool is_head() const noexcept { return method == "HEAD"; }
    // The values of all lines with this name, joined by commas as RFC 9110 has it.
    std::string field(std::string_view name) const;
    // The target up to the question mark, and what follows it.
    std::string_view path() const noexcept;
    std::string_view query() const noexcept;
};

struct http_answer {
    int code = 200;
    std::string type{};
    std::string body{};
    http_fields fields{};
    bool closes = false; // the connection
};

// Why a request is not answered as it asks.
struct http_refusal {
    int code = 0;
    std::string words{};
};

// Equal but for the case of ASCII letters.
bool is_same_word(std::string_view one, std::string_view other) noexcept;

// How the connection goes on, in the words of the answer's head.
struct http_farewell {
    bool closes = false;
    bool is_old = false;           // the client speaks HTTP/1.0, so that keeping must be told
    std::int64_t idle_seconds = 0; // that the connection is kept
};

// The whole answer as it is sent; without its body for HEAD.
std::string text_of(const http_answer& answer, const http_farewell& end, bool is_head);

} // namespace fingerpost::system
