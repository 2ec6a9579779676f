// Finds members of one JSON object by their paths, in one walk that checks the whole object (RFC 8259).
//
// Nothing is built: answers are positions in the text, so that a line can be passed on as it is. simdjson's
// on-demand reader checks only what it is asked for, does not compare names with escapes in them, and takes
// the first of equal names where JSON programs take the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::cli::enrich {

// Names from the outermost object inwards.
using json_path = std::vector<std::string>;

// `a.b` is b within a; a backslash before a dot or a backslash makes it part of a name. Nothing for a path
// with an empty name.
std::optional<json_path> parse_json_path(std::string_view text);

inline constexpr std::size_t max_json_paths = 64;
inline constexpr unsigned max_json_depth = 512;

struct json_member {
    enum class what : std::uint8_t { absent, null, string, other };
    what kind = what::absent;
    bool has_escapes = false; // of a string
    std::string_view text{};  // of a string what stands between its quotes, else all of the value
};

struct json_object {
    std::size_t closing = 0; // where its closing brace stands
    bool is_empty = true;
    std::size_t taken = 0; // which of the names that are to be added it has; their number when it has none
};

struct json_fault {
    std::size_t offset;
    const char* reason;
};

class json_line {
  public:
    // At most max_json_paths, which must outlive it, as `added` must: names that are to be added to objects.
    explicit json_line(std::span<const json_path> paths, std::span<const std::string> added = {});

    // Of names that come twice in an object the last one counts. `members` has room for one of each path.
    std::optional<json_fault> read(std::string_view line, std::span<json_member> members);
    // Of the object that was read last.
    const json_object& object() const noexcept { return object_; }

  private:
    using path_set = std::uint64_t;

    bool read_object(unsigned depth, path_set alive);
    bool read_members(unsigned depth, path_set alive);
    bool read_array(unsigned depth);
    bool read_value(unsigned depth, path_set inner, path_set wanted);
    bool read_string(std::string_view& text, bool& has_escapes);
    bool read_escape();
    bool read_number();
    bool read_word(std::string_view word);
    path_set named(std::string_view raw, bool has_escapes, unsigned depth, path_set alive);
    void note_taken(std::string_view raw, bool has_escapes);
    void keep(path_set wanted, const json_member& found);
    void skip_blanks();
    bool take(char c);
    bool fail(const char* reason);

    std::span<const json_path> paths_;
    std::span<const std::string> added_;
    std::uint64_t added_kinds_ = 0; // bits of names that may be one of them
    std::span<json_member> members_;
    json_object object_;
    const char* begin_ = nullptr;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    const char* reason_ = nullptr;
    std::string name_; // without its escapes
};

} // namespace fingerpost::cli::enrich
