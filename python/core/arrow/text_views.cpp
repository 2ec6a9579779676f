// Pools and stores of texts.
#include "python/core/arrow/text_views.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace fingerpost::python::arrow {

text_pool::text_pool(const std::shared_ptr<const char>& bytes, std::size_t size,
                     std::vector<text_buffer>& buffers)
    : begin_(bytes.get()), size_(size), first_(buffers.size()) {
    for (std::size_t start = 0; start < size; start += step)
        buffers.push_back({{bytes, bytes.get() + start}, std::min(size - start, step + longest)});
}

view text_store::add(std::string_view text) {
    if (text.size() <= view::longest_inline)
        return view_of(text, 0, 0);
    if (text.size() > text_pool::longest)
        throw std::length_error("a text of more than 1 GiB does not fit an Arrow column");
    if (texts_.empty() || texts_.back().size() > text_pool::step) {
        if (texts_.size() == most_)
            throw std::length_error("more than 1 GiB of text in a few thousand rows");
        texts_.emplace_back();
    }
    std::vector<char>& last = texts_.back();
    const std::size_t offset = last.size();
    last.insert(last.end(), text.begin(), text.end());
    return view_of(text, first_ + texts_.size() - 1, offset);
}

void text_store::finish(std::vector<text_buffer>& buffers) && {
    for (std::vector<char>& text : texts_) {
        const auto owner = std::make_shared<const std::vector<char>>(std::move(text));
        buffers.push_back({{owner, owner->data()}, owner->size()});
    }
    texts_.clear();
}

} // namespace fingerpost::python::arrow
