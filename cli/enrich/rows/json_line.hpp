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
#include <utility>
#include <vector>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::cli::enrich {

// What may stand between the parts of JSON.
inline constexpr std::string_view json_blanks = " \t\r\n";
constexpr bool is_json_blank(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// The name of a member of an object, the position of an element of an array, from 0, or all elements of one.
struct json_step {
    std::string name{};
    std::optional<std::size_t> index{}; // if set, there is no name
    bool is_every = false;              // nor if this is

    json_step() = default;
    json_step(std::string member) : name(std::move(member)) {}
    json_step(const char* member) : name(member) {}
    static json_step at(std::size_t element) {
        json_step made;
        made.index = element;
        return made;
    }
    static json_step every() {
        json_step made;
        made.is_every = true;
        return made;
    }
    bool is_name() const noexcept { return !index && !is_every; }

    friend bool operator==(const json_step&, const json_step&) = default;
};

// From the outermost object inwards. The first step is a name.
using json_path = std::vector<json_step>;

// `a.b` is b within a, `a[0]` the first element of the array a, `a[].b` the b of each of its elements; `a[]`
// is just `a`. A backslash before a dot, a bracket or a backslash makes it part of a name. Brackets that hold
// anything but digits are part of a name. Nothing for a path with an empty name, and one that begins with
// brackets.
std::optional<json_path> parse_json_path(std::string_view text);

inline constexpr std::size_t max_json_paths = 64;
inline constexpr unsigned max_json_depth = 512;

struct json_member {
    enum class what : std::uint8_t { absent, null, string, other };
    what kind = what::absent;
    bool has_escapes = false; // of a string
    std::string_view text{};  // of a string what stands between its quotes, else all of the value
};

// Where members are to be added: in the object itself, or in the innermost object along the path `nest` of
// which it has all names.
struct json_object {
    std::size_t closing = 0; // where the closing brace of that object stands
    bool is_empty = true;    // that object
    std::size_t nested = 0;  // how many names of `nest` exist
    // Which of the names that are to be added is there already: in the object that `nest` ends in, or a name
    // of `nest` whose value is no object, which has the number `blocked`. `untaken` if there is none.
    std::size_t taken = untaken;

    static constexpr std::size_t untaken = ~std::size_t{0};
    static constexpr std::size_t blocked = untaken - 1;
};

struct json_fault {
    std::size_t offset;
    const char* reason;
};

class json_line {
  public:
    // At most max_json_paths, which must outlive it, as `added` and `nest` must: the names that are to be
    // added, and those of the objects that they are added in.
    explicit json_line(std::span<const json_path> paths, std::span<const std::string> added = {},
                       std::span<const std::string> nest = {});

    // Of names that come twice in an object the last one counts. `members` has room for one of each path; of
    // those with `[]` in them nothing is written there.
    std::optional<json_fault> read(std::string_view line, std::span<json_member> members);
    // Of the object that was read last.
    const json_object& object() const noexcept { return object_; }
    // What the paths with `[]` in them have led to, in the order of the text.
    struct repeated_member {
        std::size_t path;
        json_member member;
    };
    const std::vector<repeated_member>& repeated() const noexcept { return repeated_; }

  private:
    using path_set = std::uint64_t;

    // `Searched`: something that is asked for may be within; else the text is only checked, as most of a line
    // is, and the other arguments say nothing.
    template <bool Searched>
    bool read_object(unsigned depth, path_set alive, bool in_nest);
    template <bool Searched>
    bool read_members(unsigned depth, path_set alive, bool in_nest, const char* begin);
    template <bool Searched>
    bool read_array(unsigned depth, path_set alive);
    template <bool Searched>
    bool read_value(unsigned depth, path_set inner, path_set wanted, bool nests);
    path_set begin_value(unsigned depth, path_set here, const char* container);
    bool begin_nest(unsigned depth, std::string_view raw, bool has_escapes);
    void note_end(unsigned depth, bool is_empty);
    bool read_string(std::string_view& text, bool& has_escapes);
    bool read_escape();
    bool read_number();
    bool read_word(std::string_view word);
    path_set named(std::string_view raw, bool has_escapes, unsigned depth, path_set alive);
    path_set at_index(std::size_t index, unsigned depth, path_set alive) const;
    void note_taken(std::string_view raw, bool has_escapes);
    void keep(path_set wanted, const json_member& found);
    void skip_blanks();
    bool take(char c);
    bool fail(const char* reason);

    std::span<const json_path> paths_;
    std::span<const std::string> added_;
    std::span<const std::string> nest_;
    std::uint64_t added_kinds_ = 0; // bits of names that may be one of them
    path_set repeats_ = 0;          // paths with `[]`
    std::span<json_member> members_;
    std::vector<repeated_member> repeated_;
    json_object object_;
    const char* begin_ = nullptr;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    const char* reason_ = nullptr;
    std::string name_; // without its escapes
};

} // namespace fingerpost::cli::enrich
