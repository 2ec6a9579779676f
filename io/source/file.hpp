// Reads bytes from a file, a pipe or standard input, and decompresses them if they are compressed.
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
    // Opens a file. `-` is standard input, named `stdin` in errors. Recognises gzip, bzip2, xz and zstd.
    static expected<file_source, input_error> open(const std::string& path);

    // Takes an open descriptor, and closes it at the end. `name`: the name in errors.
    static file_source of_descriptor(int descriptor, std::string name);

    file_source(file_source&& other) noexcept;
    file_source& operator=(file_source&&) = delete;
    ~file_source();

    // Returns the next bytes: those that are available, at most a block; empty at the end. Valid until the
    // next call. For a pipe it does not wait for a full block.
    expected<std::string_view, input_error> read();

    // Returns the bytes that the next read() will return, after reading until there are at least this many or
    // the end is reached. Valid until the next call.
    expected<std::string_view, input_error> peek(std::size_t min_size);

    // Returns the last bytes of a regular file, at most this many, without decompression. Returns nothing for
    // other sources. Does not affect read().
    std::string last_bytes(std::size_t max_size) const;
    // Sets a function that is called after each read of the file, with the number of bytes read so far
    // (before decompression) and whether the end was reached. The reading thread calls it.
    using watcher = std::function<void(std::uint64_t bytes, bool is_end)>;
    void watch(watcher callback) { watcher_ = std::move(callback); }

    // Known after the first read() or peek().
    bool is_compressed() const noexcept { return decoder_.has_value(); }
    // All bytes exist already, so read() never waits for them to be written.
    bool is_regular() const noexcept { return regular_; }
    const std::string& name() const noexcept { return name_; }

  private:
    file_source(int descriptor, bool owned, std::string name);
    input_error failure(std::string reason) const { return {name_, 0, {}, std::move(reason)}; }
    expected<std::string_view, input_error> read_raw(std::size_t offset);
    std::optional<input_error> recognise();
    expected<std::string_view, input_error> read_decoded();
    expected<std::string_view, input_error> read_next();

    int descriptor_;
    bool owned_; // standard input is not closed
    std::string name_;
    std::vector<char> raw_;     // bytes of the file, not decompressed
    std::vector<char> decoded_; // decompressed bytes
    std::optional<decoder> decoder_;
    std::string_view first_; // read during recognition, not returned yet
    std::string peeked_;     // read ahead, not returned yet
    std::string returned_;   // was read ahead, and returned by read()
    bool regular_ = false;
    bool recognised_ = false;
    bool ended_ = false;
    std::uint64_t raw_bytes_ = 0; // number of bytes read
    watcher watcher_;
};

} // namespace fingerpost::io
