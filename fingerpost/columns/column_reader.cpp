// Reads blocks of each layout. Kernels parse text; this file handles everything else.
#include "fingerpost/columns/column_reader.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <numeric>

#include "fingerpost/columns/column_rows.hpp"
#include "fingerpost/columns/kernels.hpp"
#include "fingerpost/simd/byte_order.hpp"

namespace fingerpost::columns {
namespace {

template <class Offset>
offset_rows<Offset> rows_of(const offset_layout<Offset>& in) noexcept {
    return {in.offsets.data(), in.data.data(), in.data.size()};
}
view_rows rows_of(const view_layout& in) noexcept {
    return {in.views.data(), in.views.size(), in.buffers.data(), in.buffers.size()};
}

template <class Offset>
std::size_t count_of(const offset_layout<Offset>& in) noexcept {
    return in.offsets.empty() ? 0 : in.offsets.size() - 1;
}
std::size_t count_of(const view_layout& in) noexcept {
    return in.views.size();
}
template <class A>
std::size_t count_of(const packed_layout<A>& in) noexcept {
    return in.rows;
}
std::size_t count_of(const number_layout& in) noexcept {
    return in.numbers.size();
}

template <class A>
void append(block& out, std::size_t row, A address, address_list<A>& to) noexcept {
    to.addresses[to.count] = address;
    to.rows[to.count++] = static_cast<std::uint16_t>(row);
    out.states[row] = state_of<A>;
}

// Loads a number in network order.
template <class Word>
Word from_network(const char* bytes) noexcept {
    Word word;
    std::memcpy(&word, bytes, sizeof word);
    if constexpr (std::endian::native == std::endian::big)
        return word;
    else if constexpr (sizeof word == 4)
        return __builtin_bswap32(word);
    else
        return __builtin_bswap64(word);
}

template <class Rows>
void read_binary(const Rows& from, validity valid, std::size_t first, std::size_t count,
                 block& out) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        piece bytes{};
        if (!has_value(valid, first + i)) {
            out.states[i] = row_state::null;
            ++out.nulls;
        } else if (!find_row(from, first + i, bytes)) {
            out.states[i] = row_state::bad;
        } else if (bytes.size == sizeof(ipv4_address)) {
            append(out, i, ipv4_address{from_network<std::uint32_t>(bytes.at)}, out.ipv4);
        } else if (bytes.size == sizeof(ipv6_address)) {
            const u128 high = from_network<std::uint64_t>(bytes.at);
            append(out, i, ipv6_address{high << 64 | from_network<std::uint64_t>(bytes.at + 8)}, out.ipv6);
        } else {
            out.states[i] = row_state::bad;
        }
    }
}

// Removes the addresses of null rows from `to`, which has the addresses of all rows.
template <class A>
void keep_valid(validity valid, std::size_t first, std::size_t count, address_list<A>& to,
                block& out) noexcept {
    if (valid.bits == nullptr) {
        std::fill_n(out.states.begin(), count, state_of<A>);
        std::iota(to.rows.begin(), to.rows.begin() + static_cast<std::ptrdiff_t>(count), std::uint16_t{0});
        to.count = count;
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const bool valued = has_value(valid, first + i);
        to.addresses[to.count] = to.addresses[i];
        to.rows[to.count] = static_cast<std::uint16_t>(i);
        to.count += valued;
        out.states[i] = valued ? state_of<A> : row_state::null;
    }
    out.nulls = count - to.count;
}

// Fills a block that has zero counts, from any layout.
struct filler {
    const kernel_set& texts;
    const simd::byte_order_kernels& bytes;
    validity valid;
    std::size_t first;
    std::size_t count;
    block& out;

    void operator()(const offset_layout<std::int32_t>& in) const { fill(in, texts.offsets_32); }
    void operator()(const offset_layout<std::int64_t>& in) const { fill(in, texts.offsets_64); }
    void operator()(const view_layout& in) const { fill(in, texts.views); }
    void operator()(const packed_layout<ipv4_address>& in) const { swap(in, bytes.ipv4, out.ipv4); }
    void operator()(const packed_layout<ipv6_address>& in) const { swap(in, bytes.ipv6, out.ipv6); }
    void operator()(const number_layout& in) const {
        std::memcpy(static_cast<void*>(out.ipv4.addresses.data()), in.numbers.data() + first,
                    count * sizeof(ipv4_address));
        keep_valid(valid, first, count, out.ipv4, out);
    }

  private:
    template <class Layout, class Kernel>
    void fill(const Layout& in, Kernel texts_kernel) const {
        const auto rows = rows_of(in);
        if (in.holds == content::text)
            texts_kernel(rows, valid, first, count, out);
        else
            read_binary(rows, valid, first, count, out);
    }
    template <class A, class Kernel>
    void swap(const packed_layout<A>& in, Kernel swap_kernel, address_list<A>& to) const {
        swap_kernel(in.bytes + first * sizeof(A), to.addresses.data(), count);
        keep_valid(valid, first, count, to, out);
    }
};

} // namespace

const kernel_set& kernels_of(simd::isa which) noexcept {
#if FINGERPOST_ISA_AVX512
    // The first CPUs with AVX-512 lack the instructions of texts_vbmi2.hpp and use AVX2.
    if (which == simd::isa::avx512 &&
        !(__builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2")))
        which = simd::isa::avx2;
#endif
    return simd::select(which, [](auto tag) -> const kernel_set& { return columns::kernels_for(tag); });
}

row_state parse_text(const char* text, std::size_t size, ipv4_address& ipv4, ipv6_address& ipv6) noexcept {
    const std::string_view whole(text, size);
    const auto parse = [&]<class A>(A& out) {
        const auto parsed = parse_address<A>(whole);
        if (!parsed)
            return row_state::bad;
        out = *parsed;
        return state_of<A>;
    };
    return detect_family(whole) == family::ipv4 ? parse(ipv4) : parse(ipv6);
}

std::size_t row_count(const column& of) noexcept {
    return std::visit([](const auto& in) { return count_of(in); }, of.values);
}

block_reader::block_reader(const column& from, simd::isa which) noexcept
    : from_(&from), texts_(&kernels_of(which)), bytes_(&simd::byte_order(which)) {}

void block_reader::read(std::size_t first, std::size_t count, block& out) const noexcept {
    out.first = first;
    out.rows = count;
    out.nulls = out.bad = out.ipv4.count = out.ipv6.count = 0;
    if (count == 0)
        return;
    std::visit(filler{*texts_, *bytes_, from_->valid, first, count, out}, from_->values);
    out.bad = count - out.nulls - out.ipv4.count - out.ipv6.count;
}

} // namespace fingerpost::columns
