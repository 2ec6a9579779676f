// The members of a JSON object that are texts, numbers and truth values. Needs nlohmann's JSON; without it
// every object is refused with an explanation.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/values/column_type.hpp"

namespace fingerpost::io {

// Of integers as far as 64 bits go, with or without a sign; of null nothing.
using json_type = std::optional<column_type>;

struct json_member {
    std::string name;
    std::string text; // integers in decimal, other numbers as they are written; null is empty
    json_type type = std::nullopt;

    // Missing if it is null.
    std::string_view cell() const noexcept { return type ? std::string_view(text) : missing_cell; }
};

class json_members {
  public:
    // Returns nothing, or what is wrong with the text; then the members before that place are kept. Members
    // that are objects or arrays are left out, unless `nested` names an array. In that case the members of
    // the array's objects are in elements(), and the members of an object within an object have that object's
    // name in front: `via.host`. What lies deeper is left out.
    std::optional<std::string> parse(std::string_view object, std::string_view nested = {});

    // The members that the last parse() found, valid until the next one.
    std::size_t size() const noexcept { return used_; }
    const json_member& operator[](std::size_t i) const noexcept { return members_[i]; }
    // The text of a member, of the last one if several have the name; empty if it is missing.
    std::string_view text_of(std::string_view name) const noexcept;
    const std::vector<std::vector<json_member>>& elements() const noexcept { return elements_; }

  private:
    friend class json_listener;
    json_member& add();

    std::vector<json_member> members_; // the first used_ count; the others keep their memory
    std::size_t used_ = 0;
    std::vector<std::vector<json_member>> elements_;
};

// Empty if the member is missing.
std::string_view text_of(const std::vector<json_member>& members, std::string_view name) noexcept;

} // namespace fingerpost::io
