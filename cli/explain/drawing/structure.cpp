// Below the nodes are the reads outside of nodes, and how many nodes of all are drawn.
#include "cli/explain/drawing/structure.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "cli/explain/drawing/cell_rows.hpp"
#include "cli/explain/drawing/drawing.hpp"
#include "cli/explain/drawing/forest.hpp"
#include "cli/explain/drawing/legend.hpp"
#include "cli/writers/grouped.hpp"
#include "cli/writers/xml_text.hpp"

namespace fingerpost::cli {
namespace drawing {
namespace {

constexpr double rim = 2; // frames and dots at the rim are whole

std::string counted(std::uint64_t n, std::string_view singular, std::string_view plural) {
    return fmt::format("{} {}", grouped(n), n == 1 ? singular : plural);
}

std::size_t drawn_nodes(const piece& drawn) {
    return static_cast<std::size_t>(
        std::count_if(drawn.elements.begin(), drawn.elements.end(), [](const element& e) {
            return e.what == shape::open_group && e.attributes.find("data-node=") != std::string::npos;
        }));
}

// Steps that read outside the nodes.
piece other_reads(const forest& tree, double width) {
    std::vector<cell> cells;
    const std::vector<explained_step>& steps = tree.lookup().steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].node)
            continue;
        const bool ends = steps[i].result == outcome::answered;
        cells.push_back({.top = fmt::format("step {}", i + 1),
                         .name = fmt::format("{}, byte {}", steps[i].part, grouped(steps[i].offset)),
                         .classes = ends ? "lit answer" : "lit",
                         .attributes = tree.lit_by(i),
                         .slot = i,
                         .is_wanted = true});
    }
    constexpr std::size_t most_rows = 200;
    return rows_of(cells, width, most_rows, {});
}

} // namespace

piece structure_piece(const explained_lookup& lookup, double width) {
    const forest tree(lookup);
    const double inner = width - 2 * rim;
    piece out;
    piece nodes = laid_out(tree, inner);
    const std::size_t drawn = drawn_nodes(nodes);
    double y = rim;
    const double height = nodes.height;
    piece legend = legend_of(nodes, inner);
    out.width = std::max(width, nodes.width + 2 * rim);
    out.add(std::move(nodes), {rim, y});
    y += height;
    if (piece reads = other_reads(tree, inner); reads.height > 0) {
        const double reads_height = reads.height;
        out.text({rim, y + 20}, font::plain, "Reads outside the nodes:", "quiet");
        out.add(std::move(reads), {rim, y + 26});
        y += 26 + reads_height;
    }
    if (drawn < lookup.structure.nodes) {
        out.text({rim, y + 20}, font::plain,
                 fmt::format("{} of {} are drawn.", grouped(drawn),
                             counted(lookup.structure.nodes, "node", "nodes")),
                 "quiet");
        y += 24;
    } else if (lookup.structure.nodes == 0) {
        out.text({rim, y + 14}, font::plain, "The structure is empty.", "quiet");
        y += 18;
    }
    if (legend.height > 0) {
        const double legend_height = legend.height;
        out.add(std::move(legend), {rim, y + 8});
        y += 8 + legend_height;
    }
    out.height = y + rim;
    return out;
}

std::string structure_label(const explained_lookup& lookup) {
    std::size_t read = 0;
    const forest tree(lookup);
    for (const tree_node& node : tree.nodes())
        read += node.is_read;
    return fmt::format("{}: a structure of {}, of which the lookup reads {} in {}.", lookup.scheme,
                       counted(lookup.structure.nodes, "node", "nodes"), grouped(read),
                       counted(lookup.steps.size(), "step", "steps"));
}

} // namespace drawing

std::string structure_svg(const explained_lookup& lookup, double width) {
    const drawing::piece drawn = drawing::structure_piece(lookup, width);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"structure\" role=\"img\" "
        "aria-label=\"{}\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} {:.0f}\">\n{}</svg>\n",
        xml_text(drawing::structure_label(lookup)), width, drawn.height * width / drawn.width, drawn.width,
        drawn.height, svg_of(drawn));
}

} // namespace fingerpost::cli
