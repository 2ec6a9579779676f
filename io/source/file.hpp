// Bytes from a file, a pipe or the standard input, decompressed when their first bytes say so.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/source/compression/decoder.hpp"

namespace fingerpost::io {

class file_source {
  public:
    // `-` is the standard input, which errors call `stdin`. Recognised are gzip, bzip2, xz and zstd.
    static expected<file_source, input_error> open(const std::string& path);

    // A descriptor that is open, which this closes at the end; `name` is what errors call it.
    static file_source of_descriptor(int descriptor, std::string name);

    file_source(file_source&& other) noexcept;
    file_source& operator=(file_source&&) = delete;
    ~file_source();

    // The next bytes, as many as are there and at most a block; empty at the end. They live until the next
    // call. Of a pipe it returns what has come in instead of waiting for a full block.
    expected<std::string_view, input_error> read();

    // What the next read() returns, after reading on until that has at least so many bytes or is all there
    // is. It lives until the next call.
    expected<std::string_view, input_error> peek(std::size_t least);

    // Known after the first read() or peek().
    bool is_compressed() const noexcept { return decoder_.has_value(); }
    // All of its bytes are there: no read() waits for somebody to write them.
    bool is_regular() const noexcept { return regular_; }
    const std::string& name() const noexcept { return name_; }

  private:
    file_source(int descriptor, bool owned, std::string name);
    input_error failure(std::string reason) const { return {name_, 0, {}, std::move(reason)}; }
    expected<std::string_view, input_error> read_raw(std::size_t kept);
    std::optional<input_error> recognise();
    expected<std::string_view, input_error> read_decoded();
    expected<std::string_view, input_error> read_on();

    int descriptor_;
    bool owned_; // the standard input is not ours to close
    std::string name_;
    std::vector<char> raw_;     // bytes as they are in the file
    std::vector<char> decoded_; // what the decoder makes of them
    std::optional<decoder> decoder_;
    std::string_view first_; // read while recognising, not yet given out
    std::string peeked_;     // read ahead, not yet given out
    std::string given_;      // what was, and read() has returned
    bool regular_ = false;
    bool recognised_ = false;
    bool ended_ = false;
};

} // namespace fingerpost::io
