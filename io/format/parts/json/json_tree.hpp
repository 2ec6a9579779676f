// A JSON value with everything in it. Needs nlohmann's JSON; without it every text is refused with an
// explanation.
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
    std::string name; // of a member of an object
    std::string text; // of a scalar: integers in decimal, other numbers as they are written, null empty
    std::vector<json_tree> inside; // members or elements

    // Of several members with this name the last one; nullptr if there is none.
    const json_tree* find(std::string_view member) const noexcept;
    // Empty if there is no such member, or if it is no scalar.
    std::string_view text_of(std::string_view member) const noexcept;
    bool is_true(std::string_view member) const noexcept { return text_of(member) == "true"; }
    // Those of an array with this name; none if there is no such member.
    const std::vector<json_tree>& elements_of(std::string_view member) const noexcept;
};

// Returns what is wrong with the text, which is one JSON value; then the tree is of no use.
std::optional<std::string> parse_json(std::string_view text, json_tree& into);

} // namespace fingerpost::io
