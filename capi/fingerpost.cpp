// Tables of the C interface: how they are made, changed and asked how they are.
#include <chrono>

#include "capi/handles.hpp"

using namespace fingerpost;
using namespace fingerpost::capi;

namespace {

constexpr bool is_family(int family) noexcept {
    return family == FINGERPOST_IPV4 || family == FINGERPOST_IPV6;
}

void tell(const commit_result& done, fingerpost_result* result) noexcept {
    if (result != nullptr)
        *result = {done.version, done.changes, static_cast<int>(done.state)};
}
static_assert(static_cast<int>(publish_state::published) == FINGERPOST_PUBLISHED &&
              static_cast<int>(publish_state::unchanged) == FINGERPOST_UNCHANGED &&
              static_cast<int>(publish_state::deferred) == FINGERPOST_PUT_OFF);

int tell(const expected<commit_result>& done, fingerpost_result* result) noexcept {
    if (!done)
        return code_of(done.error());
    tell(*done, result);
    return FINGERPOST_OK;
}

// Converts the options of C, or returns why they are invalid.
errc read_options(const fingerpost_options& from, table_options& to) {
    for (const std::uint64_t word : from.reserved)
        if (word != 0)
            return errc::invalid;
    if (from.policy < FINGERPOST_AUTOMATIC || from.policy > FINGERPOST_IN_PLACE)
        return errc::invalid;
    to.update = static_cast<policy>(from.policy);
    if (from.scheme != nullptr)
        to.scheme = from.scheme;
    if (const errc fault = choose_isa(from.isa, to.build); fault != errc::ok)
        return fault;
    if (from.most_old_versions != 0)
        to.most_old_versions = from.most_old_versions;
    to.publish_on_commit = from.hold_commits == 0;
    if (from.patience > static_cast<std::uint64_t>(std::chrono::nanoseconds::max().count()))
        return errc::invalid;
    if (from.patience != 0)
        to.patience = std::chrono::nanoseconds(static_cast<std::int64_t>(from.patience));
    return errc::ok;
}
static_assert(static_cast<int>(policy::automatic) == FINGERPOST_AUTOMATIC &&
              static_cast<int>(policy::rebuild) == FINGERPOST_REBUILD &&
              static_cast<int>(policy::left_right) == FINGERPOST_LEFT_RIGHT &&
              static_cast<int>(policy::in_place) == FINGERPOST_IN_PLACE);

template <class A>
int create(const table_options& options, fingerpost_table** made) {
    auto empty = table<A>::create(options);
    if (!empty)
        return code_of(empty.error());
    *made = new fingerpost_table{std::move(*empty), options.build.isa};
    return FINGERPOST_OK;
}

// Calls ask(table<A>&) for the table's family.
template <class T, class F>
auto with_table(T& of, F ask) {
    if (auto* const four = std::get_if<ipv4_table>(&of.self))
        return ask(*four);
    return ask(*std::get_if<ipv6_table>(&of.self));
}

} // namespace

extern "C" {

int fingerpost_create(int family, const fingerpost_options* options, fingerpost_table** made) {
    return guarded([&]() -> int {
        if (!is_family(family) || made == nullptr)
            return FINGERPOST_INVALID;
        table_options chosen;
        if (options != nullptr)
            if (const errc fault = read_options(*options, chosen); fault != errc::ok)
                return code_of(fault);
        return family == FINGERPOST_IPV4 ? create<ipv4_address>(chosen, made)
                                         : create<ipv6_address>(chosen, made);
    });
}

int fingerpost_destroy(fingerpost_table* gone) {
    if (gone != nullptr && gone->users.load() != 0)
        return FINGERPOST_INVALID;
    delete gone;
    return FINGERPOST_OK;
}

int fingerpost_load(fingerpost_table* to, const fingerpost_route* loaded, size_t count,
                    fingerpost_result* result) {
    return guarded([&]() -> int {
        if (to == nullptr || (loaded == nullptr && count != 0))
            return FINGERPOST_INVALID;
        return with_table(*to, [&]<class A>(table<A>& one) {
            return tell(one.assign(routes_of<A>(loaded, count)), result);
        });
    });
}

int fingerpost_load_image(fingerpost_table* to, const fingerpost_image* from, fingerpost_result* result) {
    return guarded([&]() -> int {
        if (to == nullptr || from == nullptr)
            return FINGERPOST_INVALID;
        return with_table(*to, [&]<class A>(table<A>& one) -> int {
            const auto* const saved = std::get_if<image<A>>(&from->self);
            return saved == nullptr ? FINGERPOST_UNSUPPORTED : tell(one.assign(saved->copy_routes()), result);
        });
    });
}

int fingerpost_replace_all(fingerpost_table* to, const fingerpost_route* wanted, size_t count,
                           fingerpost_difference* difference, fingerpost_result* result) {
    return guarded([&]() -> int {
        if (to == nullptr || (wanted == nullptr && count != 0))
            return FINGERPOST_INVALID;
        return with_table(*to, [&]<class A>(table<A>& one) -> int {
            const auto done = one.replace_all(routes_of<A>(wanted, count));
            if (!done)
                return code_of(done.error());
            if (difference != nullptr)
                *difference = {done->added, done->removed, done->replaced};
            tell(done->commit, result);
            return FINGERPOST_OK;
        });
    });
}

int fingerpost_announce(fingerpost_table* to, const fingerpost_prefix* where, uint32_t next_hop) {
    return guarded([&]() -> int {
        if (to == nullptr || where == nullptr)
            return FINGERPOST_INVALID;
        return with_table(*to, [&]<class A>(table<A>& one) {
            return code_of(one.announce(prefix_of<A>(*where), {next_hop}));
        });
    });
}

int fingerpost_withdraw(fingerpost_table* from, const fingerpost_prefix* where) {
    return guarded([&]() -> int {
        if (from == nullptr || where == nullptr)
            return FINGERPOST_INVALID;
        return with_table(
            *from, [&]<class A>(table<A>& one) { return code_of(one.withdraw(prefix_of<A>(*where))); });
    });
}

int fingerpost_begin(fingerpost_table* in, fingerpost_transaction** begun) {
    return guarded([&]() -> int {
        if (in == nullptr || begun == nullptr)
            return FINGERPOST_INVALID;
        *begun = with_table(*in, [&](auto& one) { return new fingerpost_transaction{in, one.begin()}; });
        ++in->users;
        return FINGERPOST_OK;
    });
}

int fingerpost_transaction_announce(fingerpost_transaction* in, const fingerpost_prefix* where,
                                    uint32_t next_hop) {
    return guarded([&]() -> int {
        if (in == nullptr || where == nullptr)
            return FINGERPOST_INVALID;
        return std::visit(
            [&]<class A>(transaction<A>& one) {
                return code_of(one.announce(prefix_of<A>(*where), {next_hop}));
            },
            in->self);
    });
}

int fingerpost_transaction_withdraw(fingerpost_transaction* in, const fingerpost_prefix* where) {
    return guarded([&]() -> int {
        if (in == nullptr || where == nullptr)
            return FINGERPOST_INVALID;
        return std::visit(
            [&]<class A>(transaction<A>& one) { return code_of(one.withdraw(prefix_of<A>(*where))); },
            in->self);
    });
}

int fingerpost_transaction_change(fingerpost_transaction* in, const fingerpost_route* wanted, size_t count,
                                  size_t* taken) {
    if (taken != nullptr)
        *taken = 0;
    return guarded([&]() -> int {
        if (in == nullptr || (wanted == nullptr && count != 0))
            return FINGERPOST_INVALID;
        return std::visit(
            [&]<class A>(transaction<A>& one) {
                std::vector<edit<A>> edits;
                edits.reserve(count);
                for (std::size_t i = 0; i < count; ++i)
                    edits.push_back({prefix_of<A>(wanted[i].prefix), {wanted[i].next_hop}});
                const changes_taken done = one.change(edits);
                if (taken != nullptr)
                    *taken = done.count;
                return code_of(done.failure);
            },
            in->self);
    });
}

int fingerpost_commit(fingerpost_transaction* in, fingerpost_result* result) {
    return guarded([&]() -> int {
        if (in == nullptr)
            return FINGERPOST_INVALID;
        const int code = tell(std::visit([](auto& one) { return one.commit(); }, in->self), result);
        if (code == FINGERPOST_OK)
            fingerpost_rollback(in);
        return code;
    });
}

void fingerpost_rollback(fingerpost_transaction* gone) {
    if (gone == nullptr)
        return;
    fingerpost_table* const of = gone->of;
    delete gone;
    --of->users;
}

int fingerpost_publish(fingerpost_table* of, fingerpost_result* result) {
    return guarded([&]() -> int {
        if (of == nullptr)
            return FINGERPOST_INVALID;
        return with_table(*of, [&](auto& one) { return tell(one.publish(), result); });
    });
}

size_t fingerpost_pending(const fingerpost_table* of) {
    return of == nullptr ? 0 : with_table(*of, [](const auto& one) { return one.pending(); });
}

void fingerpost_reclaim(fingerpost_table* of) {
    if (of != nullptr)
        with_table(*of, [](auto& one) { one.reclaim(); });
}

int fingerpost_stalled(const fingerpost_table* of, fingerpost_stall* told) {
    if (of == nullptr || told == nullptr)
        return FINGERPOST_INVALID;
    const stall now = with_table(*of, [](const auto& one) { return one.stalled(); });
    *told = {now.versions, now.readers, now.publications, now.bytes};
    return FINGERPOST_OK;
}

size_t fingerpost_memory(const fingerpost_table* of, fingerpost_memory_parts* parts) {
    if (of == nullptr)
        return 0;
    const table_memory now = with_table(*of, [](const auto& one) { return one.memory(); });
    if (parts != nullptr)
        *parts = {now.rib, now.fib, now.old, now.updates};
    return now.total();
}

int fingerpost_family(const fingerpost_table* of) {
    if (of == nullptr)
        return 0;
    return std::holds_alternative<ipv4_table>(of->self) ? FINGERPOST_IPV4 : FINGERPOST_IPV6;
}

int fingerpost_policy(const fingerpost_table* of) {
    if (of == nullptr)
        return 0;
    return static_cast<int>(with_table(*of, [](const auto& one) { return one.update_policy(); }));
}

const char* fingerpost_scheme(const fingerpost_table* of) {
    if (of == nullptr)
        return nullptr;
    return with_table(*of, [](const auto& one) { return one.scheme().facts.name.data(); });
}

const char* fingerpost_isa(const fingerpost_table* of) {
    return of == nullptr ? nullptr : simd::name_of(of->isa).data();
}

uint64_t fingerpost_table_version(const fingerpost_table* of) {
    return of == nullptr ? 0 : with_table(*of, [](const auto& one) { return one.version(); });
}

} // extern "C"
