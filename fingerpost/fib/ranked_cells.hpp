// The other form of packed leaves, for large IPv4 tables: a bit for each cell of 24 bits in which an interval
// ends, and the answers in address order.
//
//     word    32 bits, one a cell | where the word's answers start     one of 2^19
//     answers code | code | ... one for each interval that the word's cells share
//
// Two dependent loads: the word, and the answer that the number of bits before the cell leads to. Words
// without a bit share the one answer they need. Every other word has answers of its own, so that a change of
// its cells concerns nobody else.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/coded_intervals.hpp"
#include "fingerpost/fib/packed_lines.hpp"
#include "fingerpost/simd/packed.hpp"

namespace fingerpost {

class ranked_cells {
  public:
    // `intervals` cover the whole space, and end with cells.
    template <class A>
    static expected<ranked_cells> make(const coded_intervals<A>& intervals, unsigned answer_bytes) {
        constexpr std::size_t word_count = std::size_t{1} << simd::ranked_word_bits;
        constexpr unsigned cells = simd::ranked_word_cells;
        ranked_cells made;
        auto words = aligned_array<simd::ranked_word>::make(word_count);
        if (!words)
            return unexpected{errc::out_of_memory};
        std::vector<std::uint32_t> codes;
        codes.reserve(intervals.size() * 5 / 4);
        std::map<std::uint32_t, std::size_t> uniform;
        std::size_t interval = 0;
        for (std::size_t w = 0; w < word_count; ++w) {
            const std::uint64_t last = w * cells + (cells - 1);
            std::size_t start = codes.size();
            std::uint32_t bits = 0;
            for (; cell_of(intervals.ends[interval]) < last; ++interval) {
                bits |= std::uint32_t{1} << (cell_of(intervals.ends[interval]) % cells);
                codes.push_back(intervals.codes[interval]);
            }
            const std::uint32_t code = intervals.codes[interval];
            if (bits == 0)
                start = uniform.try_emplace(code, start).first->second;
            if (start + static_cast<unsigned>(std::popcount(bits)) == codes.size())
                codes.push_back(code);
            (*words)[w] = {bits, static_cast<std::uint32_t>(start)};
            if (cell_of(intervals.ends[interval]) == last && interval + 1 < intervals.size())
                ++interval;
        }
        auto answers = aligned_array<std::byte>::make(codes.size() * answer_bytes);
        if (!answers)
            return unexpected{errc::out_of_memory};
        for (std::size_t i = 0; i < codes.size(); ++i)
            put_code(answers->data() + i * answer_bytes, codes[i], answer_bytes);
        made.words_ = std::move(*words);
        made.answers_ = std::move(*answers);
        return made;
    }

    simd::ranked_view view() const noexcept { return {words_.data(), answers_.data()}; }
    std::size_t memory_bytes() const noexcept { return words_.memory_bytes() + answers_.memory_bytes(); }

  private:
    template <class A>
    static std::uint64_t cell_of(A a) noexcept {
        return slice(a, 0, simd::ranked_cell_bits);
    }

    aligned_array<simd::ranked_word> words_;
    aligned_array<std::byte> answers_;
};

} // namespace fingerpost
