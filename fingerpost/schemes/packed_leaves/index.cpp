// Locates and writes the entries of the index, and divides and packs the trees below them.
#include "fingerpost/schemes/packed_leaves/index.hpp"
#include "fingerpost/fib/parts/cells/proportions.hpp"

#include <stdexcept>
#include <utility>

namespace fingerpost::packed_leaves {

std::size_t index_tables::memory_bytes() const noexcept {
    return (root_.capacity() + pages_.capacity()) * sizeof(std::uint64_t) +
           root_codes_.capacity() * sizeof(std::uint32_t) + spans_.capacity() * sizeof(tree_span) +
           written_.memory_bytes();
}
std::size_t index_tables::grown_bytes() const noexcept {
    return (pages_.capacity() - built_entries_) * sizeof(std::uint64_t) +
           made_trees_ * node_levels * line_bytes;
}

std::uint32_t index_tables::code_of(const tree_store& trees, std::uint64_t at) const {
    const cell_ref cell = locate(at);
    if (!last_entry::is_tree(cell.final))
        return last_entry::code_of(cell.final);
    const tree_span* const span = find_span(at);
    if (is_open_ && span == &spans_[open_span_])
        return opened_.code_of(key_of(at));
    return trees.code_of({span->tree, key_of(span->first), key_of(span->last)}, key_of(at));
}

void index_tables::sync_from(index_tables& active, bool were_same) {
    if (were_same && active.written_.are_known()) {
        pages_.reserve(active.pages_.capacity());
        for (std::size_t i = pages_.size(); i < active.pages_.size(); ++i)
            pages_.push_back(active.pages_[i]);
        for (const std::uint32_t unit : active.written_.list()) {
            entry_at(unit) = active.entry_at(unit);
            if (unit < root_.size())
                root_codes_[unit] = active.root_codes_[unit];
        }
    } else {
        root_ = active.root_;
        root_codes_ = active.root_codes_;
        pages_ = active.pages_;
        root_bits_ = active.root_bits_;
    }
    most_entries_ = active.most_entries_;
    built_entries_ = active.built_entries_;
    made_trees_ = active.made_trees_;
    std::swap(spans_, active.spans_);
    std::swap(shared_, active.shared_);
    written_.start((root_.size() + pages_.size()) * sizeof(std::uint64_t));
}

void index_tables::pack(tree_store& trees) {
    std::vector<std::uint32_t> tree_offsets;
    for (const tree_span& r : spans_)
        tree_offsets.push_back(r.tree);
    const std::vector<std::uint32_t> new_offsets = trees.pack(tree_offsets);
    // Entries that are neither trees nor answers contain a shift, so they are not multiples of a line.
    const auto follow_move = [&](std::uint64_t& entry) {
        if (last_entry::is_tree(entry) && entry % line_bytes == 0)
            entry = last_entry::tree(new_offsets[last_entry::tree_of(entry) / line_bytes]);
    };
    std::for_each(pages_.begin(), pages_.end(), follow_move);
    written_.add_all();
    for (tree_span& r : spans_)
        r.tree = new_offsets[r.tree / line_bytes];
    shared_entries shared;
    while (!shared_.empty()) {
        auto node_handle = shared_.extract(shared_.begin());
        follow_move(std::get<0>(node_handle.key()));
        shared.insert(shared.end(), std::move(node_handle));
    }
    shared_ = std::move(shared);
}

void index_tables::recode(tree_store& trees, std::uint64_t low, std::uint64_t high, std::uint32_t from,
                          std::uint32_t to, std::uint32_t escape) {
    const auto nothing = [](std::uint64_t, std::uint64_t) {};
    for (std::uint64_t at = low;;) {
        const cell_ref cell = locate(at);
        if (cell.final == last_entry::answer(from)) {
            if (low <= cell.first && cell.last <= high)
                set_entry(cell, last_entry::answer(to));
            else
                assign(trees, std::max(low, cell.first), std::min(high, cell.last), to, escape, nothing);
        }
        if (cell.last >= high)
            break;
        at = cell.last + 1;
    }
    flush(trees);
    // A span may have been divided, so each one is looked up again.
    for (std::uint64_t at = low; at <= high;) {
        const std::size_t i = first_span(at);
        if (i == spans_.size() || spans_[i].first > high)
            break;
        const tree_span r = spans_[i];
        at = r.last + 1;
        if (low <= r.first && r.last <= high) {
            trees.recode(r.tree, from, to);
            continue;
        }
        open(trees, i, escape);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;
        opened_.each_with(from, key_of(std::max(low, r.first)), key_of(std::min(high, r.last)),
                          [&](std::uint32_t first, std::uint32_t last) { parts.emplace_back(first, last); });
        for (const auto& [first, last] : parts)
            opened_.assign(first, last, to);
        flush(trees);
    }
}

void index_tables::flush(tree_store& trees) {
    if (is_open_) {
        is_open_ = false;
        write_span(trees, open_span_, opened_);
    }
    sets_ = 0;
}

// Returns the cell in the last table that takes bits within the first `steps`. Sets `final` to its entry.
index_tables::cell_ref index_tables::find_cell(std::uint64_t position, unsigned steps) const noexcept {
    const auto at_root = static_cast<std::size_t>(position >> (bits - root_bits_));
    cell_ref cell{0, 0, root_bits_, 0, at_root, root_[at_root]};
    for (; cell.step < steps && step_entry::shift_of(cell.final) != step_entry::pass; ++cell.step) {
        cell.length = 64 - step_entry::shift_of(cell.final);
        cell.at = step_entry::slot(cell.final, address_of(position));
        cell.final = pages_[cell.at];
    }
    cell.last = position | low_mask<std::uint64_t>(bits - cell.length);
    cell.first = cell.last - low_mask<std::uint64_t>(bits - cell.length);
    return cell;
}
index_tables::cell_ref index_tables::locate(std::uint64_t position) const noexcept {
    cell_ref cell = find_cell(position, index_steps);
    for (unsigned step = cell.step; step < index_steps; ++step)
        cell.final = pages_[step_entry::slot(cell.final, address_of(position))];
    return cell;
}
void index_tables::write(const cell_ref& cell, std::uint64_t entry, std::uint32_t root_code) {
    if (cell.step == 0)
        root_codes_[cell.at] = root_code;
    const std::size_t unit = cell.step == 0 ? cell.at : root_.size() + cell.at;
    written_.add(unit);
    entry_at(unit) = entry;
}
void index_tables::reserve_pages(std::size_t more) {
    check_pages(more);
    if (pages_.size() + more > pages_.capacity())
        pages_.reserve(std::max(pages_.size() + more, grown_index_pages.of(pages_.size()) + 16));
}
// Returns the entry for a table read in step `step` (0 for the root) from which the last step reaches
// `final`.
std::uint64_t index_tables::entry_leading_to(std::uint64_t final, unsigned step, std::uint64_t position) {
    if (step == index_steps)
        return final;
    const std::uint64_t address = address_of(position);
    const shared_key key{final, step, static_cast<unsigned>(address >> step_entry::pass)};
    const auto [at, is_new] = shared_.try_emplace(key);
    if (is_new) {
        const std::uint64_t next = entry_leading_to(final, step + 1, position);
        reserve_pages(1);
        pages_.push_back(next);
        at->second = step_entry::make(pages_.size() - 1, step_entry::pass, address);
    }
    return at->second;
}
// The maximum number of bits by which a cell may be divided.
unsigned index_tables::most_bits(const cell_ref& cell) const noexcept {
    if (cell.step < index_steps)
        return most_stride;
    const unsigned stride = cell.length - find_cell(cell.first, index_steps - 1).length;
    return most_stride - std::min(most_stride, stride);
}
// Appends the table that divides a cell, and returns the entry that leads to it.
template <class Entry>
std::uint64_t index_tables::append_table(const cell_ref& cell, unsigned stride, Entry entry) {
    const std::size_t table = pages_.size();
    const std::size_t size = std::size_t{1} << stride;
    reserve_pages(size);
    for (std::size_t i = 0; i < size; ++i)
        pages_.push_back(entry(i));
    return entry_of(table, stride, cell.first, cell.length);
}
// Divides a cell into 2^stride cells with the same content. Adds a table, or, for a cell of the last table,
// replaces that table by one with `stride` more bits. Returns the cell with `position`.
index_tables::cell_ref index_tables::divide(const cell_ref& cell, unsigned stride, std::uint64_t position) {
    if (stride > most_bits(cell))
        throw std::length_error("a table of the index");
    if (cell.step < index_steps) {
        const std::uint64_t part = entry_leading_to(cell.final, cell.step + 1, position);
        write(cell, append_table(cell, stride, [&](std::size_t) { return part; }), no_root_code);
    } else {
        const cell_ref above = find_cell(position, index_steps - 1);
        const std::size_t old = step_entry::slot(above.final, address_of(above.first));
        const unsigned wider = cell.length - above.length + stride;
        write(above, append_table(above, wider, [&](std::size_t i) { return pages_[old + (i >> stride)]; }),
              no_root_code);
    }
    return locate(position);
}

void index_tables::open(const tree_store& trees, std::size_t span_number, std::uint32_t escape) {
    if (is_open_)
        return;
    const tree_span& r = spans_[span_number];
    opened_.clear();
    opened_.first = key_of(r.first);
    trees.read(r.tree, key_of(r.last), opened_.ends, opened_.codes);
    may_escape_ = std::find(opened_.codes.begin(), opened_.codes.end(), escape) != opened_.codes.end();
    open_span_ = span_number;
    is_open_ = true;
}

// Writes these intervals to the tree of a span. Divides the span if they nearly fill a tree.
void index_tables::write_span(tree_store& trees, std::size_t number, const tree_intervals& intervals) {
    if (intervals.size() > full_tree.of(trees.capacity()))
        if (const std::uint64_t at = division_point(spans_[number], intervals); at != 0)
            return divide_span(trees, number, intervals, at);
    trees.rewrite(spans_[number].tree, intervals.ends, intervals.codes);
}
void index_tables::divide_span(tree_store& trees, std::size_t number, const tree_intervals& intervals,
                               std::uint64_t at) {
    const std::uint32_t left_last = key_of(at - 1);
    const auto cut = static_cast<std::ptrdiff_t>(intervals.at(key_of(at)));
    tree_intervals left;
    tree_intervals right;
    left.ends.assign(intervals.ends.begin(), intervals.ends.begin() + cut);
    left.codes.assign(intervals.codes.begin(), intervals.codes.begin() + cut);
    if (left.ends.empty() || left.ends.back() != left_last)
        left.push(left_last, intervals.codes[static_cast<std::size_t>(cut)]);
    right.ends.assign(intervals.ends.begin() + cut, intervals.ends.end());
    right.codes.assign(intervals.codes.begin() + cut, intervals.codes.end());

    const tree_span whole = spans_[number];
    const std::uint32_t right_tree = trees.make({&right.ends.back(), 1}, {&right.codes.back(), 1});
    spans_[number].last = at - 1;
    spans_.insert(spans_.begin() + static_cast<std::ptrdiff_t>(number) + 1, {at, whole.last, right_tree});
    for (std::uint64_t next = at; next <= whole.last;) {
        const cell_ref cell = locate(next);
        if (last_entry::tree_of(cell.final) == whole.tree)
            set_entry(cell, last_entry::tree(right_tree));
        next = cell.last + 1;
    }
    write_span(trees, number + 1, right);
    write_span(trees, number, left);
}
// Returns the position at which to divide a tree, which is the end of a cell that leaves a fair share to both
// sides. If one cell has nearly all intervals, divides the cell first. Returns 0 if no division is possible.
std::uint64_t index_tables::division_point(const tree_span& r, const tree_intervals& intervals) {
    const std::size_t middle = intervals.size() / 2;
    const std::uint64_t inside = block_of(r) | intervals.ends[middle];
    // The start or end of the aligned block around `inside` if it divides the tree fairly, otherwise 0.
    const auto fair_end = [&](unsigned length) -> std::uint64_t {
        const std::uint64_t mask = low_mask<std::uint64_t>(bits - length);
        for (const std::uint64_t at : {inside & ~mask, (inside | mask) + 1}) {
            if (at <= r.first || at > r.last)
                continue;
            const std::size_t left = intervals.at(key_of(at));
            if (std::min(left, intervals.size() - left) > least_half.of(intervals.size()))
                return at;
        }
        return 0;
    };
    const cell_ref cell = locate(inside);
    if (const std::uint64_t at = fair_end(cell.length); at != 0)
        return at;
    // If the cost is low, takes a few more bits than necessary, for the next division.
    const unsigned more = cell.step < index_steps ? 4 : 0;
    constexpr unsigned few = 8;
    const unsigned most = std::min(bits - cell.length, most_bits(cell));
    for (unsigned stride = 1; stride <= most; ++stride)
        if (const std::uint64_t at = fair_end(cell.length + stride); at != 0) {
            (void)divide(cell, std::max(stride, std::min({stride + more, few, most})), inside);
            return at;
        }
    return 0;
}

} // namespace fingerpost::packed_leaves
