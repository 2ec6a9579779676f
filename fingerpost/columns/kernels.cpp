// Column kernels, compiled once for each instruction set: the loop over the rows of a block. texts_<isa>.hpp
// parses a single text.
#include "fingerpost/columns/kernels.hpp"

#include "fingerpost/columns/column_rows.hpp"
#include "fingerpost/columns/texts.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"

namespace fingerpost::columns {
namespace {

constexpr std::size_t prefetch_distance = 1024;
constexpr std::size_t long_run = 8;
constexpr std::size_t most_slow_rows = 64;

// Progress in a block: the number of rows, and of addresses of each family.
struct progress {
    std::size_t row = 0;
    std::size_t nulls = 0;
    std::size_t ipv4 = 0;
    std::size_t ipv6 = 0;
};

// Completes a row after its address was written to the list of its family. Both lists have room for one more.
FINGERPOST_INLINE void take(row_state state, progress& at, block& out) {
    out.states.data()[at.row] = state;
    out.ipv4.rows.data()[at.ipv4] = static_cast<std::uint16_t>(at.row);
    out.ipv6.rows.data()[at.ipv6] = static_cast<std::uint16_t>(at.row);
    at.nulls += state == row_state::null;
    at.ipv4 += state == row_state::ipv4;
    at.ipv6 += state == row_state::ipv6;
    ++at.row;
}

// Reads rows up to the first one that texts::parse() does not accept. Without calls, constants stay in
// registers.
template <class Rows>
__attribute__((noinline)) FINGERPOST_TEXTS_TARGET progress read_run(const Rows from, const validity valid,
                                                                    std::size_t first, std::size_t count,
                                                                    progress at, block& out) {
    const texts parser;
    while (at.row < count) {
        row_state state = row_state::null;
        if (has_value(valid, first + at.row)) {
            piece text;
            if (!find_row(from, first + at.row, text))
                break;
            // Prefetch the next rows, because the CPU's prefetcher stops at page boundaries.
            __builtin_prefetch(text.at + prefetch_distance);
            state =
                parser.parse(text, out.ipv4.addresses.data()[at.ipv4], out.ipv6.addresses.data()[at.ipv6]);
            if (!texts::complete && state == row_state::bad)
                break;
        }
        take(state, at, out);
    }
    return at;
}

// Reads one row with parse_text().
template <class Rows>
void read_slowly(const Rows& from, validity valid, std::size_t first, progress& at, block& out) {
    row_state state = row_state::null;
    if (has_value(valid, first + at.row)) {
        piece text;
        state = find_row(from, first + at.row, text)
                    ? parse_text(text.at, text.size, out.ipv4.addresses.data()[at.ipv4],
                                 out.ipv6.addresses.data()[at.ipv6])
                    : row_state::bad;
    }
    take(state, at, out);
}

// Starting a run costs as much as parsing one text slowly. If runs are short, more and more rows are read
// outside of runs.
template <class Rows>
void read_texts(const Rows& from, validity valid, std::size_t first, std::size_t count, block& out) {
    progress at;
    std::size_t slow_rows = 1;
    while (at.row < count) {
        const std::size_t begun = at.row;
        at = read_run(from, valid, first, count, at, out);
        slow_rows = at.row - begun >= long_run       ? 1
                    : slow_rows * 2 < most_slow_rows ? slow_rows * 2
                                                     : most_slow_rows;
        for (std::size_t i = 0; i < slow_rows && at.row < count; ++i)
            read_slowly(from, valid, first, at, out);
    }
    out.nulls = at.nulls;
    out.ipv4.count = at.ipv4;
    out.ipv6.count = at.ipv6;
}

constinit const kernel_set all_kernels = {read_texts<offset_rows<std::int32_t>>,
                                          read_texts<offset_rows<std::int64_t>>, read_texts<view_rows>};

} // namespace

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::columns
