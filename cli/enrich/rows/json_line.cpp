// Recursive descent, with the set of paths that may still be found as a mask of bits.
#include "cli/enrich/rows/json_line.hpp"

#include <bit>
#include <cstring>

#include "cli/enrich/rows/json_unescape.hpp"

namespace fingerpost::cli::enrich {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// One bit for each size and first character, so that few names have that of an added one.
std::uint64_t kind_of(std::string_view name) {
    const auto first = name.empty() ? 0U : static_cast<unsigned char>(name[0]);
    return std::uint64_t{1} << ((name.size() * 7 + first) % 64);
}

// Whether any of eight bytes ends a run of plain characters: a quote, a backslash or a control character.
bool has_special(std::uint64_t bytes) {
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
    constexpr std::uint64_t highs = ones << 7;
    const std::uint64_t quote = bytes ^ (ones * '"');
    const std::uint64_t backslash = bytes ^ (ones * '\\');
    // The lowest byte that is below a bound is found rightly; borrows may only add others above it.
    return (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
            ((bytes - ones * 0x20) & ~bytes)) &
           highs;
}

} // namespace

std::optional<json_path> parse_json_path(std::string_view text) {
    json_path path(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escapes =
            text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '.' || text[i + 1] == '\\');
        if (escapes)
            path.back() += text[++i];
        else if (text[i] == '.')
            path.emplace_back();
        else
            path.back() += text[i];
    }
    for (const std::string& name : path)
        if (name.empty())
            return std::nullopt;
    return path;
}

json_line::json_line(std::span<const json_path> paths, std::span<const std::string> added)
    : paths_(paths), added_(added) {
    for (const std::string& name : added)
        added_kinds_ |= kind_of(name);
}

std::optional<json_fault> json_line::read(std::string_view line, std::span<json_member> members) {
    members_ = members;
    object_ = {.taken = added_.size()};
    begin_ = at_ = line.data();
    end_ = begin_ + line.size();
    reason_ = nullptr;
    for (std::size_t i = 0; i < paths_.size(); ++i)
        members_[i] = {};
    const path_set all = paths_.size() == max_json_paths ? ~path_set{0} : (path_set{1} << paths_.size()) - 1;
    skip_blanks();
    const bool is_object = at_ != end_ && *at_ == '{';
    if (!is_object)
        (void)fail("is no JSON object");
    else if (read_object(0, all)) {
        object_.closing = static_cast<std::size_t>(at_ - begin_) - 1;
        skip_blanks();
        if (at_ == end_)
            return std::nullopt;
        (void)fail("goes on behind the object");
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

bool json_line::read_object(unsigned depth, path_set alive) {
    if (depth == max_json_depth)
        return fail("is nested too deeply");
    ++at_;
    if (take('}'))
        return true;
    if (depth == 0)
        object_.is_empty = false;
    return read_members(depth, alive);
}

bool json_line::read_members(unsigned depth, path_set alive) {
    do {
        skip_blanks();
        std::string_view name;
        bool has_escapes = false;
        if (at_ == end_ || *at_ != '"')
            return fail("has no name in quotes where one must be");
        if (!read_string(name, has_escapes))
            return false;
        if (depth == 0 && (has_escapes || (kind_of(name) & added_kinds_) != 0))
            note_taken(name, has_escapes);
        const path_set here = alive != 0 ? named(name, has_escapes, depth, alive) : 0;
        path_set wanted = 0;
        for (path_set rest = here; rest != 0; rest &= rest - 1) {
            const auto path = static_cast<std::size_t>(std::countr_zero(rest));
            // What an earlier member of this name had does not count.
            members_[path] = {};
            if (paths_[path].size() == depth + 1)
                wanted |= path_set{1} << path;
        }
        if (!take(':'))
            return fail("has no colon behind a name");
        if (!read_value(depth, here & ~wanted, wanted))
            return false;
    } while (take(','));
    return take('}') || fail("has neither a comma nor a brace behind a member");
}

bool json_line::read_array(unsigned depth) {
    if (depth == max_json_depth)
        return fail("is nested too deeply");
    ++at_;
    if (take(']'))
        return true;
    do {
        if (!read_value(depth, 0, 0))
            return false;
    } while (take(','));
    return take(']') || fail("has neither a comma nor a bracket behind an element");
}

// `inner`: paths that go on within the value; `wanted`: those that end here.
bool json_line::read_value(unsigned depth, path_set inner, path_set wanted) {
    skip_blanks();
    if (at_ == end_)
        return fail("");
    const char* const begin = at_;
    json_member found{.kind = json_member::what::other};
    bool right = false;
    switch (*at_) {
    case '"':
        found.kind = json_member::what::string;
        right = read_string(found.text, found.has_escapes);
        break;
    case '{':
        right = read_object(depth + 1, inner);
        break;
    case '[':
        right = read_array(depth + 1);
        break;
    case 't':
        right = read_word("true");
        break;
    case 'f':
        right = read_word("false");
        break;
    case 'n':
        found.kind = json_member::what::null;
        right = read_word("null");
        break;
    default:
        right = read_number();
    }
    if (!right)
        return false;
    if (wanted != 0) {
        if (found.kind != json_member::what::string)
            found.text = {begin, static_cast<std::size_t>(at_ - begin)};
        keep(wanted, found);
    }
    return true;
}

void json_line::keep(path_set wanted, const json_member& found) {
    for (; wanted != 0; wanted &= wanted - 1)
        members_[static_cast<std::size_t>(std::countr_zero(wanted))] = found;
}

void json_line::note_taken(std::string_view raw, bool has_escapes) {
    if (has_escapes) {
        unescape_json(raw, name_);
        raw = name_;
    }
    for (std::size_t i = 0; i < added_.size(); ++i)
        if (added_[i] == raw)
            object_.taken = i;
}

// Which of the paths that lead to this object have this name next.
json_line::path_set json_line::named(std::string_view raw, bool has_escapes, unsigned depth, path_set alive) {
    if (has_escapes) {
        unescape_json(raw, name_);
        raw = name_;
    }
    path_set found = 0;
    for (path_set rest = alive; rest != 0; rest &= rest - 1) {
        const int path = std::countr_zero(rest);
        if (paths_[static_cast<std::size_t>(path)][depth] == raw)
            found |= path_set{1} << path;
    }
    return found;
}

// At its opening quote.
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
        return fail("has no value where one must be");
    if (at_ != end_ && *at_ == '.') {
        ++at_;
        if (!digits())
            return fail("has a number without digits behind its point");
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
        return rest.size() < word.size() && word.starts_with(rest) ? (at_ = end_, fail(""))
                                                                   : fail("has no value where one must be");
    at_ += word.size();
    return true;
}

} // namespace fingerpost::cli::enrich
