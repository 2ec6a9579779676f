// Bytes from a file, a pipe or the standard input, decompressed if their first bytes say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/source/compression/decoder.hpp"

namespace fingerpost::io {

class file_source {
  public:
    // `-` is the standard input, which errors call `stdin`. Recognises gzip, bzip2, xz and zstd.
    static expected<file_source, input_error> open(const std::string& path);

    // Takes an open descriptor, which is closed at the end; `name` is its name in errors.
    static file_source of_descriptor(int descriptor, std::string name);

    file_source(file_source&& other) noexcept;
    file_source& operator=(file_source&&) = delete;
    ~file_source();

    // The next bytes, as many as are available and at most a block; empty at the end. They are valid until
    // the next call. For a pipe it returns what has come in instead of waiting for a full block.
    expected<std::string_view, input_error> read();

    // What the next read() returns, after reading on until that has at least this many bytes or is
    // everything. Valid until the next call.
    expected<std::string_view, input_error> peek(std::size_t least);

    // The last bytes of a regular file, at most this many, as they are in the file; empty of anything else.
    // Changes nothing about what read() returns.
    std::string last_bytes(std::size_t most) const;
    // Told how many bytes of the file itself, compressed or not, have been read after each read of it, and
    // whether that was its end. The thread that reads calls it.
    using watcher = std::function<void(std::uint64_t bytes, bool is_end)>;
    void watch(watcher told) { watcher_ = std::move(told); }

    // Known after the first read() or peek().
    bool is_compressed() const noexcept { return decoder_.has_value(); }
    // All of its bytes exist: no read() waits for them to be written.
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
    std::string_view first_; // read during recognition, not yet returned
    std::string peeked_;     // read ahead, not yet returned
    std::string given_;      // was read ahead, and has been returned by read()
    bool regular_ = false;
    bool recognised_ = false;
    bool ended_ = false;
    std::uint64_t raw_bytes_ = 0; // that have been read
    watcher watcher_;
};

} // namespace fingerpost::io
