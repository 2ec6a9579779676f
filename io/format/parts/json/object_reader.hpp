// Base of the readers of JSON objects: cuts objects, parses their members, and keeps the first error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/format/parts/fault_log.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/format/parts/json/json_cutter.hpp"
#include "io/format/parts/json/json_members.hpp"

namespace fingerpost::io {

class object_reader {
  protected:
    // `nested`: the name of an array, the members of whose objects are kept too, as in json_members.
    // `text_name`: a string that is an element of the outer array is read as an object with one member of
    // this name; if it is empty, strings are refused.
    explicit object_reader(fault_log faults, std::string_view nested = {}, std::string text_name = {})
        : faults_(std::move(faults)), nested_(nested), text_name_(std::move(text_name)),
          cutter_(!text_name_.empty()) {}

    // Calls take() for every object after parsing its members. take() returns false if it has refused the
    // object and reading must stop. Returns false after the first error.
    template <class Take>
    bool feed_objects(std::string_view chunk, Take&& take) {
        if (faults_.failed())
            return false;
        for (const char c : chunk)
            if (const auto event = cutter_.take(c); event != json_cutter::event::none && !give(take, event))
                return false;
        return true;
    }
    // Reports an object without an end. Returns the first error.
    template <class Take>
    std::optional<input_error> finish_objects(Take&& take) {
        if (!faults_.failed())
            if (const auto event = cutter_.finish(); event != json_cutter::event::none)
                (void)give(take, event);
        return faults_.take_error();
    }

    // Members of the current object.
    const json_members& members() const noexcept { return members_; }
    // Reports a fault of the current object. Returns true, for the caller to return, if it is skipped.
    bool refuse(std::string reason) { return refuse(cutter_.text(), std::move(reason)); }
    bool refuse(std::string_view text, std::string reason) {
        return faults_.refuse(cutter_.text_line(), text, std::move(reason));
    }
    // Reports a fault of the whole input, which is never skipped.
    bool fail(std::string_view text, std::string reason) { return faults_.fail(0, text, std::move(reason)); }
    std::optional<input_error> take_error() { return faults_.take_error(); }

    std::uint64_t lines_read() const noexcept { return cutter_.line(); }
    std::uint64_t skipped() const noexcept { return faults_.skipped(); }

  private:
    template <class Take>
    bool give(Take& take, json_cutter::event event) {
        if (event == json_cutter::event::bad)
            return refuse(cutter_.reason());
        std::string_view object = cutter_.text();
        if (object.starts_with('"'))
            object = object_.assign("{\"").append(text_name_).append("\":").append(object).append("}");
        if (auto fault = members_.parse(object, nested_))
            return refuse(std::move(*fault));
        return take();
    }

    fault_log faults_;
    std::string_view nested_;
    std::string text_name_;
    std::string object_; // object that is built for a string
    json_cutter cutter_;
    json_members members_;
};

} // namespace fingerpost::io
