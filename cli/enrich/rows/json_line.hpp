// Finds members of a JSON object by their paths, in one pass that validates the whole object (RFC 8259).
//
// Results are positions in the text, so that a line can be passed on unchanged. simdjson's on-demand reader
// validates only the parts that it visits, does not compare names that contain escapes, and takes the first
// of equal names where other JSON programs take the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::cli::enrich {

// Characters allowed between tokens of JSON.
inline constexpr std::string_view json_blanks = " \t\r\n";
constexpr bool is_json_blank(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// A step of a path: the name of an object's member, the index of an array element from 0, or all elements of
// an array.
struct json_step {
    std::string name{};
    std::optional<std::size_t> index{}; // if set, `name` is unused
    bool is_every = false;              // if set, `name` is unused

    json_step() = default;
    json_step(std::string member) : name(std::move(member)) {}
    json_step(const char* member) : name(member) {}
    static json_step at(std::size_t element) {
        json_step step;
        step.index = element;
        return step;
    }
    static json_step every() {
        json_step step;
        step.is_every = true;
        return step;
    }
    bool is_name() const noexcept { return !index && !is_every; }

    friend bool operator==(const json_step&, const json_step&) = default;
};

// From the outermost object inwards. The first step is a name.
using json_path = std::vector<json_step>;

// `a.b` is b in a, `a[0]` the first element of the array a, `a[].b` the b of each of its elements; `a[]`
// equals `a`. A backslash before a dot, a bracket or a backslash makes it part of a name. Brackets around
// anything but digits are part of a name. Returns nothing for a path with an empty name, or one that begins
// with brackets.
std::optional<json_path> parse_json_path(std::string_view text);

inline constexpr std::size_t max_json_paths = 64;
inline constexpr unsigned max_json_depth = 512;

struct json_member {
    enum class what : std::uint8_t { absent, null, string, other };
    what kind = what::absent;
    bool has_escapes = false; // for strings
    std::string_view text{};  // for a string, the text between its quotes; else the whole value
};

// Where members are added: in the object itself, or in the innermost existing object along the path `nest`.
struct json_object {
    std::size_t closing = 0; // position of that object's closing brace
    bool is_empty = true;    // whether that object is empty
    std::size_t nested = 0;  // number of names of `nest` that exist
    // The number of an added name that exists already in the last object of `nest`; `blocked` if a name of
    // `nest` has a value that is not an object; else `no_name`.
    std::size_t existing = no_name;

    static constexpr std::size_t no_name = ~std::size_t{0};
    static constexpr std::size_t blocked = no_name - 1;
};

struct json_fault {
    std::size_t offset;
    const char* reason;
};

class json_line {
  public:
    // Takes at most max_json_paths paths. `added` are the names of new members, and `nest` those of the
    // objects around them. All must outlive the reader.
    explicit json_line(std::span<const json_path> paths, std::span<const std::string> added = {},
                       std::span<const std::string> nest = {});

    // The last of equal names in an object counts. `members` has one entry per path; entries of paths with
    // `[]` are not written.
    std::optional<json_fault> read(std::string_view line, std::span<json_member> members);
    // The object of the last read().
    const json_object& object() const noexcept { return object_; }
    // A result of a path with `[]`. Results are in the order of the text.
    struct repeated_member {
        std::size_t path;
        json_member member;
    };
    const std::vector<repeated_member>& repeated() const noexcept { return repeated_; }

  private:
    using path_set = std::uint64_t;

    // `Searched` is whether the object may contain results. Otherwise, as for most of a line, it is only
    // validated, and the other arguments are unused.
    template <bool Searched>
    bool read_object(unsigned depth, path_set alive, bool in_nest);
    template <bool Searched>
    bool read_members(unsigned depth, path_set alive, bool in_nest, const char* begin);
    template <bool Searched>
    bool read_array(unsigned depth, path_set alive);
    template <bool Searched>
    bool read_value(unsigned depth, path_set inner, path_set ending_paths, bool nests);
    path_set begin_value(unsigned depth, path_set named_paths, const char* container);
    bool begin_nest(unsigned depth, std::string_view raw, bool has_escapes);
    void note_end(unsigned depth, bool is_empty);
    bool read_string(std::string_view& text, bool& has_escapes);
    bool read_escape();
    bool read_number();
    bool read_word(std::string_view word);
    path_set named(std::string_view raw, bool has_escapes, unsigned depth, path_set alive);
    path_set at_index(std::size_t index, unsigned depth, path_set alive) const;
    void note_taken(std::string_view raw, bool has_escapes);
    void keep(path_set paths, const json_member& member);
    void skip_blanks();
    bool take(char c);
    bool fail(const char* reason);

    std::span<const json_path> paths_;
    std::span<const std::string> added_;
    std::span<const std::string> nest_;
    std::uint64_t added_kinds_ = 0; // bits of kind_of() for the added names
    path_set repeats_ = 0;          // paths with `[]`
    std::span<json_member> members_;
    std::vector<repeated_member> repeated_;
    json_object object_;
    const char* begin_ = nullptr;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    const char* reason_ = nullptr;
    std::string name_; // buffer for a name without escapes
};

} // namespace fingerpost::cli::enrich
