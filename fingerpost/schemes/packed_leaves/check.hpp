// Checks an index from a file. See fib/parts/cells/cell_check.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/fib/parts/cells/cell_check.hpp"
#include "fingerpost/schemes/packed_leaves/view.hpp"

namespace fingerpost::packed_leaves {

// The pages to which the entries of one step lead, each with the first and the last address that reach it. A
// page of a table must not be marked twice; other pages may be.
class page_marks {
  public:
    explicit page_marks(std::size_t pages) : pages_(pages) {}

    // Marks the pages of an entry for the addresses `first` to `last`. Returns false if they are outside.
    bool mark(std::uint64_t entry, std::uint64_t first, std::uint64_t last) noexcept {
        const unsigned shift = step_entry::shift_of(entry);
        const std::size_t begin = step_entry::slot(entry, first);
        const std::size_t end = step_entry::slot(entry, last);
        if (shift > 63 || end < begin || end >= pages_.size())
            return false;
        for (std::size_t i = begin; i <= end; ++i) {
            page& p = pages_[i];
            if (begin != end && p.last >= p.first)
                return false;
            const std::uint64_t from = ((first >> shift) + (i - begin)) << shift;
            p.first = std::min(p.first, std::max(first, from));
            p.last = std::max(p.last, std::min(last, from | low_mask<std::uint64_t>(shift)));
        }
        return true;
    }
    // Calls visit(page, first, last) for each marked page until it returns false.
    template <class Visit>
    void each(Visit visit) const {
        for (std::size_t i = 0; i < pages_.size(); ++i)
            if (pages_[i].last >= pages_[i].first && !visit(i, pages_[i].first, pages_[i].last))
                return;
    }

  private:
    struct page {
        std::uint64_t first = ~std::uint64_t{0};
        std::uint64_t last = 0;
    };
    std::vector<page> pages_;
};

inline std::optional<array_fault> check_index(std::span<const std::uint64_t> root,
                                              std::span<const std::uint64_t> pages, const code_rule& rule,
                                              packed_tree_check& trees) {
    static_assert(index_steps == 2, "two generations of pages are marked");
    if (!std::has_single_bit(root.size()) || root.size() < 2 || root.size() > std::size_t{1} << 16)
        return array_fault{root.data(), "the root must have a power of two of entries, up to 2^16"};
    const auto shift = static_cast<unsigned>(64 - std::countr_zero(root.size()));
    page_marks second(pages.size());
    page_marks last(pages.size());
    for (std::size_t i = 0; i < root.size(); ++i) {
        const std::uint64_t first = std::uint64_t{i} << shift;
        if (!second.mark(root[i], first, first | low_mask<std::uint64_t>(shift)))
            return array_fault{&root[i], "the pages of a root entry are out of bounds or used twice"};
    }
    std::optional<array_fault> fault;
    second.each([&](std::size_t page, std::uint64_t from, std::uint64_t to) {
        if (!last.mark(pages[page], from, to))
            fault = {&pages[page], "the pages of a page entry are out of bounds or used twice"};
        return !fault;
    });
    if (fault)
        return fault;
    last.each([&](std::size_t page, std::uint64_t, std::uint64_t) {
        const std::uint32_t tree = last_entry::tree_of(pages[page]);
        const std::uint32_t code = last_entry::code_of(pages[page]);
        if (tree == 0 ? !rule.allows(code) : code != 0 || !trees.mark_tree(tree))
            fault = {&pages[page], "a page entry has an invalid tree or answer"};
        return !fault;
    });
    return fault;
}

// Checks the codes of the root, given a valid index. Single lookups use these codes and small batches do not,
// so a code must be that of the entry to which the index leads.
inline std::optional<array_fault> check_root_codes(std::span<const std::uint32_t> codes,
                                                   std::span<const std::uint64_t> root,
                                                   std::span<const std::uint64_t> pages) {
    if (codes.size() != root.size())
        return array_fault{codes.data(), "the root has a wrong number of codes"};
    const auto shift = static_cast<unsigned>(64 - std::countr_zero(root.size()));
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (codes[i] == no_root_code)
            continue;
        std::uint64_t entry = root[i];
        for (unsigned step = 0; step < index_steps; ++step) {
            if (step_entry::shift_of(entry) != step_entry::pass)
                return array_fault{&codes[i], "a code of the root stands for a table"};
            entry = pages[step_entry::slot(entry, std::uint64_t{i} << shift)];
        }
        if (entry != last_entry::answer(codes[i]))
            return array_fault{&codes[i], "a code of the root is not that of its entry"};
    }
    return std::nullopt;
}

} // namespace fingerpost::packed_leaves
