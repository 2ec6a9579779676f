// Views of texts, the rows of a utf8_view column, and the memory that they point to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fingerpost/columns/column.hpp"

namespace fingerpost::python::arrow {

using columns::view;

// Texts that views point to. Owned by the pointer, possibly together with other memory.
struct text_buffer {
    std::shared_ptr<const char> bytes;
    std::size_t size = 0;
};

// The view of a text. Longer texts than view::longest_inline are at `offset` of a buffer.
inline view view_of(std::string_view text, std::size_t buffer, std::size_t offset) noexcept {
    view result{static_cast<std::int32_t>(text.size()), {}};
    if (text.size() <= view::longest_inline) {
        std::memcpy(result.rest, text.data(), text.size());
        return result;
    }
    const std::int32_t place[] = {static_cast<std::int32_t>(buffer), static_cast<std::int32_t>(offset)};
    std::memcpy(result.rest, text.data(), 4);
    std::memcpy(result.rest + 4, place, sizeof(place));
    return result;
}

// `buffers` are those of the column.
inline std::string_view text_of(const view& of, std::span<const text_buffer> buffers) noexcept {
    const auto size = static_cast<std::size_t>(of.size);
    if (of.size <= view::longest_inline)
        return {of.rest, size};
    std::int32_t place[2];
    std::memcpy(place, of.rest + 4, sizeof(place));
    return {buffers[static_cast<std::size_t>(place[0])].bytes.get() + place[1], size};
}

// Texts in one piece of memory of any size, of which no byte is copied. Offsets in buffers have 31 bits, so
// the buffers overlap: each starts `step` bytes after the previous one, and a text is in the buffer where it
// starts.
class text_pool {
  public:
    static constexpr std::size_t step = std::size_t{1} << 30;
    static constexpr std::size_t longest = std::numeric_limits<std::int32_t>::max() - step;

    text_pool() = default;
    // Adds its buffers to those of a column. `bytes` may be null if `size` is 0.
    text_pool(const std::shared_ptr<const char>& bytes, std::size_t size, std::vector<text_buffer>& buffers);

    const char* begin() const noexcept { return begin_; }
    std::size_t size() const noexcept { return size_; }
    // The view of size bytes at `start`. `size` is at most `longest`.
    view at(std::size_t start, std::size_t size) const noexcept {
        return view_of({begin_ + start, size}, first_ + start / step, start % step);
    }

  private:
    const char* begin_ = nullptr;
    std::size_t size_ = 0;
    std::size_t first_ = 0; // number of its first buffer
};

// Collects texts in buffers of its own.
class text_store {
  public:
    // `first` is the number of its first buffer. Throws std::length_error after `most` buffers of about 1
    // GiB.
    explicit text_store(std::size_t first = 0, std::size_t most = std::numeric_limits<std::int32_t>::max())
        : first_(first), most_(most) {}

    view add(std::string_view text);
    bool is_empty() const noexcept { return texts_.empty(); }
    // Moves the texts to the end of `buffers`.
    void finish(std::vector<text_buffer>& buffers) &&;

  private:
    std::size_t first_;
    std::size_t most_;
    std::vector<std::vector<char>> texts_;
};

} // namespace fingerpost::python::arrow
