// Draws branches from the last row to the first, because a branch goes on as far as its last sibling.
#include "cli/tree/tree_lines.hpp"

#include <algorithm>
#include <string_view>

#include "io/format/parts/printable.hpp"
#include "terminal/columns.hpp"

namespace fingerpost::cli {
namespace {

struct branch_marks {
    std::string_view sibling, last, passes, blank, cut;
};
constexpr branch_marks lines{"├─ ", "└─ ", "│  ", "   ", "…"};
constexpr branch_marks ascii{"|- ", "`- ", "|  ", "   ", "..."};

// At most `width` characters of it.
std::string cut_to(const std::string& text, std::size_t width, std::string_view mark) {
    if (characters(text) <= width)
        return text;
    const std::size_t kept_width = width - std::min(width, characters(mark));
    std::size_t end = 0;
    for (std::size_t count = 0; end < text.size(); ++end) {
        const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
        if (begins && count++ == kept_width)
            break;
    }
    return text.substr(0, end) + std::string(mark);
}

} // namespace

std::string tree_lines(const std::vector<tree_row>& rows, const tree_look& look) {
    const branch_marks& marks = look.draws_lines ? lines : ascii;
    std::vector<std::string> branches(rows.size());
    std::vector<bool> goes_on; // by level: whether a sibling follows below
    for (std::size_t i = rows.size(); i-- > 0;) {
        const std::size_t level = rows[i].level;
        goes_on.resize(std::max(goes_on.size(), level + 1));
        for (std::size_t above = 1; above < level; ++above)
            branches[i] += goes_on[above] ? marks.passes : marks.blank;
        if (level > 0)
            branches[i] += goes_on[level] ? marks.sibling : marks.last;
        goes_on[level] = true;
        goes_on.resize(level + 1);
    }
    std::size_t widest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (!rows[i].facts.empty())
            widest = std::max(widest, characters(branches[i]) + characters(io::printable(rows[i].name)));
    // Facts keep half of a narrow line.
    if (look.width != 0)
        widest = std::min(widest, std::max<std::size_t>(look.width / 2, 20));
    std::string out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name = io::printable(rows[i].name), facts = io::printable(rows[i].facts);
        std::string line = branches[i];
        if (look.width != 0)
            line = cut_to(line, look.width, marks.cut);
        const std::size_t before = characters(line);
        const std::string shown = look.width == 0 ? name : cut_to(name, look.width - before, marks.cut);
        line += look.color ? "\x1b[1m" + shown + "\x1b[0m" : shown;
        std::size_t used = before + characters(shown);
        if (!facts.empty()) {
            const std::size_t gap = used < widest ? widest - used + 2 : 2;
            if (look.width == 0 || used + gap + 4 < look.width) {
                used += gap;
                line += std::string(gap, ' ') +
                        (look.width == 0 ? facts : cut_to(facts, look.width - used, marks.cut));
            }
        }
        out += line + '\n';
    }
    return out;
}

} // namespace fingerpost::cli
