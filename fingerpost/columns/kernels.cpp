// The kernels of the columns, compiled once for each instruction set: the loop over the rows of a block. How
// one text is parsed is in texts_<isa>.hpp.
#include "fingerpost/columns/kernels.hpp"

#include "fingerpost/columns/rows.hpp"
#include "fingerpost/columns/texts.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"

namespace fingerpost::columns {
namespace {

// How far a block is read: its rows, and of these the ones of each kind.
struct progress {
    std::size_t row = 0;
    std::size_t nulls = 0;
    std::size_t ipv4 = 0;
    std::size_t ipv6 = 0;
};

// Both lists have room for the address that comes next. It was written to the one that it belongs to.
FINGERPOST_INLINE void take(row_state state, progress& at, block& out) {
    out.states.data()[at.row] = state;
    out.ipv4.rows.data()[at.ipv4] = static_cast<std::uint16_t>(at.row);
    out.ipv6.rows.data()[at.ipv6] = static_cast<std::uint16_t>(at.row);
    at.nulls += state == row_state::null;
    at.ipv4 += state == row_state::ipv4;
    at.ipv6 += state == row_state::ipv6;
    ++at.row;
}

// Reads rows up to the first that texts::parse() does not take. There is no call in the loop, so constants
// stay in registers.
template <class Rows>
__attribute__((noinline)) FINGERPOST_TEXTS_TARGET progress read_run(const Rows from, const validity valid,
                                                                    std::size_t first, std::size_t count,
                                                                    progress at, block& out) {
    const texts all;
    while (at.row < count) {
        row_state state = row_state::null;
        if (has_value(valid, first + at.row)) {
            piece text;
            if (!find_row(from, first + at.row, text))
                break;
            state = all.parse(text, out.ipv4.addresses.data()[at.ipv4], out.ipv6.addresses.data()[at.ipv6]);
            if (!texts::complete && state == row_state::bad)
                break;
        }
        take(state, at, out);
    }
    return at;
}

template <class Rows>
void read_texts(const Rows& from, validity valid, std::size_t first, std::size_t count, block& out) {
    progress at;
    for (;;) {
        at = read_run(from, valid, first, count, at, out);
        if (at.row == count)
            break;
        piece text;
        row_state state = row_state::bad;
        if (find_row(from, first + at.row, text))
            state = parse_text(text.at, text.size, out.ipv4.addresses.data()[at.ipv4],
                               out.ipv6.addresses.data()[at.ipv6]);
        take(state, at, out);
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
