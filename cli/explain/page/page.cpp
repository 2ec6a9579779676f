// Fills the data into the page: JSON, deflated, as base64.
#include "cli/explain/page/page.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/explain/drawing/drawing.hpp"
#include "cli/explain/explanation_json.hpp"
#include "cli/explain/page/template.hpp"
#include "cli/writers/embedded_bytes.hpp"

namespace fingerpost::cli {
namespace {

using nlohmann::ordered_json;
std::string json_text(const ordered_json& value) {
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}
std::string packed(const ordered_json& value) {
    return base64(deflated(json_text(value)));
}

// The policy of the page refuses styles in markup, so the hue of a step is an attribute of data.
std::string without_styles(std::string svg) {
    constexpr std::string_view style = "style=\"--h:", data = "data-hue=\"";
    for (std::size_t at = svg.find(style); at != std::string::npos; at = svg.find(style, at + data.size()))
        svg.replace(at, style.size(), data);
    return svg;
}

// For panels of half a page, for phones and four panels, and for panels of a whole page. The last ones are
// left out first.
constexpr unsigned page_widths[] = {560, 300, 860};

// Which drawings a page has.
struct drawn_part {
    std::size_t widths = std::size(page_widths);
    std::size_t schemes = std::numeric_limits<std::size_t>::max(); // the first ones
};

// The drawings of some explanations, without duplicates. Drawings of one scheme and width are adjacent,
// because these compress best.
class drawing_list {
  public:
    explicit drawing_list(std::span<const explanation> explanations) {
        std::size_t most = 0;
        for (const explanation& e : explanations)
            most = std::max(most, e.lookups.size());
        for (std::size_t i = 0; i < most; ++i)
            for (const explanation& e : explanations)
                if (i < e.lookups.size())
                    add(e.lookups[i], i);
    }

    // null if the page has no drawing of this lookup.
    ordered_json number_of(const explained_lookup& lookup, drawn_part part) const {
        const std::size_t number = numbers_.at(&lookup);
        return part.widths > 0 && all_[number].scheme < part.schemes && !all_[number].svg[0].empty()
                   ? ordered_json(number)
                   : ordered_json(nullptr);
    }
    // For each width, the drawings by number.
    ordered_json listed(drawn_part part) const {
        ordered_json out = ordered_json::array();
        for (std::size_t w = 0; w < part.widths; ++w) {
            ordered_json drawn = ordered_json::array();
            for (const drawing& entry : all_)
                drawn.push_back(entry.scheme < part.schemes ? entry.svg[w] : "");
            out.push_back(ordered_json{page_widths[w], std::move(drawn)});
        }
        return out;
    }

  private:
    struct drawing {
        std::size_t scheme = 0; // its place among those of its explanation
        std::array<std::string, std::size(page_widths)> svg{};
    };
    void add(const explained_lookup& lookup, std::size_t scheme) {
        drawing entry{.scheme = scheme};
        for (std::size_t w = 0; w < std::size(page_widths); ++w)
            entry.svg[w] = without_styles(structure_svg(lookup, page_widths[w]));
        std::size_t number = 0;
        while (number < all_.size() && !(all_[number].scheme == scheme && all_[number].svg == entry.svg))
            ++number;
        if (number == all_.size())
            all_.push_back(std::move(entry));
        numbers_.emplace(&lookup, number);
    }

    std::vector<drawing> all_;
    std::map<const explained_lookup*, std::size_t> numbers_;
};

// The addresses that the node of each step covers.
void add_ranges(ordered_json& steps, const explained_lookup& lookup) {
    for (std::size_t i = 0; i < lookup.steps.size(); ++i)
        for (const explained_node& node : lookup.structure.listed)
            if (lookup.steps[i].node == node.number) {
                steps[i]["first"] = node.first;
                steps[i]["last"] = node.last;
            }
}

// The object of as_json() with drawings instead of the lists of nodes.
ordered_json question_of(const explanation& e, const drawing_list& drawings, drawn_part part) {
    ordered_json out = explanation_object(e, false);
    for (std::size_t i = 0; i < e.lookups.size(); ++i) {
        ordered_json& scheme = out["schemes"][i];
        scheme["drawing"] = drawings.number_of(e.lookups[i], part);
        if (e.lookups[i].shows_steps)
            add_ranges(scheme["steps"], e.lookups[i]);
    }
    return out;
}

std::string packed_questions(std::span<const explanation> explanations, const drawing_list& drawings,
                             drawn_part part) {
    ordered_json questions = ordered_json::array();
    for (const explanation& e : explanations)
        questions.push_back(question_of(e, drawings, part));
    return packed({{"questions", std::move(questions)}, {"drawings", drawings.listed(part)}});
}

std::string packed_neighbour(const explanation& e, drawn_part part) {
    const drawing_list drawings(std::span(&e, 1));
    return packed({{"question", question_of(e, drawings, part)}, {"drawings", drawings.listed(part)}});
}

// Leaves out drawings until the questions fit, wide ones first.
std::pair<std::string, drawn_part> fitting_questions(std::span<const explanation> explanations,
                                                     std::size_t room) {
    const drawing_list drawings(explanations);
    drawn_part part;
    std::string questions = packed_questions(explanations, drawings, part);
    while (questions.size() > room && part.widths > 1) {
        --part.widths;
        questions = packed_questions(explanations, drawings, part);
    }
    if (questions.size() <= room)
        return {std::move(questions), part};
    std::size_t fits = 0, too_many = explanations.front().lookups.size();
    while (too_many - fits > 1) {
        part.schemes = fits + (too_many - fits) / 2;
        (packed_questions(explanations, drawings, part).size() <= room ? fits : too_many) = part.schemes;
    }
    part.schemes = fits;
    return {packed_questions(explanations, drawings, part), part};
}

ordered_json change_of(const neighbour& change) {
    if (change.is_added)
        return {{"add", change.prefix}, {"next_hop", change.next_hop}};
    return {{"take_out", change.prefix}};
}

// Escapes characters that could end the element or start a comment.
std::string inside_script(const ordered_json& data) {
    std::string out;
    for (const char c : data.dump(-1, ' ', true, ordered_json::error_handler_t::replace)) {
        if (c == '<')
            out += "\\u003c";
        else if (c == '>')
            out += "\\u003e";
        else if (c == '&')
            out += "\\u0026";
        else
            out += c;
    }
    return out;
}

} // namespace

std::string html_page(std::span<const explanation> explanations, const neighbourhood* around) {
    // The list of routes to add needs some room.
    const std::size_t reserve = page_head.size() + page_tail.size() + 4096;
    const std::size_t room = most_page_bytes - std::min(most_page_bytes, reserve);
    auto [questions, part] = fitting_questions(explanations, room);
    std::size_t size = questions.size();
    ordered_json data{{"packed", std::move(questions)}};
    const int family = explanations.front().family == family::ipv4 ? 4 : 6;
    ordered_json offers = ordered_json::array();
    ordered_json neighbours = ordered_json::array();
    bool has_room = true;
    const std::span<const neighbour> changes =
        around == nullptr ? std::span<const neighbour>() : around->changes;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const neighbour& change = changes[i];
        if (change.is_added)
            offers.push_back({{"family", family}, {"prefix", change.prefix}, {"next_hop", change.next_hop}});
        if (!has_room)
            continue;
        // Changed tables have no drawings for a whole page.
        const drawn_part less{std::min<std::size_t>(part.widths, 2), part.schemes};
        std::string neighbour_data = packed_neighbour(around->explain(i), less);
        has_room = size + neighbour_data.size() + 200 <= room;
        if (!has_room)
            continue;
        size += neighbour_data.size() + 200;
        neighbours.push_back({{"change", change_of(change)}, {"packed", std::move(neighbour_data)}});
    }
    data["changes"] = changes.size();
    data["offers"] = std::move(offers);
    data["neighbours"] = std::move(neighbours);
    std::string page(page_head);
    page += inside_script(data);
    page += page_tail;
    return page;
}

} // namespace fingerpost::cli
