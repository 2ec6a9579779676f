// Visits each node of the index and the trees once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/cells/cell_inspect.hpp"
#include "fingerpost/schemes/packed_leaves/index.hpp"
#include "fingerpost/schemes/packed_leaves/view.hpp"

namespace fingerpost::packed_leaves {

// Names used by memory_parts(), steps and nodes.
namespace part {
using namespace cells::part;
inline constexpr std::string_view index_root = "index root";
inline constexpr std::string_view index_root_codes = "index root codes";
inline constexpr std::string_view index_pages = "index pages";
inline constexpr std::string_view index_lines = "index lines";
} // namespace part

// Number of bits that an entry takes from addresses of which `outer` bits are already taken.
constexpr unsigned stride_of(std::uint64_t entry, unsigned outer) noexcept {
    return step_entry::shift_of(entry) == step_entry::pass ? 0 : 64 - step_entry::shift_of(entry) - outer;
}

// The nodes of the front, for node_visit:
//
//     kind             part               what
//     root codes       index root codes   the codes of cells that the root answers
//     root             index root         children: tables, first nodes of trees, answers
//     table            index pages        as for the root
//     node, leaf       index lines
//     answer           index pages        neighbouring cells of a table with the same code; 0 bytes
//     shared entries   index pages        0 bytes; children: the entries that take no bits
//
// The target of a shared entry is a child of the previous table. A tree with several tables is a child of the
// first of them. It covers all addresses from its first to its last cell, even if a cell between them has its
// own code. Shared entries and answers are shown in the same way. Tables without a parent are omitted.
template <class Arrays, class Nodes>
class index_visit {
    using A = typename Nodes::address;
    using value = typename A::value_type;

  public:
    index_visit(const Arrays& from, const Nodes& nodes) noexcept : from_(from), nodes_(nodes) {}

    void run() {
        const table root{from_.root.data(), static_cast<unsigned>(std::countr_zero(from_.root.size())), 0, 0,
                         0};
        visit_root_codes(root);
        find_shared(root);
        visit_table(root, 0, 0);
        visit_shared_entries();
    }

  private:
    // Positions are the first 48 bits of an address, as in index_tables.
    static constexpr unsigned position_bits = index_tables::bits;
    struct position_range {
        std::uint64_t first;
        std::uint64_t last;
    };
    // A table of the index: 2^stride entries for the cell of `outer` bits that starts at `first`.
    struct table {
        const std::uint64_t* entries;
        unsigned stride;
        unsigned step; // step that reads it; 0 for the root
        unsigned outer;
        std::uint64_t first;

        unsigned below() const noexcept { return position_bits - outer - stride; }
    };
    enum class leads_to : std::uint8_t { table, tree, answer };
    // Adjacent entries with the same target.
    struct entry_run {
        leads_to what;
        std::uint64_t entry; // last one that takes bits, or the entry after the last step
        unsigned step;       // step that reads the table
        std::uint64_t slot;  // first slot
        position_range covers;
    };
    // The bits of a table within the width of addresses.
    static unsigned shown_bits(const table& t) noexcept {
        return std::min(t.stride, A::bits - std::min(t.outer, A::bits));
    }
    static std::uint64_t shown_slot(const table& t, std::uint64_t slot) noexcept {
        return slot >> (t.stride - shown_bits(t));
    }

    // Cells may be finer than short addresses, but a cell that differs from the previous one starts with an
    // address.
    static constexpr unsigned padding = A::bits < position_bits ? position_bits - A::bits : 0;
    static constexpr unsigned below_position = A::bits > position_bits ? A::bits - position_bits : 0;
    static A first_of(const position_range& r) noexcept {
        return A{shift_left(static_cast<value>(r.first >> padding), below_position)};
    }
    static A last_of(const position_range& r) noexcept {
        const auto last = static_cast<value>(r.last >> padding);
        return A{static_cast<value>(shift_left(last, below_position) | low_mask<value>(below_position))};
    }

    // Calls note(page entry, cell) for each shared entry on the path.
    template <class Each, class Note>
    void each_run(const table& t, Each each, Note note) const {
        entry_run run{};
        for (std::size_t i = 0; i < std::size_t{1} << t.stride; ++i) {
            const std::uint64_t first = t.first + (std::uint64_t{i} << t.below());
            entry_run next{leads_to::table,
                           t.entries[i],
                           t.step,
                           shown_slot(t, i),
                           {first, first + low_mask<std::uint64_t>(t.below())}};
            follow(next, note);
            if (i > 0 && next.what != leads_to::table && next.what == run.what && next.entry == run.entry) {
                run.covers.last = next.covers.last;
                continue;
            }
            if (i > 0)
                each(run);
            run = next;
        }
        each(run);
    }
    template <class Each>
    void each_run(const table& t, Each each) const {
        each_run(t, each, [](std::size_t, const position_range&) {});
    }
    static std::uint64_t address_of(const position_range& r) noexcept {
        return r.first << (64 - position_bits);
    }
    template <class Note>
    void follow(entry_run& run, Note note) const {
        for (; run.step < index_steps && step_entry::shift_of(run.entry) == step_entry::pass; ++run.step) {
            const std::size_t at = step_entry::slot(run.entry, address_of(run.covers));
            note(at, run.covers);
            run.entry = from_.pages.data()[at];
        }
        run.what = run.step < index_steps           ? leads_to::table
                   : last_entry::is_tree(run.entry) ? leads_to::tree
                                                    : leads_to::answer;
        ++run.step;
    }
    table table_below(const table& t, const entry_run& run) const noexcept {
        const unsigned outer = t.outer + t.stride;
        return {from_.pages.data() + step_entry::slot(run.entry, address_of(run.covers)),
                stride_of(run.entry, outer), run.step, outer, run.covers.first};
    }

    void visit_root_codes(const table& root) {
        nodes_.each()({.first = A::first(),
                       .last = A::last(),
                       .kind = "root codes",
                       .part = part::index_root_codes,
                       .bytes = from_.root_codes.size_bytes(),
                       .bits = shown_bits(root),
                       .contents = [&](node_contents& to) {
                           const std::size_t step = std::size_t{1} << (root.stride - shown_bits(root));
                           for (std::size_t i = 0; i < from_.root_codes.size(); i += step) {
                               const std::uint32_t code = from_.root_codes[i];
                               add_answer(to, shown_slot(root, i),
                                          code == no_root_code ? next_hop::none : nodes_.hop_of(code));
                           }
                       }});
    }
    void find_shared(const table& t) {
        const auto look = [&](const entry_run& run) {
            if (run.what == leads_to::table)
                find_shared(table_below(t, run));
            else if (run.what == leads_to::tree)
                extend(trees_, last_entry::tree_of(run.entry), run.covers);
        };
        each_run(t, look, [&](std::size_t at, const position_range& cell) { extend(shared_, at, cell); });
    }
    template <class Ranges>
    static void extend(Ranges& ranges, std::size_t of, const position_range& cell) {
        position_range& known = ranges.try_emplace(of, cell).first->second;
        known = {std::min(known.first, cell.first), std::max(known.last, cell.last)};
    }
    void visit_table(const table& t, std::uint64_t slot, unsigned level) {
        std::vector<entry_run> children;
        each_run(t, [&](entry_run run) {
            if (run.what == leads_to::tree) {
                const auto tree = trees_.find(last_entry::tree_of(run.entry));
                if (tree == trees_.end())
                    return;
                run.covers = tree->second;
                trees_.erase(tree);
            }
            children.push_back(run);
        });
        const auto hop_at = [&](const entry_run& run) {
            return run.what == leads_to::answer ? nodes_.hop_of(last_entry::code_of(run.entry))
                                                : next_hop::none;
        };
        const position_range covers{t.first, t.first + low_mask<std::uint64_t>(position_bits - t.outer)};
        const std::uint64_t* const start = level == 0 ? from_.root.data() : from_.pages.data();
        nodes_.each()({.first = first_of(covers),
                       .last = last_of(covers),
                       .level = level,
                       .kind = level == 0 ? "root" : "table",
                       .part = level == 0 ? part::index_root : part::index_pages,
                       .bytes = sizeof(std::uint64_t) << t.stride,
                       .children = children.size(),
                       .offset = static_cast<std::uint64_t>(t.entries - start) * sizeof(std::uint64_t),
                       .slot = slot,
                       .first_bit = std::min(t.outer, A::bits),
                       .bits = shown_bits(t),
                       .contents = [&](node_contents& to) {
                           each_run(t, [&](const entry_run& run) { add_answer(to, run.slot, hop_at(run)); });
                       }});
        for (const entry_run& run : children) {
            const child_node<A> tree_root{last_entry::tree_of(run.entry), first_of(run.covers),
                                          last_of(run.covers), run.slot};
            if (run.what == leads_to::table)
                visit_table(table_below(t, run), run.slot, level + 1);
            else if (run.what == leads_to::tree)
                nodes_.visit_tree({part::index_lines, from_.lines.data(), key_begin}, tree_root, node_levels,
                                  level + 1);
            else
                nodes_.each()({.first = tree_root.first,
                               .last = tree_root.last,
                               .level = level + 1,
                               .kind = "answer",
                               .part = part::index_pages,
                               .slot = run.slot,
                               .contents = [&](node_contents& to) { add_answer(to, 0, hop_at(run)); }});
        }
    }
    void visit_shared_entries() {
        nodes_.each()({.first = A::first(),
                       .last = A::last(),
                       .kind = "shared entries",
                       .part = part::index_pages,
                       .children = shared_.size()});
        for (const auto& [at, cells] : shared_) {
            const std::uint64_t entry = from_.pages.data()[at];
            nodes_.each()({.first = first_of(cells),
                           .last = last_of(cells),
                           .level = 1,
                           .kind = "shared entry",
                           .part = part::index_pages,
                           .bytes = sizeof entry,
                           .offset = at * sizeof entry,
                           .slot = at,
                           .contents = [&](node_contents& to) { show_shared(entry, cells, to); }});
        }
    }

    // Shows the target of an entry that takes no bits: another such entry, a tree or an answer. Only the
    // first has this shift, because the offsets of trees are multiples of a line.
    void show_shared(std::uint64_t entry, const position_range& cells, node_contents& to) const {
        if (step_entry::shift_of(entry) == step_entry::pass)
            to.numbers.push_back({"shared entry", step_entry::slot(entry, address_of(cells))});
        else if (last_entry::is_tree(entry))
            to.numbers.push_back({"line", last_entry::tree_of(entry) / line_bytes});
        else
            add_answer(to, 0, nodes_.hop_of(last_entry::code_of(entry)));
    }

    const Arrays& from_;
    const Nodes& nodes_;
    std::unordered_map<std::size_t, position_range> trees_; // trees not visited yet, by first node
    std::map<std::size_t, position_range> shared_;          // entries that take no bits, by page entry
};

} // namespace fingerpost::packed_leaves
