// `fingerpost tree`: prints the routes of a table, or the data structure of a scheme, as a tree.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/explain/node_description.hpp"
#include "cli/explain/node_words.hpp"
#include "cli/tree/tree_lines.hpp"
#include "fingerpost/registry/registry.hpp"
#include "terminal/columns.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/help.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

struct tree_options {
    table_choice table;
    std::string scheme;
    std::string within;
    std::size_t limit = 500;
    bool ascii = false;
};

std::string counted(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// The rows of one family, of which only the first `limit` are kept.
class kept_rows {
  public:
    explicit kept_rows(std::size_t limit) : limit_(limit) {}

    bool takes_more() const { return rows_.size() < limit_; }
    void add(tree_row row) { rows_.push_back(std::move(row)); }
    void leave_out() { ++left_out_; }

    void write(output& out, const tree_look& look, std::string_view noun) const {
        out.write(tree_lines(rows_, look));
        if (left_out_ != 0)
            out.write(fmt::format("... and {} more (see --limit and --within)\n", counted(left_out_, noun)));
    }

  private:
    std::size_t limit_;
    std::size_t left_out_ = 0;
    std::vector<tree_row> rows_;
};

template <class A>
std::string values_of(const io::loaded_table<A>& table, next_hop row) {
    std::vector<std::string_view> texts;
    for (std::size_t i = 0; i < table.values.columns(); ++i)
        if (const std::string_view text = table.values.cell(row, i); !text.empty())
            texts.push_back(text);
    return fmt::format("{}", fmt::join(texts, ", "));
}

// Whether one of them is in the other.
template <class A>
bool meet(const prefix<A>& a, const prefix<A>& b) {
    return a.contains(b.base) || b.contains(a.base);
}

template <class A>
void print_routes(const io::loaded_table<A>& table, const std::optional<prefix<A>>& within,
                  const tree_options& options, const tree_look& look, output& out) {
    kept_rows rows(options.limit);
    rows.add({0, fmt::format("{}: {}", name_of(family_of<A>), counted(table.routes.size(), "route"))});
    std::vector<prefix<A>> open; // covers of the place, shortest first
    for (const route<A>& r : table.routes) {
        while (!open.empty() && !open.back().contains(r.where.base))
            open.pop_back();
        open.push_back(r.where);
        if (within && !meet(*within, r.where))
            continue;
        if (rows.takes_more())
            rows.add({open.size(), to_string(r.where), values_of(table, r.hop)});
        else
            rows.leave_out();
    }
    rows.write(out, look, "route");
}

std::string facts_in_line(const explained_node& node) {
    std::string line;
    for (const node_fact& fact : facts_of(node))
        line += (line.empty() ? "" : "; ") + fact.text;
    return line;
}

template <class A>
void print_structure(io::loaded_table<A> table, const std::optional<prefix<A>>& within,
                     const tree_options& options, const tree_look& look, output& out) {
    const scheme_entry<A>& scheme = scheme_named<A>(options.scheme);
    if (!scheme.visitable)
        throw usage_error(fmt::format("--scheme: {} does not show its nodes", scheme.facts.name));
    const value_rows values = std::move(table.values);
    // Hash tables draw their keys at random; a fixed seed gives the same tree each time.
    const auto fib = scheme.build(routes<A>(std::move(table.routes)), build_options{.hash_seed = 1});
    if (!fib)
        throw failure(fmt::format("{} cannot be built: {}", scheme.facts.name, message(fib.error())));
    kept_rows rows(options.limit);
    std::size_t nodes = 0;
    const auto count = [&](const structure_node<A>&) { ++nodes; };
    (*fib)->visit(count);
    rows.add({0, fmt::format("{}, {}: {}, {}", name_of(family_of<A>), scheme.facts.name,
                             counted(nodes, "node"), counted((*fib)->memory_bytes(), "byte"))});
    const auto texts = [&](next_hop row) { return std::string(values.cell(row, 0)); };
    const auto add = [&](const structure_node<A>& node) {
        if (within && (within->last() < node.first || node.last < within->first()))
            return;
        if (!rows.takes_more())
            return rows.leave_out();
        const explained_node description = describe_node<A>(node, texts);
        const std::string slot = node.level == 0 ? "" : fmt::format("[{}] ", description.slot);
        rows.add({node.level + 1, fmt::format("{}{} {}", slot, description.kind, range_of(description)),
                  facts_in_line(description)});
    };
    (*fib)->visit(add);
    rows.write(out, look, "node");
}

bool speaks_utf8() {
    for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const char* const locale = std::getenv(name); locale != nullptr && *locale != '\0') {
            std::string lower(locale);
            std::transform(lower.begin(), lower.end(), lower.begin(),
                           [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
            return lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos;
        }
    return !is_terminal(STDOUT_FILENO);
}

int run(const tree_options& options) {
    const bool is_part = !options.within.empty();
    const auto part = parse_prefix(options.within);
    if (is_part && !part)
        throw usage_error(fmt::format("--within: {}", message(part.error())));
    io::both_tables tables = load_both(options.table);
    const tree_look look{.draws_lines = !options.ascii && speaks_utf8(),
                         .color = wants_color(STDOUT_FILENO),
                         .width = shown_width()};
    output out;
    for_each_family(tables, options.table, [&]<class A>(io::loaded_table<A>& table) {
        std::optional<prefix<A>> within;
        if (is_part) {
            const auto* const of_family = std::get_if<prefix<A>>(&*part);
            if (of_family == nullptr)
                return;
            within = *of_family;
        }
        if (options.scheme.empty())
            print_routes(table, within, options, look, out);
        else
            print_structure(std::move(table), within, options, look, out);
    });
    out.finish();
    return exit_code::ok;
}

} // namespace

command tree_command() {
    auto options = std::make_shared<tree_options>();
    command entry{.name = "tree", .summary = "print routes, or a scheme's data structure, as a tree"};
    add_table_options(entry, options->table);
    add_scheme(entry, options->scheme,
               "Print the nodes of this scheme's data structure instead of the routes")
        .preset.clear();
    add_text(entry, "--within", "PREFIX", options->within,
             "Show only routes that contain PREFIX or lie inside it");
    add_number(entry, "--limit", options->limit, {1, 1'000'000}, "Print at most N lines per family");
    add_flag(entry, "--ascii", options->ascii,
             "Draw the tree with ASCII characters (default in locales without UTF-8)");
    entry.examples = {{"fingerpost tree table.txt", "Show how routes nest"},
                      {"fingerpost tree -t table.txt --scheme poptrie --within 10.0.0.0/8",
                       "Show the Poptrie nodes around 10.0.0.0/8"}};
    entry.run = [options] { return run(*options); };
    return entry;
}

} // namespace fingerpost::cli
