// Uses Boost.Beast's parser, with additional checks.
#include "system/http/http_reader.hpp"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <functional>
#include <utility>

#include "system/http/http_hosts.hpp"

namespace fingerpost::system {
namespace {

namespace beast = boost::beast::http;
using beast_text = boost::beast::string_view;
using beast_error = boost::beast::error_code;

// Chunk lines count as framing, not as body.
constexpr std::size_t framing_share = 2;
constexpr std::size_t framing_bytes = std::size_t{64} << 10;

std::string_view view_of(beast_text text) {
    return {text.data(), text.size()};
}

bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\t') || byte == 0x7f;
    });
}

bool is_number(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Whether the line is that of a chunk of length zero.
bool is_last_chunk(std::string_view line) {
    constexpr std::string_view digits = "123456789abcdefABCDEF";
    const std::size_t end = line.find_first_not_of('0');
    return end != 0 && (end == std::string_view::npos || digits.find(line[end]) == std::string_view::npos);
}

// Whether the head begins with a request line that ends with any HTTP version.
bool names_version(std::string_view head) {
    constexpr std::string_view form = " HTTP/0.0";
    const std::string_view line = head.substr(0, head.find('\r'));
    if (line.size() < form.size() || std::count(line.begin(), line.end(), ' ') != 2)
        return false;
    const std::string_view end = line.substr(line.size() - form.size());
    for (std::size_t i = 0; i < form.size(); ++i)
        if (form[i] == '0' ? !is_number(end.substr(i, 1)) : end[i] != form[i])
            return false;
    return true;
}

} // namespace

// Receives the results of Beast. Beast reports errors by codes; our own refusals are in `why`.
class http_reader::parser final : public beast::basic_parser<true> {
  public:
    parser(const http_reader_limits& limits, http_request& request)
        : request_(request), max_target_(limits.target_bytes) {
        // The size of the head is checked before Beast gets it.
        header_limit(static_cast<std::uint32_t>(
            std::min<std::size_t>(limits.head_bytes, std::size_t{1} << 30) + framing_bytes));
        body_limit(boost::optional<std::uint64_t>(limits.body_bytes));
    }

    http_refusal why;
    unsigned lengths = 0;
    unsigned codings = 0;
    unsigned hosts = 0;
    std::string coding;
    bool is_known_method = false;
    std::uint64_t chunk_left = 0; // left in the current chunk

  private:
    void refuse(int code, std::string words, beast_error& error) {
        why = {code, std::move(words)};
        error = beast::error::bad_value;
    }

    void on_request_impl(beast::verb verb, beast_text method, beast_text target, int version,
                         beast_error& error) override {
        is_known_method = verb != beast::verb::unknown;
        request_.method = view_of(method);
        request_.target = view_of(target);
        request_.is_old = version == 10;
        if (target.size() > max_target_)
            refuse(414, "the path and its parameters are too long; use POST", error);
    }

    void on_response_impl(int, beast_text, int, beast_error&) override {}

    void on_field_impl(beast::field name, beast_text text, beast_text value, beast_error& error) override {
        if (is_folded(text, value))
            return refuse(400, "a line of the head is folded", error);
        // Trailers are ignored.
        if (is_body_)
            return;
        if (name == beast::field::content_length) {
            ++lengths;
            if (!is_number(view_of(value)))
                return refuse(400, "Content-Length is not a number", error);
        } else if (name == beast::field::transfer_encoding) {
            ++codings;
            coding = view_of(value);
        } else if (name == beast::field::host) {
            ++hosts;
            request_.host = view_of(value);
        }
        request_.fields.emplace_back(view_of(text), view_of(value));
    }

    // Beast unfolds a value into its own memory, or skips its first line.
    static bool is_folded(beast_text name, beast_text value) {
        const char* const begin = name.data() + name.size();
        const std::less<const char*> before;
        // Otherwise only a colon and blanks are between a name and its value in the head.
        if (before(value.data(), begin) || before(begin + max_field_bytes, value.data()))
            return true;
        return std::find(begin, value.data(), '\r') != value.data();
    }

    void on_header_impl(beast_error&) override { is_body_ = true; }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, beast_error&) override {}

    std::size_t on_body_impl(beast_text bytes, beast_error&) override {
        request_.body.append(bytes.data(), bytes.size());
        return bytes.size();
    }

    void on_chunk_header_impl(std::uint64_t size, beast_text extension, beast_error& error) override {
        chunk_left = size;
        if (has_control(view_of(extension)))
            refuse(400, "a chunk extension has a control character", error);
    }

    std::size_t on_chunk_body_impl(std::uint64_t, beast_text bytes, beast_error&) override {
        chunk_left -= bytes.size();
        request_.body.append(bytes.data(), bytes.size());
        return bytes.size();
    }

    void on_finish_impl(beast_error&) override {}

    static constexpr std::ptrdiff_t max_field_bytes = std::ptrdiff_t{1} << 31;

    http_request& request_;
    std::size_t max_target_;
    bool is_body_ = false;
};

http_reader::http_reader(const http_reader_limits& limits) : limits_(limits) {
    begin();
}

http_reader::~http_reader() = default;

void http_reader::begin() {
    request_ = {};
    parser_ = std::make_unique<parser>(limits_, request_);
    stage_ = stage::head;
    scanned_ = at_;
    head_bytes_ = 0;
    line_bytes_ = 0;
    last_ = '\0';
    framed_bytes_ = 0;
}

void http_reader::feed(std::string_view bytes) {
    in_.erase(0, at_);
    scanned_ -= std::min(at_, scanned_);
    line_ -= std::min(at_, line_);
    at_ = 0;
    in_ += bytes;
}

http_reader::step http_reader::refuse(int code, std::string words) {
    stage_ = stage::refused;
    why_ = {code, std::move(words)};
    return step::refused;
}

http_reader::step http_reader::next() {
    if (stage_ == stage::refused)
        return step::refused;
    if (stage_ == stage::whole)
        begin();
    return stage_ == stage::head ? read_head() : read_body();
}

// Goes byte by byte, so that a head is refused at the same byte regardless of its pieces. Drops empty lines
// before a request (RFC 9112, section 2.2).
bool http_reader::find_head_end() {
    while (scanned_ != in_.size()) {
        const char c = in_[scanned_++];
        if (++head_bytes_ > limits_.head_bytes) {
            refuse(431, "the head of the request is too long");
            return false;
        }
        if ((c == '\n') != (last_ == '\r')) {
            refuse(400, "a line of the head does not end with CR and LF");
            return false;
        }
        last_ = c;
        if (c == '\n' && std::exchange(line_bytes_, 0) == 0) {
            if (scanned_ - at_ > 2)
                return true;
            at_ = scanned_;
        } else if (c != '\r' && c != '\n') {
            ++line_bytes_;
        }
    }
    return false;
}

http_reader::step http_reader::read_head() {
    if (!find_head_end())
        return stage_ == stage::refused ? step::refused : step::more;
    const std::string_view head = std::string_view(in_).substr(at_, scanned_ - at_);
    beast_error error;
    parser_->put({head.data(), head.size()}, error);
    if (parser_->why.code != 0)
        return refuse(parser_->why.code, parser_->why.words);
    if (error == beast::error::bad_version && names_version(head))
        return refuse(505, "only HTTP/1.0 and HTTP/1.1 are supported");
    if (error == beast::error::body_limit)
        return refuse(413, "the body is too long");
    if (error)
        return refuse(400, "the request is not HTTP: " + error.message());
    at_ = scanned_;
    stage_ = stage::body;
    return check_head();
}

http_reader::step http_reader::check_head() {
    if (!parser_->is_known_method)
        return refuse(501, "the method is unknown");
    if (parser_->lengths > 1)
        return refuse(400, "Content-Length occurs twice");
    if (parser_->codings != 0 && parser_->lengths != 0)
        return refuse(400, "Content-Length and Transfer-Encoding must not occur together");
    if (parser_->codings != 0 && request_.is_old)
        return refuse(400, "HTTP/1.0 has no Transfer-Encoding");
    if (parser_->codings > 1)
        return refuse(400, "Transfer-Encoding occurs twice");
    if (parser_->codings == 1 && !is_same_word(parser_->coding, "chunked"))
        return refuse(parser_->chunked() ? 501 : 400, "the only supported Transfer-Encoding is chunked");
    request_.has_length = parser_->lengths + parser_->codings != 0;
    request_.has_body = !parser_->is_done();
    request_.keeps = parser_->keep_alive();
    if (const step refused = check_target(); refused == step::refused)
        return refused;
    return check_host();
}

// Targets with a scheme and a host are for proxies, but a server must accept them (RFC 9112, section 3.2.2).
http_reader::step http_reader::check_target() {
    constexpr std::string_view scheme = "http://";
    std::string& target = request_.target;
    if (target.front() == '/' || target == "*")
        return step::head;
    if (!is_same_word(std::string_view(target).substr(0, scheme.size()), scheme))
        return refuse(400, "the target of the request is not a path");
    const std::size_t end = std::min(target.find_first_of("/?", scheme.size()), target.size());
    const std::string host = target.substr(scheme.size(), end - scheme.size());
    if (host.empty())
        return refuse(400, "the target of the request has no host");
    // The host replaces the Host field, which must be present nevertheless.
    if (parser_->hosts != 0)
        request_.host = host;
    target.erase(0, end);
    if (target.empty() || target.front() != '/')
        target.insert(0, 1, '/');
    return step::head;
}

http_reader::step http_reader::check_host() {
    if (parser_->hosts > 1)
        return refuse(400, "Host occurs twice");
    if (parser_->hosts == 0 && !request_.is_old)
        return refuse(400, "HTTP/1.1 requires the field Host");
    if (!request_.host.empty() && !split_host(request_.host))
        return refuse(400, "Host is not a name with a port");
    return step::head;
}

// Scans to the end of a chunk's line or, after the last chunk, to the empty line that ends the trailers.
// Beast gets only whole lines: given a part, it would request more input for a quoted string that continues
// beyond its line, or for a single line feed. No byte is examined twice, because a client may send them one
// by one.
bool http_reader::find_chunk_line(std::size_t end) {
    if (scanned_ <= at_) {
        scanned_ = line_ = at_;
        in_trailers_ = false;
    }
    while (scanned_ < end) {
        const bool is_after_return = scanned_ != at_ && in_[scanned_ - 1] == '\r';
        if ((in_[scanned_] == '\n') != is_after_return) {
            refuse(400, "a line of a chunk does not end with CR and LF");
            return false;
        }
        ++scanned_;
        if (!is_after_return)
            continue;
        const std::string_view line = std::string_view(in_).substr(line_, scanned_ - 2 - line_);
        // The first empty line is the end of the previous chunk.
        const bool is_chunk_end = line_ == at_ && line.empty();
        line_ = scanned_;
        if (is_chunk_end)
            continue;
        if (in_trailers_ ? line.empty() : !is_last_chunk(line))
            return true;
        in_trailers_ = true;
    }
    return false;
}

http_reader::step http_reader::read_body() {
    while (!parser_->is_done()) {
        const std::size_t max_bytes = limits_.body_bytes * framing_share + framing_bytes - framed_bytes_;
        const std::size_t end = at_ + std::min(max_bytes, in_.size() - at_);
        const bool is_line = parser_->chunked() && parser_->chunk_left == 0;
        const bool is_present = is_line ? find_chunk_line(end) : end != at_;
        if (stage_ == stage::refused)
            return step::refused;
        if (!is_present)
            return end - at_ == max_bytes ? refuse(413, "the body is too long") : step::more;
        if (put_body((is_line ? scanned_ : end) - at_) == step::refused)
            return step::refused;
    }
    stage_ = stage::whole;
    return step::whole;
}

http_reader::step http_reader::put_body(std::size_t size) {
    beast_error error;
    const std::size_t used = parser_->put({in_.data() + at_, size}, error);
    at_ += used;
    framed_bytes_ += used;
    if (parser_->why.code != 0)
        return refuse(parser_->why.code, parser_->why.words);
    if (error == beast::error::body_limit)
        return refuse(413, "the body is too long");
    if (error)
        return refuse(400, "the body has invalid chunks: " + error.message());
    return step::more;
}

} // namespace fingerpost::system
