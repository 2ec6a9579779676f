// The kernels of the columns, compiled once for each instruction set: the loop over the rows of a block. How
// one text is parsed is in texts_<isa>.hpp.
#include "fingerpost/columns/kernels.hpp"

#include "fingerpost/columns/rows.hpp"
#include "fingerpost/columns/texts.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"

namespace fingerpost::columns {
namespace {

template <class Rows>
void read_texts(const Rows& from, validity valid, std::size_t first, std::size_t count, block& out) {
    row_state* const states = out.states.data();
    std::size_t nulls = 0;
    std::size_t ipv4_count = 0;
    std::size_t ipv6_count = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (!has_value(valid, first + i)) {
            states[i] = row_state::null;
            ++nulls;
            continue;
        }
        piece text;
        if (!find_row(from, first + i, text)) {
            states[i] = row_state::bad;
            continue;
        }
        // Both lists have room for the address that comes next, and it stays in one of them.
        const row_state state =
            texts::parse(text, out.ipv4.addresses.data()[ipv4_count], out.ipv6.addresses.data()[ipv6_count]);
        states[i] = state;
        out.ipv4.rows.data()[ipv4_count] = static_cast<std::uint16_t>(i);
        out.ipv6.rows.data()[ipv6_count] = static_cast<std::uint16_t>(i);
        ipv4_count += state == row_state::ipv4;
        ipv6_count += state == row_state::ipv6;
    }
    out.nulls = nulls;
    out.ipv4.count = ipv4_count;
    out.ipv6.count = ipv6_count;
}

constinit const kernel_set all_kernels = {read_texts<offset_rows<std::int32_t>>,
                                          read_texts<offset_rows<std::int64_t>>, read_texts<view_rows>};

} // namespace

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::columns
