// The members of a JSON object that are texts, numbers and truth values. Needs nlohmann's JSON; without it
// every object is refused with words that say so.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

struct json_member {
    std::string name;
    std::string text; // numbers as they are written; null is empty
};

class json_members {
  public:
    // Says what is wrong when the text is no object. Members that are objects or arrays are passed over,
    // but when an array `nested` is named those of its objects are in elements(), and those of objects within
    // an object have its name in front: `via.host`.
    std::optional<std::string> parse(std::string_view object, std::string_view nested = {});

    // As parse() found them, until the next one.
    std::size_t size() const noexcept { return used_; }
    const json_member& operator[](std::size_t i) const noexcept { return members_[i]; }
    // The text of a member, empty when there is none.
    std::string_view text_of(std::string_view name) const noexcept;
    const std::vector<std::vector<json_member>>& elements() const noexcept { return elements_; }

    json_member& add();

  private:
    friend class json_listener;
    std::vector<json_member> members_; // kept for their memory: the first used_ count
    std::size_t used_ = 0;
    std::vector<std::vector<json_member>> elements_;
};

// Empty when there is no such member.
std::string_view text_of(const std::vector<json_member>& members, std::string_view name) noexcept;

} // namespace fingerpost::io
