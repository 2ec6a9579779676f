// Finds the blocks of arrays that differ from the version before.
#include "gpu/array_upload.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fingerpost::gpu {
namespace {

// Bytes that are compared and copied together.
constexpr std::size_t block_bytes = 512;
// Differences that are at most this far apart become one copy, because starting a copy also takes time.
constexpr std::size_t gap_bytes = 16'384;

// Makes room for an array. Arrays of later versions have space to grow.
void reserve(uploaded_array& to, std::size_t bytes, bool is_first) {
    if (bytes <= to.capacity && bytes > to.capacity / 4)
        return;
    to = {};
    if (bytes == 0)
        return;
    const std::size_t capacity = is_first ? bytes : bytes + bytes / 8;
    to.memory = device_memory(capacity);
    to.capacity = capacity;
}

} // namespace

const void* array_upload::place(std::span<const std::byte> items) {
    const std::size_t number = placed_++;
    if (to_.size() <= number)
        to_.resize(number + 1);
    uploaded_array& to = to_[number];
    reserve(to, items.size(), before_ == nullptr);
    to.content.clear();
    std::size_t known = 0;
    if (before_ != nullptr && number < before_->size()) {
        uploaded_array& from = (*before_)[number];
        to.content.swap(from.content);
        known = std::min(to.content.size(), items.size());
        if (known != 0)
            copy_anywhere(to.memory.get(), from.memory.get(), known, in_);
    }
    to.content.resize(items.size());
    write_differences(to, items, known);
    return to.memory.get();
}

// The device already has `known` bytes of the content.
void array_upload::write_differences(uploaded_array& to, std::span<const std::byte> items,
                                     std::size_t known) {
    std::size_t begin = 0, end = 0; // differences that are not written yet
    for (std::size_t at = 0; at < items.size(); at += block_bytes) {
        const std::size_t next = std::min(at + block_bytes, items.size());
        if (next <= known && std::memcmp(&to.content[at], &items[at], next - at) == 0)
            continue;
        if (begin == end || at > end + gap_bytes) {
            write(to, items, begin, end);
            begin = at;
        }
        end = next;
    }
    write(to, items, begin, end);
}
// Copies from `content`, because `items` may end before the copy.
void array_upload::write(uploaded_array& to, std::span<const std::byte> items, std::size_t begin,
                         std::size_t end) {
    if (begin == end)
        return;
    std::copy(items.begin() + begin, items.begin() + end, to.content.begin() + begin);
    copy_to_device(static_cast<std::byte*>(to.memory.get()) + begin, &to.content[begin], end - begin, in_);
    bytes_ += end - begin;
}

void array_upload::finish() {
    to_.resize(placed_);
    wait_for_stream(in_);
}

} // namespace fingerpost::gpu
