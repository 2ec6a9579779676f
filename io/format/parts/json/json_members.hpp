// The members of a JSON object that are strings, numbers or Booleans. Needs nlohmann's JSON; without it every
// object is refused with an explanation.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/values/column_type.hpp"

namespace fingerpost::io {

// Type of a member. Integers have up to 64 bits, signed or unsigned. Empty for null.
using json_type = std::optional<column_type>;

struct json_member {
    std::string name;
    std::string text; // integers in decimal, other numbers as in the input; empty for null
    json_type type = std::nullopt;

    // The text; a missing cell for null.
    std::string_view cell() const noexcept { return type ? std::string_view(text) : missing_cell; }
};

class json_members {
  public:
    // Returns nothing, or a description of the fault; the members before the fault are then kept. Members
    // that are objects or arrays are left out unless `nested` is the name of an array. Then elements() has
    // the members of that array's objects, and a member of an object within an object is named after both:
    // `via.host`. Deeper levels are left out.
    std::optional<std::string> parse(std::string_view object, std::string_view nested = {});

    // Members that the last parse() read, valid until the next one.
    std::size_t size() const noexcept { return used_; }
    const json_member& operator[](std::size_t i) const noexcept { return members_[i]; }
    // Text of a member, the last one if several have this name; empty if there is none.
    std::string_view text_of(std::string_view name) const noexcept;
    const std::vector<std::vector<json_member>>& elements() const noexcept { return elements_; }

  private:
    friend class json_listener;
    json_member& add();

    std::vector<json_member> members_; // used_ of them are in use; the others keep their memory
    std::size_t used_ = 0;
    std::vector<std::vector<json_member>> elements_;
};

// Empty if the member is missing.
std::string_view text_of(const std::vector<json_member>& members, std::string_view name) noexcept;

} // namespace fingerpost::io
