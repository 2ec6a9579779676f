// Reads requests of HTTP/1.1 and 1.0 out of the bytes of a connection, in pieces of any size, and refuses
// what two readers could understand in two ways.
//
// Boost.Beast takes the lines and the chunks apart. It is more patient than RFC 9112 lets a server be that
// stands behind a proxy, so what it would let pass is refused here: folded lines, lengths that are given
// twice or beside chunks, codings of transfer but chunked, and line ends within chunk extensions
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
        more,    // bytes are needed
        head,    // a head has been read; its body follows
        whole,   // a request has been read to its end
        refused, // for good: where the next request begins is not known
    };

    explicit http_reader(const http_reader_limits& limits);
    http_reader(const http_reader&) = delete;
    http_reader& operator=(const http_reader&) = delete;
    ~http_reader();

    void feed(std::string_view bytes);
    // Reads on. Each request is a `head` and later a `whole`.
    step next();

    // From `head` until next() is called after `whole`.
    const http_request& request() const noexcept { return request_; }
    const http_refusal& why() const noexcept { return why_; }
    // Bytes of a request have come in that is not whole yet, or of one that is not read yet.
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
    std::size_t at_ = 0;      // where what has not been read begins
    std::size_t scanned_ = 0; // up to where line ends have been looked at
    std::size_t head_bytes_ = 0;
    std::size_t line_bytes_ = 0; // of the line that is scanned
    char last_ = '\0';
    std::size_t framed_bytes_ = 0; // of the body, with its framing
    std::size_t line_ = 0;         // where the line of a chunk or a trailer begins that is scanned
    bool in_trailers_ = false;     // the line of the last chunk has been scanned
    http_request request_;
    http_refusal why_;
};

} // namespace fingerpost::system
