// Looks up the addresses of a column, a block of rows at a time.
//
// A text may also have the form of a socket address (net/socket_text.hpp), and addresses that contain an IPv4
// address follow the rule of net/mapped.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "fingerpost/columns/address_reader.hpp"
#include "fingerpost/columns/block_answers.hpp"
#include "fingerpost/columns/column_reader.hpp"

namespace fingerpost::simd {
struct byte_order_kernels;
}

namespace fingerpost::columns {

// Working memory of a thread.
struct lookup_memory {
    std::unique_ptr<address_reader> by;
    block read;
    std::array<next_hop, block_rows> hops;
};

// All of these functions write only rows, nulls, bad, ids and the states of `out`, and throw std::bad_alloc.

// Looks up a block in which all rows have addresses of one family.
template <class A>
void answer_dense(std::span<const A> addresses, lookup_memory& with, block_answers& out);
// Looks up the block in `with.read`, which was read from the column.
void answer_block(const column& from, lookup_memory& with, block_answers& out);
// Looks up the other form of an address if that form decides the result of the row.
template <class A>
void answer_other_form(A address, std::size_t row, lookup_memory& with, block_answers& out);

// A column that is looked up. The memory of the column must outlive it. Several threads may use it at the
// same time, each with its own memory.
class column_lookup {
  public:
    explicit column_lookup(column from) noexcept;
    // The reader refers to the column.
    column_lookup(const column_lookup&) = delete;
    column_lookup& operator=(const column_lookup&) = delete;

    std::size_t rows() const noexcept { return row_count(from_); }
    // Looks up rows [first, first + count), at most block_rows.
    void answer(std::size_t first, std::size_t count, lookup_memory& with, block_answers& out) const;
    // Explains why a row is bad.
    bad_row explain(std::size_t row) const { return columns::explain(from_, row); }

  private:
    bool answer_directly(std::size_t first, std::size_t count, lookup_memory& with, block_answers& out) const;

    column from_;
    block_reader reader_;
    const simd::byte_order_kernels& swap_;
};

} // namespace fingerpost::columns
