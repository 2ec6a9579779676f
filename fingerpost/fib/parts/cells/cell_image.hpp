// A FIB in a file: the list and order of its arrays, how they are read, and lookups in them.
// docs/inside/image_format.md describes the layout of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/fib/parts/cells/cell_check.hpp"
#include "fingerpost/fib/parts/cells/cell_inspect.hpp"
#include "fingerpost/fib/parts/cells/cell_view.hpp"
#include "fingerpost/fib/saveable.hpp"

namespace fingerpost::cells {

enum class section_kind : std::uint32_t {
    next_hops = first_own_section, // by number; empty if numbers are the ids
    regions = 5,                   // their answers, and a 0
    index_root_codes = 6,          // packed_leaves only
    index_root = 7,
    index_pages = 8,
    index_lines = 9,
    bitmap_words = 10, // ranked_cells only
    bitmap_answers = 11,
    long_level_cells = 12, // this and the next one for every long-prefix level
    long_level_lines = 13, // `detail`: number of levels of nodes
};

// Indices of the numbers that are saved with the sections.
enum : std::size_t { code_bytes_number, form_number };

// visit(kind, items, level): called for every section of these arrays in file order. `level` is the
// long-prefix level, 0 for other sections. The arrays contain the number of long-prefix levels.
template <class Arrays, class Visit>
void for_each_section(Arrays& of, Visit visit) {
    using enum section_kind;
    visit(next_hops, of.hops, 0);
    visit(regions, of.regions, 0);
    of.front.for_each_section(of.front, [&](section_kind kind, auto& items) { visit(kind, items, 0); });
    for (std::size_t i = 0; i < of.long_level_count; ++i) {
        visit(long_level_cells, of.long_levels[i].cells, i);
        visit(long_level_lines, of.long_levels[i].lines, i);
    }
}

template <class A, class Front>
saved_arrays save(const fib_arrays<A, Front>& from) {
    saved_arrays result;
    result.numbers[code_bytes_number] = from.code_bytes;
    result.numbers[form_number] = Front::form;
    for_each_section(from, [&]<class T>(section_kind kind, std::span<const T> items, std::size_t level) {
        std::size_t value_bytes = sizeof(T);
        if constexpr (std::is_same_v<T, cell_slot<A>>)
            value_bytes = offsetof(cell_slot<A>, tree) + sizeof(T::tree);
        const std::uint32_t levels =
            kind == section_kind::long_level_lines ? from.long_levels[level].levels : 0;
        result.sections.push_back(
            {static_cast<std::uint32_t>(kind), levels, std::as_bytes(items), sizeof(T), value_bytes});
    });
    for (std::size_t i = 0; i < from.long_level_count; ++i)
        result.seeds[i] = from.long_levels[i].key.seed();
    return result;
}

template <class A, class Front>
class arrays_reader {
    using failure = std::optional<saved_fault>;

  public:
    explicit arrays_reader(const saved_arrays& from) noexcept : from_(from) {}

    // Throws std::bad_alloc.
    failure read() {
        if (const failure fault = read_form())
            return fault;
        if (const failure fault = read_sections())
            return fault;
        if (const auto fault = validate(arrays_))
            return fault_at(fault->at, fault->reason);
        return std::nullopt;
    }
    const fib_arrays<A, Front>& arrays() const noexcept { return arrays_; }

  private:
    using part = saved_fault::part;

    saved_fault fault_at(const void* at, const char* reason) const noexcept {
        if (at == nullptr)
            return {part::contents, 0, nullptr, reason};
        const std::less<> before; // defined even for pointers into different arrays
        for (const saved_section& section : from_.sections) {
            const std::byte* const begin = section.bytes.data();
            if (!before(static_cast<const std::byte*>(at), begin) &&
                !before(begin + section.bytes.size(), static_cast<const std::byte*>(at)))
                return {part::contents, 0, at, reason};
        }
        return {part::contents, 0, nullptr, reason};
    }

    failure read_form() noexcept {
        if (from_.numbers[form_number] != Front::form)
            return saved_fault{part::number, form_number, nullptr, "unknown form"};
        arrays_.code_bytes = from_.numbers[code_bytes_number];
        std::size_t fixed = 0;
        for_each_section(arrays_, [&](section_kind, auto&, std::size_t) { ++fixed; });
        if (from_.sections.size() < fixed || (from_.sections.size() - fixed) % 2 != 0)
            return saved_fault{part::section_count, 0, nullptr, "sections are missing"};
        arrays_.long_level_count = (from_.sections.size() - fixed) / 2;
        if (arrays_.long_level_count > arrays_.long_levels.size() ||
            (arrays_.long_level_count > 0 && arrays_.outer_of(arrays_.long_level_count - 1) >= A::bits))
            return saved_fault{part::section_count, 0, nullptr,
                               "there are too many tiers for the width of addresses"};
        return std::nullopt;
    }

    // Gets section `number` as items of type T.
    template <class T>
    failure get(std::size_t number, section_kind kind, std::span<const T>& items) const noexcept {
        const saved_section& section = from_.sections[number];
        if (section.kind != static_cast<std::uint32_t>(kind))
            return saved_fault{part::section, number, nullptr, "a section of another kind belongs here"};
        if (section.bytes.size() % sizeof(T) != 0)
            return saved_fault{part::contents, 0, nullptr, "a section of the FIB ends within an item"};
        items = {reinterpret_cast<const T*>(section.bytes.data()), section.bytes.size() / sizeof(T)};
        return std::nullopt;
    }
    failure read_sections() noexcept {
        static_assert(sizeof(cell_slot<A>) == (A::bits > 64 ? 32 : A::bits > 32 ? 16 : 8));
        std::size_t number = 0;
        failure fault;
        for_each_section(arrays_, [&](section_kind kind, auto& items, std::size_t level) {
            if (!fault)
                fault = get(number, kind, items);
            if (kind == section_kind::long_level_lines)
                arrays_.long_levels[level].levels = from_.sections[number].detail;
            ++number;
        });
        for (std::size_t i = 0; i < arrays_.long_level_count; ++i)
            arrays_.long_levels[i].key = hash_key(from_.seeds[i]);
        return fault;
    }

    const saved_arrays& from_;
    fib_arrays<A, Front> arrays_;
};

// A FIB in an image: lookups and their inspection.
template <class A, class Front>
class mapped_fib : public fib_view<A, Front> {
  public:
    mapped_fib(const fib_arrays<A, Front>& arrays, simd::isa isa, const simd::tuning& how) noexcept
        : fib_view<A, Front>(arrays, isa, how), arrays_(arrays) {}

    // See fib/inspectable.hpp.
    next_hop trace(A a, step_visitor each) const { return trace_lookup(arrays_, a, each, false); }
    std::vector<memory_part> memory_parts() const { return parts_of(arrays_); }
    void visit(node_visitor<A> each) const { visit_nodes(arrays_, each); }
    const fib_arrays<A, Front>& arrays() const noexcept { return arrays_; }

  private:
    fib_arrays<A, Front> arrays_;
};

} // namespace fingerpost::cells
