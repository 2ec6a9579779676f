// Implements the loop over members for all compressed formats.
#include "io/source/compression/decoder.hpp"

#include <algorithm>

namespace fingerpost::io {

expected<decoder, std::string> decoder::make(const codec& format) {
    if (format.open == nullptr)
        return unexpected{std::string("compressed with ") + std::string(format.name) +
                          ", which this build cannot read (" + std::string(format.library) + " was missing)"};
    return decoder(format);
}

std::string decoder::fault(std::string_view reason) const {
    return "corrupt " + std::string(format_->name) + " data at byte " + std::to_string(consumed_) + ": " +
           std::string(reason);
}

std::string decoder::end_fault() const {
    if (member_ == nullptr)
        return {};
    return "truncated: the " + std::string(format_->name) + " data ends too early, at byte " +
           std::to_string(consumed_);
}

// Zero bytes between members are padding, with which tapes and xz fill blocks.
bool decoder::begin_member() {
    const std::size_t padding = std::min(input_.find_first_not_of('\0'), input_.size());
    if (consumed_ != 0) {
        input_.remove_prefix(padding);
        consumed_ += padding;
    }
    if (!input_.empty())
        member_.reset(format_->open());
    return member_ != nullptr;
}

expected<std::size_t, std::string> decoder::take(std::span<char> out) {
    std::size_t filled = 0;
    while (filled < out.size() && (!input_.empty() || output_waits_)) {
        if (member_ == nullptr && !begin_member()) {
            if (!input_.empty())
                return unexpected{std::string("out of memory")};
            break;
        }
        const decode_step step =
            format_->decode(member_.get(), {input_.data(), input_.size()}, out.subspan(filled));
        input_.remove_prefix(step.consumed);
        consumed_ += step.consumed;
        filled += step.produced;
        if (step.status == decode_status::failed)
            return unexpected{fault(step.reason)};
        output_waits_ = step.status == decode_status::running && filled == out.size();
        if (step.status == decode_status::member_end) {
            member_.reset();
        } else if (step.consumed == 0 && step.produced == 0) {
            // Without progress, only new input can help.
            if (!input_.empty())
                return unexpected{fault("the decoder makes no progress")};
            break;
        }
    }
    return filled;
}

} // namespace fingerpost::io
