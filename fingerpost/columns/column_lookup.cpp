// Dense columns are looked up directly, others through a block that separates families.
#include "fingerpost/columns/column_lookup.hpp"

#include <algorithm>
#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "fingerpost/net/socket_text.hpp"
#include "fingerpost/simd/byte_order.hpp"

namespace fingerpost::columns {
namespace {

bool holds_text(const column& of) noexcept {
    return std::visit(
        [](const auto& values) {
            if constexpr (requires { values.holds; })
                return values.holds == content::text;
            else
                return false;
        },
        of.values);
}

constexpr bool has_two_forms(ipv4_address, next_hop hop, ipv4_aliases) noexcept {
    return hop == next_hop::none;
}
constexpr bool has_two_forms(ipv6_address a, next_hop, ipv4_aliases aliases) noexcept {
    return ipv4_within(a, aliases).has_value();
}

// Looks up the other forms of all addresses of a block. row_of(i) is the row of addresses[i].
template <class A, class Row>
void answer_other_forms(std::span<const A> addresses, Row row_of, lookup_memory& with, block_answers& out) {
    if (!with.by->may_answer(A{}))
        return;
    const ipv4_aliases aliases = with.by->aliases();
    // Few blocks have such an address, so first scan the block without branches.
    bool has_other_form = !aliases.empty();
    for (std::size_t i = 0; i < addresses.size(); ++i)
        has_other_form |= has_two_forms(addresses[i], out.ids[row_of(i)], {});
    for (std::size_t i = 0; has_other_form && i < addresses.size(); ++i)
        if (has_two_forms(addresses[i], out.ids[row_of(i)], aliases))
            answer_other_form(addresses[i], row_of(i), with, out);
}

// Looks up the addresses of one family, and stores the results of their rows.
template <class A>
void look_up(const address_list<A>& list, lookup_memory& with, block_answers& out) {
    if (list.count == 0)
        return;
    const auto hops = std::span(with.hops).first(list.count);
    with.by->lookup(list.span(), hops);
    for (std::size_t i = 0; i < list.count; ++i)
        out.ids[list.rows[i]] = hops[i];
    answer_other_forms(
        list.span(), [&list](std::size_t i) { return std::size_t{list.rows[i]}; }, with, out);
}

// Parses texts that are not addresses as socket addresses.
void read_sockets(const column& from, lookup_memory& with) {
    block& read = with.read;
    const auto take = [&]<class A>(address_list<A>& list, std::size_t row, std::string_view host) {
        list.addresses[list.count] = *parse_address<A>(host);
        list.rows[list.count++] = static_cast<std::uint16_t>(row);
        read.states[row] = state_of<A>;
        --read.bad;
    };
    for (std::size_t row = 0; row < read.rows; ++row) {
        if (read.states[row] != row_state::bad)
            continue;
        const auto text = bytes_of(from, read.first + row);
        const auto host = text && holds_text(from) ? socket_host(*text) : std::nullopt;
        if (host && detect_family(*host) == family::ipv4)
            take(read.ipv4, row, *host);
        else if (host)
            take(read.ipv6, row, *host);
    }
}

} // namespace

template <class A>
void answer_other_form(A address, std::size_t row, lookup_memory& with, block_answers& out) {
    const auto ask = [&]<class B>(B form) {
        next_hop hop;
        with.by->lookup(std::span<const B>(&form, 1), std::span(&hop, 1));
        return hop;
    };
    const auto has_ipv4 = [&](ipv4_address a) {
        return (std::same_as<A, ipv4_address> ? out.ids[row] : ask(a)) != next_hop::none;
    };
    const auto take = [&]<class B>(B form) {
        if constexpr (!std::same_as<A, B>) {
            if (!std::exchange(out.has_states, true))
                std::fill_n(out.states.begin(), out.rows, out.uniform);
            out.ids[row] = ask(form);
            out.states[row] = state_of<B>;
        }
    };
    in_answering_form(
        address, has_ipv4, [&](ipv6_address a) { return with.by->match_length(a); }, take,
        with.by->aliases());
}
template void answer_other_form(ipv4_address, std::size_t, lookup_memory&, block_answers&);
template void answer_other_form(ipv6_address, std::size_t, lookup_memory&, block_answers&);

template <class A>
void answer_dense(std::span<const A> addresses, lookup_memory& with, block_answers& out) {
    out.rows = addresses.size();
    out.nulls = out.bad = 0;
    out.has_states = false;
    out.uniform = state_of<A>;
    with.by->lookup(addresses, std::span(out.ids).first(addresses.size()));
    answer_other_forms(
        addresses, [](std::size_t i) { return i; }, with, out);
}
template void answer_dense(std::span<const ipv4_address>, lookup_memory&, block_answers&);
template void answer_dense(std::span<const ipv6_address>, lookup_memory&, block_answers&);

void answer_block(const column& from, lookup_memory& with, block_answers& out) {
    const block& read = with.read;
    if (read.ipv6.count == read.rows)
        return answer_dense(read.ipv6.span(), with, out);
    if (read.ipv4.count == read.rows)
        return answer_dense(read.ipv4.span(), with, out);
    if (read.bad > 0)
        read_sockets(from, with);
    out.rows = read.rows;
    out.nulls = read.nulls;
    out.bad = read.bad;
    out.has_states = true;
    std::copy_n(read.states.begin(), read.rows, out.states.begin());
    if (read.nulls + read.bad > 0)
        std::fill_n(out.ids.begin(), read.rows, next_hop::none);
    look_up(read.ipv4, with, out);
    look_up(read.ipv6, with, out);
}

column_lookup::column_lookup(column from) noexcept
    : from_(std::move(from)), reader_(from_), swap_(simd::byte_order(simd::preferred_isa())) {}

void column_lookup::answer(std::size_t first, std::size_t count, lookup_memory& with,
                           block_answers& out) const {
    if (from_.valid.bits != nullptr || !answer_directly(first, count, with, out)) {
        reader_.read(first, count, with.read);
        answer_block(from_, with, out);
    }
}

// Returns false for layouts with rows of both families, and for unaligned numbers.
bool column_lookup::answer_directly(std::size_t first, std::size_t count, lookup_memory& with,
                                    block_answers& out) const {
    if (const auto* numbers = std::get_if<number_layout>(&from_.values)) {
        static_assert(sizeof(ipv4_address) == sizeof(std::uint32_t));
        const auto* addresses = reinterpret_cast<const ipv4_address*>(numbers->numbers.data());
        if (reinterpret_cast<std::uintptr_t>(addresses) % alignof(ipv4_address) != 0)
            return false;
        answer_dense(std::span(addresses + first, count), with, out);
    } else if (const auto* ipv4 = std::get_if<packed_layout<ipv4_address>>(&from_.values)) {
        swap_.ipv4(ipv4->bytes + first * sizeof(ipv4_address), with.read.ipv4.addresses.data(), count);
        answer_dense(std::span<const ipv4_address>(with.read.ipv4.addresses).first(count), with, out);
    } else if (const auto* ipv6 = std::get_if<packed_layout<ipv6_address>>(&from_.values)) {
        swap_.ipv6(ipv6->bytes + first * sizeof(ipv6_address), with.read.ipv6.addresses.data(), count);
        answer_dense(std::span<const ipv6_address>(with.read.ipv6.addresses).first(count), with, out);
    } else {
        return false;
    }
    return true;
}

} // namespace fingerpost::columns
