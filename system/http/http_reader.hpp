// Reads HTTP/1.1 and 1.0 requests from the bytes of a connection, in pieces of any size. Refuses requests
// that two readers could interpret differently.
//
// Boost.Beast parses the lines and the chunks. It accepts more than RFC 9112 permits for a server that is
// used through a proxy. So these are refused here: folded lines, repeated lengths or lengths together with
// chunks, transfer codings other than chunked, and line ends within chunk extensions
// (docs/why/decisions/0024-http-parser.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "system/http/http_message.hpp"

namespace fingerpost::system {

struct http_reader_limits {
    std::size_t head_bytes = std::size_t{32} << 10;
    std::size_t target_bytes = std::size_t{8} << 10;
    std::size_t body_bytes = std::size_t{1} << 20;
};

class http_reader {
  public:
    enum class step : std::uint8_t {
        more,    // more bytes are needed
        head,    // a head was read; its body follows
        whole,   // a request was read to its end
        refused, // final, because the start of the next request is unknown
    };

    explicit http_reader(const http_reader_limits& limits);
    http_reader(const http_reader&) = delete;
    http_reader& operator=(const http_reader&) = delete;
    ~http_reader();

    void feed(std::string_view bytes);
    // Continues reading. Each request yields `head`, and later `whole`.
    step next();

    // Valid from `head` until the first next() after `whole`.
    const http_request& request() const noexcept { return request_; }
    const http_refusal& why() const noexcept { return why_; }
    // Whether bytes of an unfinished or unread request have arrived.
    bool has_begun() const noexcept { return at_ != in_.size() || stage_ == stage::body; }

  private:
    enum class stage : std::uint8_t { head, body, whole, refused };
    class parser;

    void begin();
    bool find_head_end();
    bool find_chunk_line(std::size_t end);
    step put_body(std::size_t size);
    step refuse(int code, std::string words);
    step read_head();
    step read_body();
    step check_head();
    step check_host();
    step check_target();

    http_reader_limits limits_;
    std::unique_ptr<parser> parser_;
    stage stage_ = stage::head;
    std::string in_;
    std::size_t at_ = 0;      // start of the unread bytes
    std::size_t scanned_ = 0; // end of the bytes that were searched for line ends
    std::size_t head_bytes_ = 0;
    std::size_t line_bytes_ = 0; // of the current line
    char last_ = '\0';
    std::size_t framed_bytes_ = 0; // of the body, including its framing
    std::size_t line_ = 0;         // start of the current line of a chunk or trailer
    bool in_trailers_ = false;     // the line of the last chunk was read
    http_request request_;
    http_refusal why_;
};

} // namespace fingerpost::system
