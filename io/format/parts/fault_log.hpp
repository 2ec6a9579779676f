// Collects the faults of an input: a given number is reported and skipped; the next one ends the reading.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/format/parts/input_error.hpp"

namespace fingerpost::io {

class fault_log {
  public:
    using listener = std::function<void(const input_error&)>;

    // `file`: the name of the input in errors. `on_skip`: called for each skipped fault.
    explicit fault_log(std::string file, std::uint64_t allowed = 0, listener on_skip = {})
        : file_(std::move(file)), allowed_(allowed), on_skip_(std::move(on_skip)) {}

    // Returns true if the fault is skipped. Otherwise it becomes the error, and reading must stop.
    bool refuse(std::uint64_t line, std::string_view text, std::string reason) {
        input_error fault{file_, line, std::string(text), std::move(reason)};
        if (skipped_ == allowed_) {
            error_ = std::move(fault);
            return false;
        }
        ++skipped_;
        if (on_skip_)
            on_skip_(fault);
        return true;
    }
    // Sets an error that is never skipped because it concerns the whole input. Always returns false, so that
    // callers can return it.
    bool fail(std::uint64_t line, std::string_view text, std::string reason) {
        error_ = input_error{file_, line, std::string(text), std::move(reason)};
        return false;
    }

    bool failed() const noexcept { return error_.has_value(); }
    std::optional<input_error> take_error() { return std::move(error_); }
    std::uint64_t skipped() const noexcept { return skipped_; }

  private:
    std::string file_;
    std::uint64_t allowed_;
    listener on_skip_;
    std::uint64_t skipped_ = 0;
    std::optional<input_error> error_;
};

} // namespace fingerpost::io
