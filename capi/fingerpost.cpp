// Tables of the C interface: creation, changes and state.
#include <chrono>
#include <string_view>
#include <vector>

#include "capi/next_hop_values.hpp"
#include "capi/queries.hpp"
#include "fingerpost/registry/registry.hpp"

using namespace fingerpost;
using namespace fingerpost::capi;

namespace {

static_assert(static_cast<int>(publish_state::published) == FINGERPOST_PUBLISHED &&
              static_cast<int>(publish_state::unchanged) == FINGERPOST_UNCHANGED &&
              static_cast<int>(publish_state::deferred) == FINGERPOST_PUT_OFF);
static_assert(static_cast<int>(policy::automatic) == FINGERPOST_AUTOMATIC &&
              static_cast<int>(policy::rebuild) == FINGERPOST_REBUILD &&
              static_cast<int>(policy::left_right) == FINGERPOST_LEFT_RIGHT &&
              static_cast<int>(policy::in_place) == FINGERPOST_IN_PLACE);

status report(const expected<commit_result>& done, fingerpost_result* result) noexcept {
    if (!done)
        return done.error();
    if (result != nullptr)
        *result = {done->version, done->changes, static_cast<int>(done->state)};
    return {};
}

// Returns the reason why the family has no scheme with this name.
template <class A>
status refuse_scheme(const char* name) {
    constexpr bool is_ipv4 = A::bits == ipv4_address::bits;
    if (is_ipv4 ? find_scheme<ipv6_address>(name) != nullptr : find_scheme<ipv4_address>(name) != nullptr)
        return fail(FINGERPOST_UNSUPPORTED,
                    {"the scheme '", name, is_ipv4 ? "' does not serve IPv4" : "' does not serve IPv6"});
    const std::string why = why_not_built(name);
    return why.empty() ? fail(FINGERPOST_NOT_FOUND, {"there is no scheme '", name, "'"})
                       : fail(FINGERPOST_NOT_FOUND, {why});
}

template <class A>
status choose_scheme(const fingerpost_family_options& from, std::optional<scheme_choice<A>>& to) {
    if (from.policy < FINGERPOST_AUTOMATIC || from.policy > FINGERPOST_IN_PLACE)
        return fail(FINGERPOST_INVALID, {"unknown policy"});
    const auto* const scheme = from.scheme == nullptr ? &default_scheme<A>() : find_scheme<A>(from.scheme);
    if (scheme == nullptr)
        return refuse_scheme<A>(from.scheme);
    to.emplace(*scheme, static_cast<policy>(from.policy));
    return {};
}

status read_options(const fingerpost_options& from, table_options& to) {
    for (const std::uint64_t word : from.reserved)
        if (word != 0)
            return fail(FINGERPOST_INVALID, {"reserved options must be zero"});
    if (const status chosen = choose_isa(from.isa, to.build); chosen.code != FINGERPOST_OK)
        return chosen;
    if (from.most_old_versions != 0)
        to.most_old_versions = from.most_old_versions;
    to.publish_on_commit = from.hold_commits == 0;
    if (from.patience > static_cast<std::uint64_t>(std::chrono::nanoseconds::max().count()))
        return fail(FINGERPOST_INVALID, {"patience is longer than 292 years"});
    if (from.patience != 0)
        to.patience = std::chrono::nanoseconds(static_cast<std::int64_t>(from.patience));
    return {};
}

status create(const fingerpost_options& options, fingerpost_table** table) {
    table_options read;
    std::optional<scheme_choice<ipv4_address>> four;
    std::optional<scheme_choice<ipv6_address>> six;
    for (const status& result :
         {read_options(options, read), choose_scheme(options.ipv4, four), choose_scheme(options.ipv6, six)})
        if (result.code != FINGERPOST_OK)
            return result;
    const auto is_in_place = [](const auto& choice) { return choice->update == policy::in_place; };
    if (options.keep_bytes != 0 && (is_in_place(four) || is_in_place(six)))
        return fail(FINGERPOST_UNSUPPORTED, {"a table of bytes cannot be updated in place"});
    auto empty = ip_table::create(*four, *six, read);
    if (!empty && empty.error() == errc::unsupported)
        return fail(FINGERPOST_UNSUPPORTED, {"the scheme does not support this policy"});
    if (!empty)
        return empty.error();
    if (options.keep_bytes != 0)
        *table = new fingerpost_table{std::make_unique<bytes_table>(std::move(*empty)), read.build.isa};
    else
        *table = new fingerpost_table{std::move(*empty), read.build.isa};
    return {};
}

status has_bytes() noexcept {
    return fail(FINGERPOST_UNSUPPORTED, {"this table has bytes instead of next hops"});
}
status has_next_hops() noexcept {
    return fail(FINGERPOST_UNSUPPORTED, {"this table has next hops instead of bytes"});
}

// Returns change(ip_table&) if the table can change.
template <class F>
int change_table(fingerpost_table* of, F change) noexcept {
    return guarded([&]() -> status {
        if (of == nullptr)
            return null_pointer();
        ip_table* const live = of->live();
        if (live == nullptr)
            return fail(FINGERPOST_UNSUPPORTED, {"a table that was opened from a file cannot be changed"});
        const status done = change(*live);
        if (bytes_table* const bytes = of->of_bytes(); bytes != nullptr)
            bytes->settle(); // readers may have released values
        return done;
    });
}
// Returns change(ip_table&) for a table of next hops.
template <class F>
int change_next_hops(fingerpost_table* of, F change) noexcept {
    return change_table(
        of, [&](ip_table& live) { return of->of_bytes() != nullptr ? has_bytes() : change(live); });
}
// Returns change(ip_transaction&, bytes_table*). The second argument is null for a table of next hops.
template <class F>
int change_in(fingerpost_transaction* in, F change) noexcept {
    return guarded([&] { return in == nullptr ? null_pointer() : change(in->self, in->of->of_bytes()); });
}
// Returns set(bytes) for a table of bytes. `in` is null for a table of next hops.
template <class F>
status with_bytes(const bytes_table* in, const void* bytes, std::size_t size, F set) {
    if (in == nullptr)
        return has_next_hops();
    if (bytes == nullptr && size != 0)
        return null_pointer();
    return set(std::string_view(static_cast<const char*>(bytes), size));
}

struct both_routes {
    std::vector<route<ipv4_address>> ipv4;
    std::vector<route<ipv6_address>> ipv6;
};

// Longer lists are refused before any route is read.
constexpr std::size_t most_routes = PTRDIFF_MAX / sizeof(route<ipv6_address>);

status split(const fingerpost_route* from, std::size_t count, both_routes& to) {
    if (from == nullptr && count != 0)
        return null_pointer();
    if (count > most_routes)
        return errc::capacity;
    std::size_t of_ipv4 = 0;
    for (std::size_t i = 0; i < count; ++i)
        of_ipv4 += from[i].prefix.family == FINGERPOST_IPV4 ? 1 : 0;
    to.ipv4.reserve(of_ipv4);
    to.ipv6.reserve(count - of_ipv4);
    status done;
    for (std::size_t i = 0; i < count && done.code == FINGERPOST_OK; ++i)
        done = with_prefix(&from[i].prefix, [&]<class A>(const prefix<A>& p) -> status {
            if constexpr (A::bits == ipv4_address::bits)
                to.ipv4.push_back({p, {from[i].next_hop}});
            else
                to.ipv6.push_back({p, {from[i].next_hop}});
            return {};
        });
    return done;
}

// Adds changes of one family, starting with changes[added], and increases `added` by their number.
template <class A>
status note_some(fingerpost_transaction& in, const fingerpost_route* changes, std::size_t count,
                 std::size_t& added) {
    std::vector<edit<A>> edits;
    edits.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        edits.push_back({prefix_of<A>(changes[added + i].prefix), {changes[added + i].next_hop}});
    const changes_taken done = in.self.change(edits);
    added += done.count;
    return done.failure;
}

status note_changes(fingerpost_transaction& in, const fingerpost_route* changes, std::size_t count,
                    std::size_t& added) {
    if (changes == nullptr && count != 0)
        return null_pointer();
    if (count > most_routes)
        return errc::capacity;
    status done;
    while (added < count && done.code == FINGERPOST_OK) {
        const fingerpost_prefix& first = changes[added].prefix;
        if (in.of->of_bytes() != nullptr) {
            done = changes[added].next_hop == FINGERPOST_NO_ROUTE
                       ? fingerpost_transaction_withdraw(&in, &first)
                       : end_call(has_bytes());
            done.is_noted = true;
            added += done.code == FINGERPOST_OK ? 1 : 0;
            continue;
        }
        std::size_t end = added + 1;
        while (end < count && changes[end].prefix.family == first.family)
            ++end;
        done = with_family<status>(first.family, no_family(),
                                   [&]<class A>(A) { return note_some<A>(in, changes, end - added, added); });
    }
    return done;
}

} // namespace

extern "C" {

int fingerpost_create(const fingerpost_options* options, fingerpost_table** table) {
    return guarded([&] {
        return table == nullptr ? null_pointer()
                                : create(options == nullptr ? fingerpost_options{} : *options, table);
    });
}

int fingerpost_destroy(fingerpost_table* table) {
    if (table != nullptr && table->users.load() != 0)
        return end_call(fail(FINGERPOST_INVALID, {"the table has readers or transactions"}));
    delete table;
    return FINGERPOST_OK;
}

int fingerpost_load(fingerpost_table* to, const fingerpost_route* loaded, size_t count,
                    fingerpost_result* result) {
    return change_next_hops(to, [&](ip_table& live) {
        both_routes routes;
        const status read = split(loaded, count, routes);
        return read.code != FINGERPOST_OK
                   ? read
                   : report(live.assign(std::move(routes.ipv4), std::move(routes.ipv6)), result);
    });
}

int fingerpost_load_table(fingerpost_table* to, const fingerpost_table* from, fingerpost_result* result) {
    return change_table(to, [&](ip_table& live) -> status {
        if (from == nullptr)
            return null_pointer();
        if (bytes_table* const bytes = to->of_bytes(); bytes != nullptr) {
            commit_result done;
            const status staged = load_bytes(*bytes, *from, done);
            return staged.code != FINGERPOST_OK ? staged : report(done, result);
        }
        if (from->of_bytes() != nullptr)
            return fail(FINGERPOST_UNSUPPORTED, {"the other table has bytes instead of next hops"});
        return report(live.assign(covered(*from, ipv4_prefix{}), covered(*from, ipv6_prefix{})), result);
    });
}

int fingerpost_replace_all(fingerpost_table* to, const fingerpost_route* routes, size_t count,
                           fingerpost_difference* difference, fingerpost_result* result) {
    return change_next_hops(to, [&](ip_table& live) -> status {
        both_routes split_routes;
        if (const status read = split(routes, count, split_routes); read.code != FINGERPOST_OK)
            return read;
        const auto done = live.replace_all(std::move(split_routes.ipv4), std::move(split_routes.ipv6));
        if (!done)
            return done.error();
        if (difference != nullptr)
            *difference = {done->added, done->removed, done->replaced};
        return report(done->commit, result);
    });
}

int fingerpost_announce(fingerpost_table* to, const fingerpost_prefix* where, uint32_t next_hop) {
    return change_next_hops(to, [&](ip_table& live) {
        return with_prefix(where, [&](const auto& p) -> status { return live.announce(p, {next_hop}); });
    });
}

int fingerpost_announce_text(fingerpost_table* to, const char* text, uint32_t next_hop) {
    fingerpost_prefix where;
    const int code = fingerpost_parse_prefix(text, &where);
    return code == FINGERPOST_OK ? fingerpost_announce(to, &where, next_hop) : code;
}

int fingerpost_announce_bytes(fingerpost_table* to, const fingerpost_prefix* where, const void* bytes,
                              size_t size) {
    return change_table(to, [&](ip_table&) {
        return with_bytes(to->of_bytes(), bytes, size, [&](std::string_view value) {
            return with_prefix(where, [&](const auto& p) -> status {
                const auto set = to->of_bytes()->set(p, value);
                return set ? errc::ok : set.error();
            });
        });
    });
}

int fingerpost_withdraw(fingerpost_table* from, const fingerpost_prefix* where) {
    return change_table(from, [&](ip_table& live) {
        return with_prefix(where, [&](const auto& p) -> status {
            return from->of_bytes() != nullptr ? from->of_bytes()->erase(p) : live.withdraw(p);
        });
    });
}

int fingerpost_withdraw_text(fingerpost_table* from, const char* text) {
    fingerpost_prefix where;
    const int code = fingerpost_parse_prefix(text, &where);
    return code == FINGERPOST_OK ? fingerpost_withdraw(from, &where) : code;
}

int fingerpost_begin(fingerpost_table* in, fingerpost_transaction** begun) {
    return change_table(in, [&](ip_table& live) -> status {
        if (begun == nullptr)
            return null_pointer();
        *begun = new fingerpost_transaction{in, live.begin()};
        ++in->users;
        return {};
    });
}

int fingerpost_transaction_announce(fingerpost_transaction* in, const fingerpost_prefix* where,
                                    uint32_t next_hop) {
    return change_in(in, [&](ip_transaction& changes, const bytes_table* bytes) {
        return bytes != nullptr ? has_bytes() : with_prefix(where, [&](const auto& p) -> status {
            return changes.announce(p, {next_hop});
        });
    });
}

int fingerpost_transaction_announce_bytes(fingerpost_transaction* in, const fingerpost_prefix* where,
                                          const void* bytes, size_t size) {
    return change_in(in, [&](ip_transaction& changes, bytes_table* table) {
        return with_bytes(table, bytes, size, [&](std::string_view value) {
            return with_prefix(where,
                               [&](const auto& p) -> status { return table->stage(changes, p, value); });
        });
    });
}

int fingerpost_transaction_withdraw(fingerpost_transaction* in, const fingerpost_prefix* where) {
    return change_in(in, [&](ip_transaction& changes, bytes_table* bytes) {
        return with_prefix(where, [&](const auto& p) -> status {
            return bytes != nullptr ? bytes->stage_erase(changes, p) : changes.withdraw(p);
        });
    });
}

int fingerpost_transaction_change(fingerpost_transaction* in, const fingerpost_route* changes, size_t count,
                                  size_t* added) {
    std::size_t noted = 0;
    const int code = change_in(
        in, [&](ip_transaction&, bytes_table*) { return note_changes(*in, changes, count, noted); });
    if (added != nullptr)
        *added = noted;
    return code;
}

int fingerpost_commit(fingerpost_transaction* in, fingerpost_result* result) {
    return change_in(in, [&](ip_transaction& changes, bytes_table* bytes) {
        const status done = report(bytes != nullptr ? bytes->commit(changes) : changes.commit(), result);
        if (done.code == FINGERPOST_OK)
            fingerpost_rollback(in);
        return done;
    });
}

void fingerpost_rollback(fingerpost_transaction* in) {
    if (in == nullptr)
        return;
    fingerpost_table* const of = in->of;
    if (bytes_table* const bytes = of->of_bytes(); bytes != nullptr)
        bytes->roll_back(in->self);
    delete in;
    --of->users;
}

int fingerpost_publish(fingerpost_table* of, fingerpost_result* result) {
    return change_table(of, [&](ip_table& live) { return report(live.publish(), result); });
}

size_t fingerpost_pending(const fingerpost_table* of) {
    const ip_table* const live = of == nullptr ? nullptr : of->live();
    return live == nullptr ? 0 : live->pending();
}

void fingerpost_reclaim(fingerpost_table* of) {
    if (of != nullptr && of->live() != nullptr)
        (void)change_table(of, [](ip_table& live) { return live.reclaim(), status(); });
}

int fingerpost_stalled(const fingerpost_table* of, fingerpost_stall* to) {
    if (of == nullptr || to == nullptr)
        return end_call(null_pointer());
    const stall stalled = of->live() == nullptr ? stall{} : of->live()->stalled();
    *to = {stalled.versions, stalled.readers, stalled.publications, stalled.bytes};
    return FINGERPOST_OK;
}

size_t fingerpost_memory(const fingerpost_table* of, fingerpost_memory_parts* parts) {
    if (of == nullptr)
        return 0;
    fingerpost_memory_parts sizes{};
    if (const ip_table* const live = of->live(); live != nullptr) {
        const table_memory live_sizes = live->memory();
        sizes = {live_sizes.rib, live_sizes.fib, live_sizes.old, live_sizes.updates, 0};
        if (const bytes_table* const bytes = of->of_bytes(); bytes != nullptr)
            sizes.values = bytes->memory_bytes() - live_sizes.total();
    } else {
        sizes.fib = file_bytes(*of->mapped());
        sizes.values = of->mapped()->ipv4_texts.capacity() + of->mapped()->ipv6_texts.capacity();
    }
    if (parts != nullptr)
        *parts = sizes;
    return sizes.rib + sizes.fib + sizes.old + sizes.updates + sizes.values;
}

int fingerpost_policy(const fingerpost_table* of, int family) {
    const ip_table* const live = of == nullptr ? nullptr : of->live();
    return live == nullptr ? 0 : with_family<int>(family, 0, [&]<class A>(A) {
        return static_cast<int>(live->of<A>().update_policy());
    });
}

const char* fingerpost_scheme(const fingerpost_table* of, int family) {
    return of == nullptr ? nullptr
                         : with_family<const char*>(family, nullptr, [&]<class A>(A) -> const char* {
                               if (of->live() != nullptr)
                                   return of->live()->of<A>().scheme().facts.name.data();
                               const image<A>* const file = of->mapped()->file<A>();
                               return file == nullptr ? nullptr : file->scheme().facts.name.data();
                           });
}

const char* fingerpost_isa(const fingerpost_table* of) {
    return of == nullptr ? nullptr : simd::name_of(of->isa).data();
}

uint64_t fingerpost_table_version(const fingerpost_table* of) {
    if (of == nullptr)
        return 0;
    return of->live() == nullptr ? 1 : of->live()->version();
}

} // extern "C"
