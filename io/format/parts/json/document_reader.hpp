// Base of the readers of large JSON documents: cuts and parses values, and keeps the first error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "io/format/parts/fault_log.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/format/parts/json/document_cutter.hpp"
#include "io/format/parts/json/json_tree.hpp"

namespace fingerpost::io {

class document_reader {
  protected:
    document_reader(fault_log faults, document_cutter::selector selects,
                    document_cutter::documents count = document_cutter::documents::one,
                    bool takes_array = false)
        : faults_(std::move(faults)), cutter_(selects, count, takes_array) {}

    // Calls take(path, value) for every selected value. take() returns false if it has refused the value and
    // reading must stop. Returns false after the first error.
    template <class Take>
    bool feed_values(std::string_view chunk, Take&& take) {
        if (faults_.failed())
            return false;
        for (const char c : chunk)
            if (const auto event = cutter_.take(c);
                event != document_cutter::event::none && !give(take, event))
                return false;
        return true;
    }
    // Ends the input and returns the first error. `member`: a required member of the document, or empty.
    std::optional<input_error> finish_values(std::string_view member) {
        if (!faults_.failed() && cutter_.finish() == document_cutter::event::bad)
            faults_.fail(cutter_.text_line(), cutter_.text(), cutter_.reason());
        if (!faults_.failed() && !member.empty() && !cutter_.has_opened(member))
            faults_.fail(0, member, "the document has no such member");
        return faults_.take_error();
    }

    // Reports a fault of the current value. Returns true, for the caller to return, if the value is skipped.
    bool refuse(std::string_view text, std::string reason) {
        return faults_.refuse(cutter_.text_line(), text, std::move(reason));
    }
    // Reports a fault of the whole input, which is never skipped.
    bool fail(std::string_view text, std::string reason) { return faults_.fail(0, text, std::move(reason)); }
    // Reports a fault of the whole input at its end.
    std::optional<input_error> refuse_document(std::string_view text, std::string reason) {
        fail(text, std::move(reason));
        return faults_.take_error();
    }
    bool has_opened(std::string_view name) const noexcept { return cutter_.has_opened(name); }

    std::uint64_t lines_read() const noexcept { return cutter_.line(); }
    std::uint64_t skipped() const noexcept { return faults_.skipped(); }

  private:
    template <class Take>
    bool give(Take& take, document_cutter::event event) {
        if (event == document_cutter::event::bad)
            return faults_.fail(cutter_.text_line(), cutter_.text(), cutter_.reason());
        if (auto fault = parse_json(cutter_.text(), value_))
            return refuse(cutter_.text(), std::move(*fault));
        return take(cutter_.path(), std::as_const(value_));
    }

    fault_log faults_;
    document_cutter cutter_;
    json_tree value_;
};

} // namespace fingerpost::io
