// Recursive descent, with a bit mask of the paths that can still match.
#include "cli/enrich/rows/json_line.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <vector>

#include "cli/enrich/rows/json_unescape.hpp"

namespace fingerpost::cli::enrich {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// One bit for each combination of size and first character, so that few names share the bit of an added name.
std::uint64_t kind_of(std::string_view name) {
    const auto first = name.empty() ? 0U : static_cast<unsigned char>(name[0]);
    return std::uint64_t{1} << ((name.size() * 7 + first) % 64);
}

struct path_brackets {
    json_step step;
    std::size_t size; // of its text
};

// Reads the `[N]` or `[]` at the start of a text.
std::optional<path_brackets> read_brackets(std::string_view text) {
    const std::size_t closing = text.find(']');
    if (!text.starts_with('[') || closing == std::string_view::npos)
        return std::nullopt;
    if (closing == 1)
        return path_brackets{json_step::every(), 2};
    std::size_t index = 0;
    const char* const end = text.data() + closing;
    const auto [stop, error] = std::from_chars(text.data() + 1, end, index);
    if (error != std::errc{} || stop != end)
        return std::nullopt;
    return path_brackets{json_step::at(index), closing + 1};
}

// Whether any of eight bytes is a quote, a backslash or a control character.
bool has_special(std::uint64_t bytes) {
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
    constexpr std::uint64_t highs = ones << 7;
    const std::uint64_t quote = bytes ^ (ones * '"');
    const std::uint64_t backslash = bytes ^ (ones * '\\');
    // The lowest matching byte is always right; borrows can only add wrong bits above it.
    return (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
            ((bytes - ones * 0x20) & ~bytes)) &
           highs;
}

} // namespace

std::optional<json_path> parse_json_path(std::string_view text) {
    constexpr std::string_view marks = ".[]\\";
    json_path path(1);
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '.') {
            path.emplace_back();
            ++i;
        } else if (const auto brackets = read_brackets(text.substr(i))) {
            path.push_back(brackets->step);
            i += brackets->size;
            // Brackets must be followed by a dot and a name, by other brackets, or by the end.
            if (i < text.size() && text[i] != '.' && !read_brackets(text.substr(i)))
                return std::nullopt;
        } else {
            i += text[i] == '\\' && i + 1 < text.size() && marks.find(text[i + 1]) != marks.npos ? 1 : 0;
            path.back().name += text[i++];
        }
    }
    for (const json_step& step : path)
        if (step.name.empty() && step.is_name())
            return std::nullopt;
    while (path.back().is_every)
        path.pop_back();
    return path;
}

json_line::json_line(std::span<const json_path> paths, std::span<const std::string> added,
                     std::span<const std::string> nest)
    : paths_(paths), added_(added), nest_(nest) {
    for (const std::string& name : added)
        added_kinds_ |= kind_of(name);
    for (std::size_t i = 0; i < paths.size(); ++i)
        for (const json_step& step : paths[i])
            repeats_ |= path_set{step.is_every} << i;
}

std::optional<json_fault> json_line::read(std::string_view line, std::span<json_member> members) {
    members_ = members;
    object_ = {};
    begin_ = at_ = line.data();
    end_ = begin_ + line.size();
    reason_ = nullptr;
    for (std::size_t i = 0; i < paths_.size(); ++i)
        members_[i] = {};
    repeated_.clear();
    const path_set every_path =
        paths_.size() == max_json_paths ? ~path_set{0} : (path_set{1} << paths_.size()) - 1;
    skip_blanks();
    const bool is_object = at_ != end_ && *at_ == '{';
    if (!is_object)
        (void)fail("is not a JSON object");
    else if (read_object<true>(0, every_path, true)) {
        skip_blanks();
        if (at_ == end_)
            return std::nullopt;
        (void)fail("has text after the object");
    }
    return json_fault{static_cast<std::size_t>(at_ - begin_), reason_};
}

bool json_line::fail(const char* reason) {
    reason_ = at_ == end_ ? "ends within the object" : reason;
    return false;
}

void json_line::skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n'))
        ++at_;
}

bool json_line::take(char c) {
    skip_blanks();
    if (at_ == end_ || *at_ != c)
        return false;
    ++at_;
    return true;
}

// `in_nest` is whether the first `depth` names of nest_ lead to this object.
template <bool Searched>
bool json_line::read_object(unsigned depth, path_set alive, bool in_nest) {
    if (depth == max_json_depth)
        return fail("is nested too deeply");
    const char* const begin = at_++;
    const bool is_empty = take('}');
    if (!is_empty && !read_members<Searched>(depth, alive, in_nest, begin))
        return false;
    if (Searched && in_nest)
        note_end(depth, is_empty);
    return true;
}

// An inner object may be a better place for members.
void json_line::note_end(unsigned depth, bool is_empty) {
    if (object_.nested != depth)
        return;
    object_.closing = static_cast<std::size_t>(at_ - begin_) - 1;
    object_.is_empty = is_empty;
}

template <bool Searched>
bool json_line::read_members(unsigned depth, path_set alive, bool in_nest, const char* begin) {
    const bool gets_members = Searched && in_nest && depth == nest_.size();
    const bool leads_on = Searched && in_nest && depth < nest_.size();
    do {
        skip_blanks();
        std::string_view name;
        bool has_escapes = false;
        if (at_ == end_ || *at_ != '"')
            return fail("has no quoted name where one is expected");
        if (!read_string(name, has_escapes))
            return false;
        if (gets_members && (has_escapes || (kind_of(name) & added_kinds_) != 0))
            note_taken(name, has_escapes);
        const path_set named_paths = Searched && alive != 0 ? named(name, has_escapes, depth, alive) : 0;
        const bool nests = leads_on && begin_nest(depth, name, has_escapes);
        const path_set ending_paths = named_paths != 0 ? begin_value(depth, named_paths, begin) : 0;
        if (!take(':'))
            return fail("has no colon after a name");
        if (!(Searched && (named_paths != 0 || nests)
                  ? read_value<Searched>(depth, named_paths & ~ending_paths, ending_paths, nests)
                  : read_value<false>(depth, 0, 0, false)))
            return false;
    } while (take(','));
    return take('}') || fail("has neither a comma nor a brace after a member");
}

// Returns those of the paths `named_paths` that end with the value that follows. Discards results of an
// earlier member with the same name in the same container, which begins at `container`.
json_line::path_set json_line::begin_value(unsigned depth, path_set named_paths, const char* container) {
    if ((named_paths & repeats_) != 0)
        std::erase_if(repeated_, [&](const repeated_member& member) {
            return (named_paths >> member.path & 1) != 0 && member.member.text.data() > container;
        });
    path_set ending_paths = 0;
    for (path_set rest = named_paths; rest != 0; rest &= rest - 1) {
        const auto path = static_cast<std::size_t>(std::countr_zero(rest));
        members_[path] = {};
        if (paths_[path].size() == depth + 1)
            ending_paths |= path_set{1} << path;
    }
    return ending_paths;
}

// Whether this is the name of the next object of nest_. If so, discards an earlier member with the same name.
bool json_line::begin_nest(unsigned depth, std::string_view raw, bool has_escapes) {
    if (has_escapes) {
        unescape_json(raw, name_);
        raw = name_;
    }
    if (nest_[depth] != raw)
        return false;
    object_.nested = depth;
    object_.existing = json_object::no_name;
    return true;
}

template <bool Searched>
bool json_line::read_array(unsigned depth, path_set alive) {
    if (depth == max_json_depth)
        return fail("is nested too deeply");
    ++at_;
    if (take(']'))
        return true;
    std::size_t index = 0;
    do {
        const path_set indexed_paths = Searched && alive != 0 ? at_index(index++, depth, alive) : 0;
        const path_set ending_paths = indexed_paths != 0 ? begin_value(depth, indexed_paths, at_) : 0;
        if (!(Searched && indexed_paths != 0
                  ? read_value<Searched>(depth, indexed_paths & ~ending_paths, ending_paths, false)
                  : read_value<false>(depth, 0, 0, false)))
            return false;
    } while (take(','));
    return take(']') || fail("has neither a comma nor a bracket after an element");
}

// `inner` are paths that continue inside the value, `ending_paths` those that end here. `nests` is whether
// the first depth + 1 names of nest_ lead to the value, which should be an object.
template <bool Searched>
bool json_line::read_value(unsigned depth, path_set inner, path_set ending_paths, bool nests) {
    skip_blanks();
    if (at_ == end_)
        return fail("");
    if (Searched && nests && *at_ == '{')
        object_.nested = depth + 1;
    else if (Searched && nests)
        object_.existing = json_object::blocked;
    const char* const begin = at_;
    json_member member{.kind = json_member::what::other};
    bool right = false;
    switch (*at_) {
    case '"':
        member.kind = json_member::what::string;
        right = read_string(member.text, member.has_escapes);
        break;
    case '{':
        right = Searched && (inner != 0 || nests) ? read_object<Searched>(depth + 1, inner, nests)
                                                  : read_object<false>(depth + 1, 0, false);
        break;
    case '[':
        right =
            Searched && inner != 0 ? read_array<Searched>(depth + 1, inner) : read_array<false>(depth + 1, 0);
        break;
    case 't':
        right = read_word("true");
        break;
    case 'f':
        right = read_word("false");
        break;
    case 'n':
        member.kind = json_member::what::null;
        right = read_word("null");
        break;
    default:
        right = read_number();
    }
    if (!right)
        return false;
    if (Searched && ending_paths != 0) {
        if (member.kind != json_member::what::string)
            member.text = {begin, static_cast<std::size_t>(at_ - begin)};
        keep(ending_paths, member);
    }
    return true;
}

void json_line::keep(path_set paths, const json_member& member) {
    for (; paths != 0; paths &= paths - 1) {
        const auto path = static_cast<std::size_t>(std::countr_zero(paths));
        if ((repeats_ >> path & 1) != 0)
            repeated_.push_back({path, member});
        else
            members_[path] = member;
    }
}

void json_line::note_taken(std::string_view raw, bool has_escapes) {
    if (has_escapes) {
        unescape_json(raw, name_);
        raw = name_;
    }
    for (std::size_t i = 0; i < added_.size(); ++i)
        if (added_[i] == raw)
            object_.existing = i;
}

// Which of the paths to this object continue with this name.
json_line::path_set json_line::named(std::string_view raw, bool has_escapes, unsigned depth, path_set alive) {
    if (has_escapes) {
        unescape_json(raw, name_);
        raw = name_;
    }
    path_set matches = 0;
    for (path_set rest = alive; rest != 0; rest &= rest - 1) {
        const int path = std::countr_zero(rest);
        const json_step& step = paths_[static_cast<std::size_t>(path)][depth];
        if (step.name == raw && step.is_name())
            matches |= path_set{1} << path;
    }
    return matches;
}

// Which of the paths to this array continue with this element.
json_line::path_set json_line::at_index(std::size_t index, unsigned depth, path_set alive) const {
    path_set matches = 0;
    for (path_set rest = alive; rest != 0; rest &= rest - 1) {
        const int path = std::countr_zero(rest);
        const json_step& step = paths_[static_cast<std::size_t>(path)][depth];
        if (step.is_every || step.index == index)
            matches |= path_set{1} << path;
    }
    return matches;
}

// Expects to be at an opening quote.
bool json_line::read_string(std::string_view& text, bool& has_escapes) {
    const char* const begin = ++at_;
    has_escapes = false;
    for (;;) {
        std::uint64_t eight = 0;
        while (end_ - at_ >= 8) {
            std::memcpy(&eight, at_, sizeof eight);
            if (has_special(eight))
                break;
            at_ += 8;
        }
        while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20)
            ++at_;
        if (at_ == end_ || static_cast<unsigned char>(*at_) < 0x20)
            return fail("has a control character in a string");
        if (*at_ == '"')
            break;
        has_escapes = true;
        if (!read_escape())
            return false;
    }
    text = {begin, static_cast<std::size_t>(at_ - begin)};
    ++at_;
    return true;
}

bool json_line::read_escape() {
    ++at_;
    if (at_ == end_)
        return fail("");
    const char kind = *at_;
    if (std::string_view("\"\\/bfnrtu").find(kind) == std::string_view::npos)
        return fail("has an unknown escape in a string");
    ++at_;
    for (unsigned i = 0; kind == 'u' && i < 4; ++i, ++at_)
        if (at_ == end_ || hex_digit(*at_) < 0)
            return fail("has an escape with too few digits");
    return true;
}

bool json_line::read_number() {
    const auto digits = [this] {
        const char* const begin = at_;
        while (at_ != end_ && is_digit(*at_))
            ++at_;
        return at_ != begin;
    };
    if (*at_ == '-')
        ++at_;
    const bool zero = at_ != end_ && *at_ == '0';
    if (zero)
        ++at_;
    else if (!digits())
        return fail("has no value where one is expected");
    if (at_ != end_ && *at_ == '.') {
        ++at_;
        if (!digits())
            return fail("has a number that ends with its decimal point");
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
        ++at_;
        if (at_ != end_ && (*at_ == '+' || *at_ == '-'))
            ++at_;
        if (!digits())
            return fail("has a number without digits in its exponent");
    }
    return true;
}

bool json_line::read_word(std::string_view word) {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    if (!rest.starts_with(word))
        return rest.size() < word.size() && word.starts_with(rest)
                   ? (at_ = end_, fail(""))
                   : fail("has no value where one is expected");
    at_ += word.size();
    return true;
}

} // namespace fingerpost::cli::enrich
