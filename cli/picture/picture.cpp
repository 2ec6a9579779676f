// `fingerpost lab picture`: draws the data structures of schemes as radial trees.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/picture/svg_converter.hpp"
#include "cli/picture/svg_page.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/registry/registry.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

constexpr std::size_t most_panels = 4;

struct picture_options {
    table_choice table;
    std::vector<std::string> schemes{};
    axis_kind axis = axis_kind::rank;
    unsigned bits = 0; // at the rim; 0: the family's default
    unsigned side = 900;
    double full = 0; // 0: determined from the picture
    bool dark = false;
    std::string title{};
    std::string out = "-";
};

std::string with_commas(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3;)
        digits.insert(at -= 3, ",");
    return digits;
}

template <class A>
void refuse_without_nodes(const scheme_entry<A>& scheme) {
    if (scheme.visitable)
        return;
    std::vector<std::string_view> others;
    for (const scheme_entry<A>& entry : schemes<A>())
        if (entry.visitable && entry.facts.is_standard())
            others.push_back(entry.facts.name);
    throw usage_error(fmt::format("--scheme: {} has no nodes to draw; choose one of {}", scheme.facts.name,
                                  fmt::join(others, ", ")));
}

std::vector<unsigned> rings_of(unsigned bits) {
    const unsigned step = bits <= 32 ? 8 : bits <= 64 ? 16 : 32;
    std::vector<unsigned> rings;
    for (unsigned ring = step; ring < bits; ring += step)
        rings.push_back(ring);
    rings.push_back(bits);
    return rings;
}

template <class A>
std::string name_of_block(const prefix<A>& where) {
    if constexpr (A::bits == 32)
        return fmt::format("{}/{}", where.base.value >> 24, where.length);
    else
        return to_string(where);
}

template <class A>
class drawer {
  public:
    drawer(const io::loaded_table<A>& table, const picture_options& options)
        : options_(options), routes_(table.routes), axis_(routes_.sorted(), options.axis) {}

    std::string svg() {
        for (const std::string& name : options_.schemes)
            schemes_.push_back(&scheme_named<A>(name));
        const unsigned bits = options_.bits != 0 ? options_.bits : A::bits == 32 ? 32 : 64;
        const dial place(options_.side, bits);
        std::vector<drawn_tree> trees;
        svg_page page{.title = title(),
                      .axis = axis_text(),
                      .rings = rings_of(bits),
                      .colors = options_.dark ? &dark_theme : &light_theme};
        for (const scheme_entry<A>* const scheme : schemes_)
            refuse_without_nodes(*scheme);
        for (const scheme_entry<A>* const scheme : schemes_)
            trees.push_back(draw(*scheme, place, bits, page));
        for (const auto& block : axis_.large_blocks())
            page.parts.push_back({name_of_block(block.where), block.from, block.to});
        const color_scale scale(options_.full > 0 ? options_.full : full_of(trees));
        page.full = scale.full();
        const std::vector<rgb> palette = palette_of(*page.colors);
        for (std::size_t i = 0; i < trees.size(); ++i) {
            const drawn_tree& tree = trees[i];
            const auto pixels = colored(tree.edges.pixels(), tree.leaves.pixels(), scale);
            page.panels[i].png = indexed_png(options_.side, options_.side, pixels, palette);
        }
        return as_svg(page, options_.side);
    }

  private:
    std::string title() const {
        if (!options_.title.empty())
            return options_.title;
        const std::string file = std::filesystem::path(name_of(options_.table)).filename().string();
        return fmt::format("{}: {} {} routes", file, with_commas(routes_.size()), name_of(family_of<A>));
    }
    std::string axis_text() const {
        return options_.axis == axis_kind::rank
                   ? "Around: routes in address order, each the same angle. Outward: prefix lengths of nodes."
                   : "Around: addresses. Outward: prefix lengths of nodes.";
    }

    drawn_tree draw(const scheme_entry<A>& scheme, const dial& place, unsigned bits, svg_page& page) {
        progress now;
        now.show(fmt::format("building {}", scheme.facts.name));
        // The seed is fixed, so that a table always has the same picture.
        const auto fib = scheme.build(routes_, {.hash_seed = 1});
        if (!fib)
            throw failure(fmt::format("{} cannot be built: {}", scheme.facts.name, message(fib.error())));
        now.show(fmt::format("drawing {}", scheme.facts.name));
        drawn_tree tree = draw_tree(**fib, axis_, place, options_.side);
        svg_panel& panel = page.panels.emplace_back(svg_panel{.name = std::string(scheme.facts.name)});
        panel.lines.push_back(fmt::format("{} nodes", with_commas(tree.nodes)));
        panel.lines.push_back(fmt::format("{} {}", tree.levels, tree.levels == 1 ? "level" : "levels"));
        panel.lines.push_back(
            fmt::format("{:.1f} MiB", static_cast<double>((*fib)->memory_bytes()) / (1U << 20)));
        if (tree.outside != 0)
            panel.lines.push_back(fmt::format("not drawn: {} beyond /{}", with_commas(tree.outside), bits));
        panel.tables = std::move(tree.tables);
        return tree;
    }

    static double full_of(const std::vector<drawn_tree>& trees) {
        std::vector<float> densities;
        for (const drawn_tree& tree : trees)
            densities.insert(densities.end(), tree.edges.pixels().begin(), tree.edges.pixels().end());
        return full_density(std::move(densities));
    }

    const picture_options& options_;
    routes<A> routes_;
    address_axis<A> axis_;
    std::vector<const scheme_entry<A>*> schemes_{};
};

// Returns svg, png or pdf, from the extension of the file name.
std::string format_of(const std::string& path) {
    if (path == "-")
        return "svg";
    const std::string ending = std::filesystem::path(path).extension().string();
    for (const std::string_view known : {"svg", "png", "pdf"})
        if (ending == "." + std::string(known))
            return std::string(known);
    throw usage_error(fmt::format("--output: '{}' does not end in .svg, .png or .pdf", path));
}

template <class A>
void refuse_what_does_not_fit(const picture_options& options) {
    if (options.axis == axis_kind::address && A::bits > 32)
        throw usage_error("--angle address draws all IPv6 routes within a few degrees; use rank");
    if (options.bits > A::bits)
        throw usage_error(fmt::format("--bits: {} is more than the {} of an {} address", options.bits,
                                      A::bits, name_of(family_of<A>)));
}

int run(const picture_options& options) {
    const std::string format = format_of(options.out);
    const io::one_table table = load(options.table);
    std::string page = std::visit(
        [&]<class A>(const io::loaded_table<A>& tables) {
            refuse_what_does_not_fit<A>(options);
            return drawer<A>(tables, options).svg();
        },
        table);
    if (format != "svg")
        page = converted(page, format);
    output out(options.out);
    out.write(page);
    out.finish();
    return exit_code::ok;
}

// The limit applies to the schemes of all options together.
std::string add_panels(const std::vector<std::string>& chosen, std::vector<std::string>& into) {
    into.insert(into.end(), chosen.begin(), chosen.end());
    if (into.size() > most_panels)
        return fmt::format("{} schemes are more than {} panels", into.size(), most_panels);
    return {};
}

void add_scheme_option(command& to, const std::shared_ptr<picture_options>& options) {
    auto last = std::make_shared<std::vector<std::string>>();
    option& schemes =
        add_names(to, "--scheme", *last, scheme_names(),
                  "Schemes to draw, side by side with a common colour scale", hidden_scheme_names());
    schemes.preset = default_name();
    schemes.may_repeat = true;
    schemes.take = [options, last, take = std::move(schemes.take)](const std::string& text) {
        const std::string reason = take(text);
        return reason.empty() ? add_panels(*last, options->schemes) : reason;
    };
}

} // namespace

command picture_command() {
    auto options = std::make_shared<picture_options>();
    command result{.name = "lab picture", .summary = "draw a scheme's data structure as a radial tree"};
    add_table_options(result, options->table);
    add_scheme_option(result, options);
    add_output(result, options->out,
               "Output file: .svg, .png or .pdf, the last two need rsvg-convert (default: SVG on stdout)");
    add_choice<axis_kind>(result, "--angle", options->axis,
                          {{"rank", axis_kind::rank}, {"address", axis_kind::address}},
                          "Meaning of the angle: rank (routes evenly spaced) or address (IPv4 only)");
    option& bits = add_number(result, "--bits", options->bits, {8, 128}, "Prefix length at the outer edge");
    bits.preset = "32, IPv6 64";
    add_number(result, "--size", options->side, {200, 3000}, "Panel width in pixels");
    option& full = add_real(result, "--scale", options->full, 0.1, 1e9,
                            "Density shown in the strongest colour, to compare pictures");
    full.preset = "that of the densest 1/200 of the pixels";
    add_flag(result, "--dark", options->dark, "Use colours for a dark background");
    add_text(result, "--title", "TEXT", options->title, "Title").preset = "file and number of routes";
    result.examples = {{"fingerpost lab picture v4.csv --scheme binary_trie,poptrie -o trees.svg",
                        "Draw two schemes side by side"},
                       {"fingerpost lab picture v6.csv --scheme patricia --dark --size 1200 > tree.svg",
                        "Draw a larger picture for a dark page"}};
    result.run = [options] {
        if (options->schemes.empty())
            options->schemes.push_back(default_name());
        return run(*options);
    };
    return result;
}

} // namespace fingerpost::cli
