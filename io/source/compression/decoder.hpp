// Decompresses a stream of concatenated members of any format, and locates damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "io/source/compression/codec.hpp"

namespace fingerpost::io {

class decoder {
  public:
    // Fails with an explanation if this build lacks the codec's library.
    static expected<decoder, std::string> make(const codec& format);

    // Provides the next bytes of the file. Call it only if needs_input(). The bytes must stay valid until the
    // decoder needs input again.
    void give(std::string_view input) noexcept { input_ = input; }
    bool needs_input() const noexcept { return input_.empty() && !output_waits_; }

    // Fills `out` from the input and returns the number of bytes, or an explanation if the input is corrupt.
    expected<std::size_t, std::string> take(std::span<char> out);

    // Returns an explanation if the file must not end here; otherwise an empty text.
    std::string end_fault() const;

  private:
    explicit decoder(const codec& format) : format_(&format), member_(nullptr, format.close) {}
    bool begin_member();
    std::string fault(std::string_view reason) const;

    const codec* format_;
    std::unique_ptr<void, void (*)(void*)> member_; // null between members
    std::string_view input_;
    std::uint64_t consumed_ = 0; // bytes of the file
    bool output_waits_ =
        false; // the last output space was filled, so there may be more output without new input
};

} // namespace fingerpost::io
