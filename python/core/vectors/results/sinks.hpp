// Sinks that write numbers for numpy and Arrow, and the bitmap of rows that are not null.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "python/core/arrow/chunk.hpp"
#include "python/core/vectors/run.hpp"

namespace fingerpost::python {

// Values of rows without a route: `missed` for rows with an address, `absent` for null and bad rows.
template <class T>
struct gaps {
    T missed{};
    T absent{};
};

// Writes a number for each row to `out`. Of(answers, row) returns the number of a row with a route.
template <class T, class Of>
class number_sink final : public sink {
  public:
    number_sink(T* out, gaps<T> gap_values, Of of) : out_(out), gap_values_(gap_values), of_(std::move(of)) {}

    void take(const answers& block) override {
        T* const to = out_ + block.first;
        for (std::size_t i = 0; i < block.rows; ++i)
            to[i] = block.ids[i] != next_hop::none ? of_(block, i) : gap_values_.missed;
        if (block.has_states)
            for (std::size_t i = 0; i < block.rows; ++i)
                if (block.states[i] >= row_state::null)
                    to[i] = gap_values_.absent;
    }

  private:
    T* out_;
    gaps<T> gap_values_;
    Of of_;
};

template <class T, class Of>
std::unique_ptr<sink> make_number_sink(T* out, gaps<T> gap_values, Of of) {
    return std::make_unique<number_sink<T, Of>>(out, gap_values, std::move(of));
}

// Builds the bitmap of rows that have a route or, with `with_missed`, an address.
class valid_sink final : public sink {
  public:
    valid_sink(std::size_t rows, bool with_missed)
        : with_missed_(with_missed), rows_(rows),
          bits_(arrow::room_for<std::uint8_t>(arrow::bitmap_bytes(rows))) {}

    // Clears the bits of more rows that are null: `clear` gets a block and its bits.
    void take_out(std::function<void(const answers&, row_bits&)> clear) { clear_ = std::move(clear); }

    void take(const answers& block) override {
        if (!clear_ && (!with_missed_ || block.matched == block.rows))
            return store(block.first, block.rows, block.matched_bits, block.matched);
        row_bits bits = block.matched_bits;
        if (with_missed_)
            for (std::size_t row = 0; row < block.rows; ++row)
                bits[row / 8] =
                    static_cast<std::uint8_t>(bits[row / 8] | unsigned{block.has_address(row)} << row % 8);
        if (clear_)
            clear_(block, bits);
        std::size_t count = 0;
        for (std::size_t byte = 0; byte < arrow::bitmap_bytes(block.rows); ++byte)
            count += static_cast<std::size_t>(std::popcount(bits[byte]));
        store(block.first, block.rows, bits, count);
    }

    std::size_t nulls() const noexcept { return rows_ - set_; }
    // Null if there are no nulls.
    std::shared_ptr<const std::uint8_t[]> bits() const { return nulls() == 0 ? nullptr : bits_; }

  private:
    void store(std::size_t first, std::size_t rows, const row_bits& bits, std::size_t count) {
        std::memcpy(bits_.get() + first / 8, bits.data(), arrow::bitmap_bytes(rows));
        set_.fetch_add(count, std::memory_order_relaxed);
    }

    bool with_missed_;
    std::function<void(const answers&, row_bits&)> clear_;
    std::size_t rows_;
    std::shared_ptr<std::uint8_t[]> bits_;
    std::atomic<std::size_t> set_ = 0;
};

// Clears the bits of rows with a result for which is_out(row) is true.
template <class F>
void clear_rows(const answers& block, row_bits& bits, F is_out) {
    for (std::size_t row = 0; row < block.rows; ++row) {
        const bool out = block.ids[row] != next_hop::none && is_out(row);
        bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] & ~(unsigned{out} << row % 8));
    }
}

} // namespace fingerpost::python
