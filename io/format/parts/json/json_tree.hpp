// A complete JSON value as a tree. Without nlohmann's JSON every text is refused with an explanation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

struct json_tree {
    enum class kinds : std::uint8_t { scalar, object, array };

    kinds kind = kinds::scalar;
    std::string name; // name, if this is a member of an object
    std::string text; // text of a scalar: integers in decimal, other numbers as in the input, empty for null
    std::vector<json_tree> inside; // members or elements

    // Returns the last member with this name, or nullptr.
    const json_tree* find(std::string_view member) const noexcept;
    // Text of a member. Empty if there is no such member or if it is not a scalar.
    std::string_view text_of(std::string_view member) const noexcept;
    bool is_true(std::string_view member) const noexcept { return text_of(member) == "true"; }
    // Elements of the array with this name; empty if there is none.
    const std::vector<json_tree>& elements_of(std::string_view member) const noexcept;
};

// Parses one JSON value. Returns a description of the fault; the tree must not be used then.
std::optional<std::string> parse_json(std::string_view text, json_tree& into);

} // namespace fingerpost::io
