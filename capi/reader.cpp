// Readers of the C interface, and lookups in pinned versions or mapped files.
#include "capi/batches.hpp"
#include "capi/handles.hpp"

using namespace fingerpost;
using namespace fingerpost::capi;

namespace {

// Returns ask(fib) with a snapshot or an image, or otherwise() if the mapped file does not have the family.
template <class A, class F, class Otherwise>
auto with_fib(fingerpost_reader& by, F ask, Otherwise otherwise) noexcept {
    if (by.held)
        return ask(*by.held);
    if (by.by)
        return ask(by.by->pin());
    const image<A>* const file = by.of->mapped()->file<A>();
    return file != nullptr ? ask(*file) : otherwise();
}

template <class A>
std::uint32_t lookup_one(fingerpost_reader& by, A a) noexcept {
    return with_fib<A>(
        by, [a](const auto& fib) { return fib.lookup(a).id; }, [] { return FINGERPOST_NO_ROUTE; });
}

// Looks up a batch with run(fib), which returns a code, and sets the last error if it fails.
template <class A, class F>
int lookup_many(fingerpost_reader* by, const void* addresses, std::size_t count, std::uint32_t* next_hops,
                F run) noexcept {
    if (by == nullptr || !is_batch(addresses, count, next_hops))
        return end_call(null_pointer());
    const int code = with_fib<A>(*by, run, [&] {
        std::fill_n(next_hops, count, FINGERPOST_NO_ROUTE);
        return static_cast<int>(FINGERPOST_OK);
    });
    return code == FINGERPOST_OK ? code : end_call(fail(code, {"there is a route longer than /64"}));
}

} // namespace

extern "C" {

int fingerpost_reader_create(fingerpost_table* of, fingerpost_reader** reader) {
    return guarded([&]() -> status {
        if (of == nullptr || reader == nullptr)
            return null_pointer();
        auto by = std::make_unique<fingerpost_reader>(fingerpost_reader{of});
        if (ip_table* const live = of->live(); live != nullptr) {
            auto joined = live->reader();
            if (!joined)
                return joined.error();
            by->by.emplace(std::move(*joined));
        }
        *reader = by.release();
        ++of->users;
        return {};
    });
}

void fingerpost_reader_destroy(fingerpost_reader* reader) {
    if (reader == nullptr)
        return;
    fingerpost_table* const of = reader->of;
    delete reader;
    --of->users;
}

uint64_t fingerpost_reader_pin(fingerpost_reader* by) {
    if (by == nullptr)
        return 0;
    if (!by->by)
        return fingerpost_table_version(by->of);
    if (by->held)
        by->held->refresh();
    else
        by->held.emplace(by->by->pin());
    return by->held->version();
}

void fingerpost_reader_unpin(fingerpost_reader* by) {
    if (by != nullptr)
        by->held.reset();
}

uint32_t fingerpost_lookup(fingerpost_reader* by, int family, const void* address) {
    if (by == nullptr || address == nullptr)
        return FINGERPOST_NO_ROUTE;
    return with_family<uint32_t>(family, FINGERPOST_NO_ROUTE,
                                 [&]<class A>(A) { return lookup_one(*by, address_of<A>(address)); });
}

int fingerpost_lookup_text(fingerpost_reader* by, const char* text, uint32_t* next_hop, int* family) {
    return guarded([&]() -> status {
        if (by == nullptr || text == nullptr || next_hop == nullptr)
            return null_pointer();
        const auto read = parse_address(text);
        if (!read)
            return fail(read.error());
        *next_hop = std::visit([&](auto a) { return lookup_one(*by, a); }, *read);
        if (family != nullptr)
            *family = read->index() == 0 ? FINGERPOST_IPV4 : FINGERPOST_IPV6;
        return {};
    });
}

int fingerpost_lookup_batch(fingerpost_reader* by, int family, const void* addresses, size_t count,
                            uint32_t* next_hops) {
    if (by == nullptr)
        return end_call(null_pointer());
    const auto in = [&]<class A>(A) {
        return lookup_many<A>(by, addresses, count, next_hops, [&](const auto& fib) {
            lookup_network<A>(by->of->isa, fib, addresses, count, next_hops);
            return static_cast<int>(FINGERPOST_OK);
        });
    };
    if (family == FINGERPOST_IPV4)
        return in(ipv4_address{});
    return family == FINGERPOST_IPV6 ? in(ipv6_address{}) : end_call(no_family());
}

int fingerpost_lookup_ipv4(fingerpost_reader* by, const uint32_t* addresses, size_t count,
                           uint32_t* next_hops) {
    return lookup_many<ipv4_address>(by, addresses, count, next_hops, [&](const auto& fib) {
        lookup_numbers(fib, addresses, count, next_hops);
        return static_cast<int>(FINGERPOST_OK);
    });
}

int fingerpost_lookup_first64(fingerpost_reader* by, const uint64_t* first, size_t count,
                              uint32_t* next_hops) {
    return lookup_many<ipv6_address>(by, first, count, next_hops, [&](const auto& fib) {
        return code_of(fib.lookup_first64({first, count}, answers(next_hops, count)));
    });
}

int fingerpost_lookup_halves(fingerpost_reader* by, const uint64_t* first, const uint64_t* low, size_t count,
                             uint32_t* next_hops) {
    if (!is_batch(low, count, next_hops))
        return end_call(null_pointer());
    return lookup_many<ipv6_address>(by, first, count, next_hops, [&](const auto& fib) {
        fib.lookup_halves({first, count}, {low, count}, answers(next_hops, count));
        return static_cast<int>(FINGERPOST_OK);
    });
}

} // extern "C"
