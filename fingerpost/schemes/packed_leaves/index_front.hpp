// The front of packed leaves: the index and its trees, for lookups and for changes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fingerpost/fib/parts/answers/coded_intervals.hpp"
#include "fingerpost/fib/parts/cells/cell_image.hpp"
#include "fingerpost/fib/parts/cells/find.hpp"
#include "fingerpost/fib/parts/cells/trees.hpp"
#include "fingerpost/schemes/packed_leaves/check.hpp"
#include "fingerpost/schemes/packed_leaves/index.hpp"
#include "fingerpost/schemes/packed_leaves/index_builder.hpp"
#include "fingerpost/schemes/packed_leaves/structure.hpp"
#include "fingerpost/schemes/packed_leaves/view.hpp"
#include "fingerpost/simd/input_form.hpp"

namespace fingerpost::packed_leaves {

struct index_arrays {
    std::span<const std::uint64_t> root; // 2^8 to 2^16 entries
    std::span<const std::uint32_t> root_codes;
    std::span<const std::uint64_t> pages;
    std::span<const std::byte> lines;

    template <class Self, class Visit>
    static void for_each_section(Self& of, Visit visit) {
        using enum section_kind;
        visit(index_root_codes, of.root_codes);
        visit(index_root, of.root);
        visit(index_pages, of.pages);
        visit(index_lines, of.lines);
    }
    // Calls add(part, items, may_have_grown) for each part.
    template <class Add>
    void each_piece(Add add) const {
        add(part::index_root, root);
        add(part::index_root_codes, root_codes);
        add(part::index_pages, pages, true);
        add(part::index_lines, lines, true);
    }
    template <class Add>
    void each_part(Add add) const {
        each_piece([&](std::string_view name, auto items, bool = false) { add(name, items.size_bytes()); });
    }
    std::optional<array_fault> check(unsigned code_bytes, const code_rule& rule) const {
        packed_tree_check trees(lines, node_levels);
        auto fault = check_index(root, pages, rule, trees);
        if (!fault)
            fault = check_root_codes(root_codes, root, pages);
        return fault ? fault : trees.run(code_bytes, rule);
    }
    template <class Visit>
    void visit(const Visit& nodes) const {
        index_visit(*this, nodes).run();
    }

    // The last entry for an address. Root codes only shorten lookups and may be empty.
    template <class Read, class A>
    std::uint64_t find_entry(Read& read, A a) const {
        const auto root_bits = static_cast<unsigned>(std::countr_zero(root.size()));
        const auto first = static_cast<std::size_t>(slice(a, 0, root_bits));
        const auto looks = [&](unsigned from, unsigned count, std::uint64_t key) {
            read.tell([=](auto& step) {
                step.looks_at(from, count);
                step.key = key;
            });
        };
        if (!root_codes.empty()) {
            const std::uint32_t root_code = read(root_codes, first);
            looks(0, root_bits, first);
            if (root_code != no_root_code)
                return last_entry::answer(root_code);
        }
        std::uint64_t entry = read(root, first);
        looks(0, root_bits, first);
        unsigned bits = root_bits;
        for (unsigned i = 0; i < index_steps; ++i) {
            const unsigned shift = step_entry::shift_of(entry), stride = stride_of(entry, bits);
            entry = read(pages.data(), step_entry::slot(entry, top64(a)));
            looks(bits, stride, top64(a) >> shift & low_mask<std::uint64_t>(stride));
            bits += stride;
        }
        return entry;
    }
    // Looks up one address in the index.
    template <class Read, class A>
    std::uint32_t find(Read& read, A a, unsigned code_bytes) const {
        const std::uint64_t entry = find_entry(read, a);
        if (!last_entry::is_tree(entry))
            return last_entry::code_of(entry);
        return find_in_tree(read, a, lines.data(), code_bytes, last_entry::tree_of(entry), node_levels,
                            key_begin);
    }
};

// The kernels for these arrays.
template <class A>
class index_lookups {
  public:
    // Kernels read addresses of these widths in place; for other widths they get the first 64 bits.
    static constexpr bool takes_addresses = A::bits == 128 || A::bits == 32;

    index_lookups() = default;
    index_lookups(const index_arrays& in, unsigned code_bytes, simd::isa isa,
                  const simd::tuning& how) noexcept
        : batch_(kernels_of(isa).batch[static_cast<std::size_t>(form)]),
          batch_keys_(kernels_of(isa).batch[static_cast<std::size_t>(simd::input_form::key64)]),
          single_(kernels_of(isa).single[std::countr_zero(code_bytes)]),
          index_{in.root.data(),
                 in.root_codes.data(),
                 in.pages.data(),
                 in.lines.data(),
                 64 - static_cast<unsigned>(std::countr_zero(in.root.size())),
                 code_bytes,
                 how} {}

    std::uint32_t code(A a) const noexcept { return single_(index_, top64(a)); }
    void batch(const code_rules& rules, const A* in, std::uint32_t* out, std::size_t count) const noexcept {
        batch_(index_, rules, in, out, count);
    }
    void batch_keys(const code_rules& rules, const std::uint64_t* in, std::uint32_t* out,
                    std::size_t count) const noexcept {
        batch_keys_(index_, rules, in, out, count);
    }

  private:
    static constexpr simd::input_form form = A::bits == 128  ? simd::input_form::ipv6
                                             : A::bits == 32 ? simd::input_form::ipv4
                                                             : simd::input_form::key64;

    batch_kernel batch_ = nullptr;
    batch_kernel batch_keys_ = nullptr;
    single_kernel single_ = nullptr;
    index_view index_;
};

class index_front {
  public:
    static constexpr unsigned bits = index_tables::bits;
    static constexpr std::uint32_t form = 0;
    struct limits {
        std::size_t lines = line_store::most;
        std::size_t entries = index_tables::most_entries;
    };
    using arrays = index_arrays;
    template <class A>
    using lookups = index_lookups<A>;

    template <class A>
    static index_front build(const coded_intervals<A>& intervals, unsigned code_bytes, unsigned slack,
                             const limits& most) {
        constexpr std::uint64_t missing = low_mask<std::uint64_t>(A::bits < bits ? bits - A::bits : 0);
        std::vector<std::uint64_t> ends;
        ends.reserve(intervals.size());
        for (const A end : intervals.ends)
            ends.push_back(top64(end) >> (64 - bits) | missing);
        index_front front;
        front.trees_ = tree_store(code_bytes, node_levels, intervals.size(), slack, most.lines);
        front.index_ = build_index(ends, intervals.codes, front.trees_, most.entries);
        front.trees_.shrink();
        return front;
    }
    arrays read_arrays() const noexcept {
        return {index_.root(), index_.root_codes(), index_.pages(), trees_.bytes()};
    }
    // The addresses of the arrays that a change may move.
    std::array<const void*, 3> places() const noexcept {
        return {index_.root().data(), index_.pages().data(), trees_.data()};
    }

    // Changes cells by their numbers. Trees are up to date only after flush().
    template <class Forget>
    void assign(std::uint64_t low, std::uint64_t high, std::uint32_t code, std::uint32_t escape,
                Forget forget) {
        index_.assign(trees_, low, high, code, escape, forget);
    }
    void recode(std::uint64_t low, std::uint64_t high, std::uint32_t from, std::uint32_t to,
                std::uint32_t escape) {
        index_.recode(trees_, low, high, from, to, escape);
    }
    std::uint32_t code_of(std::uint64_t cell) const { return index_.code_of(trees_, cell); }
    void flush() { index_.flush(trees_); }

    bool may_change() const noexcept { return true; }
    bool may_follow(const index_front&) const noexcept { return true; }
    void sync_from(index_front& active, bool were_same) {
        index_.sync_from(active.index_, were_same);
        trees_.sync_from(active.trees_, were_same);
    }

    std::size_t memory_bytes() const noexcept { return all_bytes(); }
    std::size_t all_bytes() const noexcept { return index_.memory_bytes() + trees_.memory_bytes(); }
    // The growth of tables counts as idle, because they may no longer be needed.
    std::size_t idle_bytes() const noexcept { return trees_.idle_bytes() + index_.grown_bytes(); }
    // Compacts the lines. Does nothing and returns false if more than `most` bytes would stay idle.
    bool pack(std::size_t most) {
        if (trees_.emptied_bytes() + index_.grown_bytes() > most)
            return false;
        index_.pack(trees_);
        return true;
    }

  private:
    index_tables index_;
    tree_store trees_;
};

} // namespace fingerpost::packed_leaves
