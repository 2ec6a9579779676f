// Readers of the C interface, and lookups in the versions that they have pinned.
#include "capi/batches.hpp"
#include "capi/handles.hpp"

using namespace fingerpost;
using namespace fingerpost::capi;

namespace {

template <class A>
std::uint64_t pin(pinning_reader<A>& of) noexcept {
    if (of.held)
        of.held->refresh();
    else
        of.held.emplace(of.by.pin());
    return of.held->version();
}

} // namespace

extern "C" {

int fingerpost_reader_create(fingerpost_table* of, fingerpost_reader** made) {
    return guarded([&]() -> int {
        if (of == nullptr || made == nullptr)
            return FINGERPOST_INVALID;
        return std::visit(
            [&]<class A>(table<A>& one) -> int {
                auto joined = one.reader();
                if (!joined)
                    return code_of(joined.error());
                *made = new fingerpost_reader{of, pinning_reader<A>{std::move(*joined)}};
                ++of->users;
                return FINGERPOST_OK;
            },
            of->self);
    });
}

void fingerpost_reader_destroy(fingerpost_reader* gone) {
    if (gone == nullptr)
        return;
    fingerpost_reader_unpin(gone);
    fingerpost_table* const of = gone->of;
    delete gone;
    --of->users;
}

uint64_t fingerpost_reader_pin(fingerpost_reader* by) {
    return by == nullptr ? 0 : std::visit([](auto& one) { return pin(one); }, by->self);
}

void fingerpost_reader_unpin(fingerpost_reader* by) {
    if (by != nullptr)
        std::visit([](auto& one) { one.held.reset(); }, by->self);
}

uint32_t fingerpost_lookup(fingerpost_reader* by, const void* address) {
    if (by == nullptr || address == nullptr)
        return FINGERPOST_NO_ROUTE;
    return std::visit(
        [&]<class A>(pinning_reader<A>& one) { return one.by.pin().lookup(address_of<A>(address)).id; },
        by->self);
}

int fingerpost_lookup_batch(fingerpost_reader* by, const void* addresses, size_t count, uint32_t* next_hops) {
    if (by == nullptr || !is_batch(addresses, count, next_hops))
        return FINGERPOST_INVALID;
    std::visit(
        [&]<class A>(pinning_reader<A>& one) {
            const snapshot<A> now = one.by.pin();
            lookup_network<A>(by->of->isa, now, addresses, count, next_hops);
        },
        by->self);
    return FINGERPOST_OK;
}

int fingerpost_lookup_ipv4(fingerpost_reader* by, const uint32_t* addresses, size_t count,
                           uint32_t* next_hops) {
    if (by == nullptr || !is_batch(addresses, count, next_hops))
        return FINGERPOST_INVALID;
    auto* const four = std::get_if<pinning_reader<ipv4_address>>(&by->self);
    if (four == nullptr)
        return FINGERPOST_UNSUPPORTED;
    lookup_numbers(four->by.pin(), addresses, count, next_hops);
    return FINGERPOST_OK;
}

int fingerpost_lookup_first64(fingerpost_reader* by, const uint64_t* first, size_t count,
                              uint32_t* next_hops) {
    if (by == nullptr || !is_batch(first, count, next_hops))
        return FINGERPOST_INVALID;
    auto* const six = std::get_if<pinning_reader<ipv6_address>>(&by->self);
    return six == nullptr ? FINGERPOST_UNSUPPORTED : lookup_first64(six->by.pin(), first, count, next_hops);
}

int fingerpost_lookup_halves(fingerpost_reader* by, const uint64_t* first, const uint64_t* low, size_t count,
                             uint32_t* next_hops) {
    if (by == nullptr || !is_batch(first, count, next_hops) || !is_batch(low, count, next_hops))
        return FINGERPOST_INVALID;
    auto* const six = std::get_if<pinning_reader<ipv6_address>>(&by->self);
    return six == nullptr ? FINGERPOST_UNSUPPORTED
                          : lookup_halves(six->by.pin(), first, low, count, next_hops);
}

} // extern "C"
