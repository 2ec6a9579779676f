// One run of the model test: applies the same random operations to a table of the C interface and to its
// model. All random choices come from one seed.
//
// A run draws the kind of table (next hops or bytes), scheme and policy of each family, instruction set,
// options, first routes and a pool of prefixes. Then it changes one or both families, publishes, loads,
// saves, opens, pins and unpins; some operations run out of memory. After each operation a fresh reader must
// answer as the model does now, and every pinned reader as the model did when it was pinned, in both
// families, at all boundaries of the changed prefixes and at some of those changed before. A failed operation
// must not have changed anything.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/history.hpp"
#include "tests/model/model_parts.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/c_interface.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {

class model_run {
    static constexpr std::size_t most_readers = 4;

    struct pinning {
        fingerpost_reader* by;
        std::optional<moment> at; // the moment when it was pinned
    };

  public:
    model_run(std::uint64_t seed, const model_choices& choices, const std::filesystem::path& file,
              model_counts& counts)
        : random_(seed), file_(file), counts_(counts) {
        create(choices);
        draw_pool<ipv4_address>();
        draw_pool<ipv6_address>();
        load_first();
    }
    model_run(const model_run&) = delete;
    model_run& operator=(const model_run&) = delete;
    ~model_run() {
        for (const pinning& one : readers_)
            fingerpost_reader_destroy(one.by);
        fingerpost_reader_destroy(fresh_);
        if (fingerpost_destroy(live_) != FINGERPOST_OK)
            std::abort();
    }

    // Runs the operations. Returns the first fault and the operations that led to it, or an empty string.
    std::string run_changes() {
        const std::size_t steps = in_bursts_ ? 40 : 5 + drawn(60);
        for (std::size_t i = 0; i < steps && fault_.empty(); ++i)
            step();
        if (fault_.empty())
            finish();
        ++counts_.runs;
        counts_.runs_of_bytes += keeps_bytes_ ? 1 : 0;
        return fault_.empty() ? "" : told_ + fault_;
    }

  private:
    // A random number up to `most`; small numbers are far more likely than large ones.
    std::size_t drawn(std::size_t most) {
        unsigned bits = 0;
        while (most >> bits > 1)
            ++bits;
        const std::size_t top = std::size_t{1} << random_.below(bits + 1);
        return std::min(most, static_cast<std::size_t>(random_.below(2 * top)));
    }
    bool once_in(std::uint64_t n) { return random_.below(n) == 0; }
    void tell(std::string words) { told_ += "  " + std::move(words) + "\n"; }
    void fail(const std::string& words) {
        if (fault_.empty())
            fault_ = "  -> " + words;
    }
    template <class A>
    history<A>& model() {
        return families_.of<A>().model;
    }
    moment now() const { return families_.ipv4.model.now(); }
    std::size_t routes_in_model() const { return families_.ipv4.model.size() + families_.ipv6.model.size(); }

    // Draws scheme and policy of a family. `name` owns the text.
    template <class A>
    void choose(const model_schemes& among, fingerpost_family_options& to, std::string& name) {
        if (!once_in(3)) {
            const auto& some = once_in(12) && !among.large.empty() ? among.large : among.small;
            name = some[random_.below(some.size())];
            to.scheme = name.c_str();
        }
        unsigned allowed = to.scheme == nullptr ? (1u << FINGERPOST_LEFT_RIGHT | 1u << FINGERPOST_REBUILD)
                                                : fingerpost_scheme_policies(family<A>, to.scheme);
        if (keeps_bytes_)
            allowed &= ~(1u << FINGERPOST_IN_PLACE);
        do
            to.policy = static_cast<int>(1 + random_.below(3));
        while ((allowed >> to.policy & 1) == 0);
        if (to.scheme == nullptr && !once_in(10))
            to.policy = FINGERPOST_AUTOMATIC;
        tell("IPv" + std::to_string(family<A>) + ": scheme " +
             (name.empty() ? std::string("default") : name) + ", policy " + std::to_string(to.policy));
    }
    void create(const model_choices& choices) {
        fingerpost_options options{};
        std::string four, six;
        keeps_bytes_ = once_in(3);
        options.keep_bytes = keeps_bytes_ ? 1 : 0;
        choose<ipv4_address>(choices.ipv4, options.ipv4, four);
        choose<ipv6_address>(choices.ipv6, options.ipv6, six);
        const std::string isa = choices.isas[random_.below(choices.isas.size())];
        options.isa = isa.c_str();
        in_bursts_ = once_in(4);
        options.hold_commits = once_in(in_bursts_ ? 2 : 3) ? 1 : 0;
        options.most_old_versions = random_.below(5);
        constexpr std::uint64_t endless = INT64_MAX;
        options.patience = std::array<std::uint64_t, 3>{0, 1, endless}[random_.below(3)];
        tell((keeps_bytes_ ? "bytes, isa " : "next hops, isa ") + isa +
             (options.hold_commits != 0 ? ", commits held" : "") + ", " +
             std::to_string(options.most_old_versions) + " old versions, patience " +
             std::to_string(options.patience));
        if (fingerpost_create(&options, &live_) != FINGERPOST_OK ||
            fingerpost_reader_create(live_, &fresh_) != FINGERPOST_OK)
            std::abort();
        families_.ipv4.in_place = fingerpost_policy(live_, FINGERPOST_IPV4) == FINGERPOST_IN_PLACE;
        families_.ipv6.in_place = fingerpost_policy(live_, FINGERPOST_IPV6) == FINGERPOST_IN_PLACE;
        version_ = fingerpost_table_version(live_);
    }

    // The prefixes that the run changes: neighbours of one length, so that bursts are long and equal next
    // hops meet; nested prefixes; and a few short ones.
    template <class A>
    void draw_pool() {
        std::vector<prefix<A>>& pool = families_.of<A>().pool;
        const std::size_t neighbours = in_bursts_ ? 5000 + random_.below(5000) : drawn(6000);
        const unsigned length =
            static_cast<unsigned>(A::bits == 32 ? 20 + random_.below(13) : 40 + random_.below(89));
        const A base = random_.address<A>();
        const typename A::value_type unit = static_cast<typename A::value_type>(1) << (A::bits - length);
        for (std::size_t i = 0; i < neighbours; ++i)
            pool.push_back(prefix<A>::make(
                A{static_cast<typename A::value_type>(base.value + static_cast<decltype(unit)>(i) * unit)},
                length));
        clustered_prefixes<A> clustered(random_);
        for (std::size_t i = drawn(1000) + 1; i > 0; --i)
            pool.push_back(clustered.next());
        for (unsigned i = 0; i < 4; ++i)
            pool.push_back(prefix<A>::make(random_.address<A>(), static_cast<unsigned>(random_.below(17))));
        if constexpr (A::bits == 128)
            for (unsigned i = 0; i < 4; ++i)
                pool.push_back(mapped(ipv4_prefix::make(random_.address<ipv4_address>(),
                                                        static_cast<unsigned>(random_.below(33)))));
    }
    // Some schemes use another form for large IPv4 tables, so some runs start with one.
    void load_first() {
        both_routes all;
        if (!keeps_bytes_ && once_in(40)) {
            for (std::uint32_t i = 0; i < 140'000; ++i)
                all.ipv4.push_back({ipv4_prefix::make(ipv4_address{i << 8}, 24), next_hop{i % 7}});
            load(all, "load many");
        } else if (in_bursts_ || !once_in(4)) {
            if (!once_in(3))
                all.ipv4 = all_routes<ipv4_address>();
            if (!once_in(3))
                all.ipv6 = all_routes<ipv6_address>();
            load(all, "load");
        }
    }
    next_hop random_hop() {
        switch (random_.below(8)) {
        case 0:
            return {static_cast<std::uint32_t>(random_.below(1000))};
        case 1:
            return {static_cast<std::uint32_t>(0xfffffffe - random_.below(3))};
        default:
            return {static_cast<std::uint32_t>(random_.below(4) + 100 * random_.below(2))};
        }
    }
    // The part of the pool that an operation changes. In bursts it is often the same part as last time; it
    // has 1/8 to 1/2 of the number of changes up to which a table patches rather than rebuilds.
    template <class A>
    std::span<const prefix<A>> some_prefixes(std::size_t most) {
        auto& [model, pool, last, in_place] = families_.of<A>();
        if (in_bursts_ && !last.empty() && !once_in(3))
            return last;
        const std::size_t wanted =
            in_bursts_ ? pool.size() / 32 + random_.below(pool.size() * 3 / 32) : 1 + drawn(most);
        const std::size_t count = std::min(pool.size(), wanted);
        std::size_t at = random_.below(pool.size() - count + 1);
        // Parts that start at the same place overlap.
        if (!once_in(3))
            at = random_.below(4) * pool.size() / 4;
        last = std::span<const prefix<A>>(pool).subspan(std::min(at, pool.size() - count), count);
        return last;
    }
    template <class A>
    std::vector<route<A>> all_routes() {
        std::vector<route<A>> all;
        for (const prefix<A>& p : families_.of<A>().pool)
            all.push_back({p, random_hop()});
        return sorted(std::move(all));
    }
    // Distinct prefixes, sorted or in reverse order.
    template <class A>
    std::vector<route<A>> some_routes(std::size_t most) {
        std::vector<route<A>> all;
        const bool alike = once_in(2);
        const next_hop hop = random_hop();
        for (const prefix<A>& p : some_prefixes<A>(most))
            all.push_back({p, alike ? hop : random_hop()});
        all = sorted(std::move(all));
        if (once_in(3))
            std::reverse(all.begin(), all.end());
        return all;
    }
    // Routes of one family or of both.
    both_routes some_of_either(std::size_t most) {
        both_routes all;
        const std::uint64_t which = random_.below(3);
        if (which != 0)
            all.ipv4 = some_routes<ipv4_address>(most);
        if (which != 1)
            all.ipv6 = some_routes<ipv6_address>(most);
        return all;
    }
    // The routes as one array, with either family first.
    c_routes as_c(const both_routes& all) {
        c_routes first = in_c<ipv4_address>(all.ipv4), second = in_c<ipv6_address>(all.ipv6);
        if (once_in(2))
            first.swap(second);
        first.insert(first.end(), second.begin(), second.end());
        return first;
    }
    std::size_t change_models(const both_routes& news) {
        return model<ipv4_address>().change(news.ipv4) + model<ipv6_address>().change(news.ipv6);
    }
    void replace_models(const both_routes& all) {
        model<ipv4_address>().replace(all.ipv4);
        model<ipv6_address>().replace(all.ipv6);
    }

    // Runs act(); once in a while an allocation fails in it.
    template <class Act>
    int attempt(const std::string& what, Act act) {
        ++counts_.operations;
        const std::size_t pending = fingerpost_pending(live_);
        int code = FINGERPOST_OK;
        if (once_in(6)) {
            const std::size_t number = drawn(300);
            const fault kind =
                std::array{fault::once, fault::from_then_on, fault::by_length}[random_.below(3)];
            {
                const failing_allocations armed(number, kind);
                code = act();
            }
            tell(what + ", allocation " + std::to_string(number) + " fails" +
                 (kind == fault::from_then_on ? " with all after it: " : ": ") + fingerpost_error_text(code));
            if (code != FINGERPOST_OK && !failing_allocations::happened())
                fail("failed without a reason");
        } else {
            code = act();
            tell(what + (code == FINGERPOST_OK ? "" : std::string(": ") + fingerpost_error_text(code)));
            if (code != FINGERPOST_OK)
                fail("failed");
        }
        if (code == FINGERPOST_OK)
            return code;
        ++counts_.failed;
        if (code != FINGERPOST_OUT_OF_MEMORY && code != FINGERPOST_CAPACITY)
            fail("another error than want of memory");
        if (fingerpost_table_version(live_) != version_)
            fail("something was published by an operation that failed");
        if ((fingerpost_pending(live_) == 0) != (pending == 0))
            fail("pending was " + std::to_string(pending) + " and is " +
                 std::to_string(fingerpost_pending(live_)) + " after an operation that failed");
        return code;
    }
    // Compares after an operation that may have published. `state` is its result, or -1 for operations
    // without one.
    void look(int state = -1) {
        const std::uint64_t version = fingerpost_table_version(live_);
        const std::size_t pending = fingerpost_pending(live_);
        const bool moved = version != version_;
        version_ = version;
        if (moved || pending == 0)
            published_ = now();
        counts_.published += moved ? 1 : 0;
        counts_.deferred += pending != 0 ? 1 : 0;
        if (moved && pending != 0)
            fail("published, and " + std::to_string(pending) + " pending");
        if (state == FINGERPOST_PUBLISHED && !moved)
            fail("reported as published, but the version is the same");
        if (state == FINGERPOST_UNCHANGED && (moved || pending != 0))
            fail("reported as unchanged, but published or pending");
    }

    // Loads a table of bytes from another table, which a transaction fills.
    int load_from_another(const c_routes& in, fingerpost_result* result, const std::string& what) {
        fingerpost_options options{};
        options.keep_bytes = 1;
        fingerpost_table* other = nullptr;
        fingerpost_transaction* begun = nullptr;
        if (fingerpost_create(&options, &other) != FINGERPOST_OK ||
            fingerpost_begin(other, &begun) != FINGERPOST_OK || note(begun, in) != FINGERPOST_OK ||
            fingerpost_commit(begun, nullptr) != FINGERPOST_OK)
            std::abort();
        const int code = attempt(what, [&] { return fingerpost_load_table(live_, other, result); });
        if (fingerpost_destroy(other) != FINGERPOST_OK)
            std::abort();
        return code;
    }
    void load(const both_routes& all, const std::string& name) {
        const c_routes in = as_c(all);
        const std::string what = name + " of " + std::to_string(in.size());
        fingerpost_result result{};
        const int code = keeps_bytes_ ? load_from_another(in, &result, what) : attempt(what, [&] {
            return fingerpost_load(live_, in.data(), in.size(), &result);
        });
        if (code == FINGERPOST_OK) {
            replace_models(all);
            look(result.state);
        }
        compare(all);
    }
    void replace_all() {
        const both_routes all = some_of_either(families_.ipv4.pool.size());
        if (keeps_bytes_)
            return load(all, "load");
        const c_routes in = as_c(all);
        fingerpost_result result{};
        if (attempt("replace_all by " + std::to_string(in.size()), [&] {
                return fingerpost_replace_all(live_, in.data(), in.size(), nullptr, &result);
            }) == FINGERPOST_OK) {
            replace_models(all);
            look(result.state);
        }
        compare(all);
    }
    int announce(const fingerpost_prefix& where, next_hop hop, const std::string& bytes) {
        return keeps_bytes_ ? fingerpost_announce_bytes(live_, &where, bytes.data(), bytes.size())
                            : fingerpost_announce(live_, &where, hop.id);
    }
    template <class A>
    void change_one() {
        const auto& pool = families_.of<A>().pool;
        const prefix<A> p = pool[random_.below(pool.size())];
        const fingerpost_prefix where = capi::c_prefix(p);
        const bool is_there = model<A>().get(p, now()) != next_hop::none;
        const route<A> news{p, is_there && once_in(3) ? next_hop::none : random_hop()};
        const std::string bytes = bytes_of(news.hop);
        both_routes all;
        all.of<A>().push_back(news);
        if (attempt(text_of(p.base) + "/" + std::to_string(p.length) + " -> " + text_of(news.hop), [&] {
                return news.hop == next_hop::none ? fingerpost_withdraw(live_, &where)
                                                  : announce(where, news.hop, bytes);
            }) == FINGERPOST_OK) {
            (void)change_models(all);
            look();
        }
        compare(all);
    }
    // Withdraws only existing routes.
    template <class A>
    void withdraw_some(std::vector<route<A>>& news) {
        const std::uint64_t share = random_.below(4);
        for (route<A>& r : news)
            if (random_.below(4) < share && model<A>().get(r.where, now()) != next_hop::none)
                r.hop = next_hop::none;
    }
    int note(fingerpost_transaction* in, const c_routes& news) const {
        if (!keeps_bytes_)
            return fingerpost_transaction_change(in, news.data(), news.size(), nullptr);
        int code = FINGERPOST_OK;
        for (std::size_t i = 0; i < news.size() && code == FINGERPOST_OK; ++i) {
            const fingerpost_route& r = news[i];
            if (r.next_hop == FINGERPOST_NO_ROUTE) {
                code = fingerpost_transaction_change(in, &r, 1, nullptr);
            } else {
                const std::string bytes = bytes_of({r.next_hop});
                code = fingerpost_transaction_announce_bytes(in, &r.prefix, bytes.data(), bytes.size());
            }
        }
        return code;
    }
    void transact() {
        both_routes news = some_of_either(4000);
        withdraw_some(news.ipv4);
        withdraw_some(news.ipv6);
        const c_routes in = as_c(news);
        fingerpost_transaction* begun = nullptr;
        fingerpost_result result{};
        const int code = attempt(
            "transaction of " + std::to_string(news.ipv4.size()) + " and " + std::to_string(news.ipv6.size()),
            [&] {
                try {
                    int done = fingerpost_begin(live_, &begun);
                    if (done == FINGERPOST_OK)
                        done = note(begun, in);
                    return done == FINGERPOST_OK ? fingerpost_commit(begun, &result) : done;
                } catch (...) { // from the test's own strings
                    return static_cast<int>(reason_of_exception());
                }
            });
        if (code != FINGERPOST_OK) {
            compare(news);
            fingerpost_rollback(begun);
            return;
        }
        const std::size_t changed = change_models(news);
        if (result.changes != changed)
            fail(std::to_string(result.changes) + " changes are reported instead of " +
                 std::to_string(changed));
        look(result.state);
        compare(news);
    }
    void publish() {
        fingerpost_result result{};
        const bool done =
            attempt("publish", [&] { return fingerpost_publish(live_, &result); }) == FINGERPOST_OK;
        if (done)
            look(result.state);
        compare({});
    }
    void reclaim() {
        tell("reclaim");
        fingerpost_reclaim(live_);
        compare({});
    }
    // Saves the table, opens the image, compares its answers, and sometimes loads it.
    void save() {
        if (attempt("save", [&] { return fingerpost_save(live_, file_.c_str()); }) != FINGERPOST_OK)
            return;
        fingerpost_table* image = nullptr;
        fingerpost_reader* by = nullptr;
        if (fingerpost_open(file_.c_str(), nullptr, &image) != FINGERPOST_OK ||
            fingerpost_reader_create(image, &by) != FINGERPOST_OK)
            return fail("the image does not open");
        ++counts_.images;
        if (fingerpost_count(image, FINGERPOST_BOTH) != routes_in_model())
            fail("the image has another number of routes");
        ask("the image", by, boundaries<ipv4_address>(sample(model<ipv4_address>().ever(), 100)), now(),
            now());
        ask("the image", by, boundaries<ipv6_address>(sample(model<ipv6_address>().ever(), 100)), now(),
            now());
        fingerpost_reader_destroy(by);
        fingerpost_result result{};
        if (once_in(3) && attempt("load the image", [&] {
                              return fingerpost_load_table(live_, image, &result);
                          }) == FINGERPOST_OK)
            look(result.state);
        (void)fingerpost_destroy(image);
        compare({});
    }
    void move_reader() {
        const std::size_t i = random_.below(most_readers);
        if (i >= readers_.size()) {
            pinning made{};
            if (attempt("a new reader", [&] { return fingerpost_reader_create(live_, &made.by); }) ==
                FINGERPOST_OK)
                readers_.push_back(made);
        } else if (once_in(5)) {
            tell("reader " + std::to_string(i) + " goes");
            fingerpost_reader_destroy(readers_[i].by);
            readers_.erase(readers_.begin() + static_cast<std::ptrdiff_t>(i));
        } else if (readers_[i].at && !once_in(3)) {
            tell("reader " + std::to_string(i) + " lets go");
            fingerpost_reader_unpin(readers_[i].by);
            readers_[i].at.reset();
        } else {
            tell("reader " + std::to_string(i) + " pins");
            if (fingerpost_reader_pin(readers_[i].by) != version_)
                fail("a reader has pinned another version than the newest");
            readers_[i].at = published_;
        }
    }
    void step() {
        const std::uint64_t choice = !in_bursts_ || once_in(3) ? random_.below(100) : once_in(4) ? 70 : 0;
        if (choice < 30)
            transact();
        else if (choice < 45)
            once_in(2) ? change_one<ipv4_address>() : change_one<ipv6_address>();
        else if (choice < 70)
            move_reader();
        else if (choice < 88)
            publish();
        else if (choice < 91)
            replace_all();
        else if (choice < 94)
            load(some_of_either(families_.ipv6.pool.size()), "load");
        else if (choice < 97)
            reclaim();
        else
            save();
    }
    template <class A>
    void compare_all_routes() {
        table<A> there;
        (void)fingerpost_for_each(
            live_, family<A>,
            [](const fingerpost_route* r, void* all) {
                static_cast<table<A>*>(all)->push_back(
                    {capi::canonical_of<A>(r->prefix), fingerpost::next_hop{r->next_hop}});
                return 0;
            },
            &there);
        (void)fingerpost_reader_pin(fresh_);
        for (route<A>& r : there)
            r.hop.id = number_of<A>(fresh_, r.hop.id);
        fingerpost_reader_unpin(fresh_);
        if (there != model<A>().routes())
            fail("other routes");
    }
    // Unpins all readers, so that everything can be published, and compares the whole table.
    void finish() {
        tell("the end");
        for (pinning& one : readers_) {
            fingerpost_reader_unpin(one.by);
            one.at.reset();
        }
        fingerpost_result result{};
        if (fingerpost_publish(live_, &result) != FINGERPOST_OK)
            return fail("could not publish");
        look(result.state);
        if (fingerpost_pending(live_) != 0)
            fail("still pending, and no reader stalls");
        if (fingerpost_count(live_, FINGERPOST_BOTH) != routes_in_model())
            fail("another number of routes");
        compare_all_routes<ipv4_address>();
        compare_all_routes<ipv6_address>();
        compare({}, 3000);
    }

    // At most `most` of the prefixes: half of them consecutive, half anywhere.
    template <class A>
    std::vector<prefix<A>> sample(const std::vector<prefix<A>>& all, std::size_t most) {
        if (all.size() <= most)
            return all;
        const std::size_t at = random_.below(all.size() - most / 2);
        std::vector<prefix<A>> some(all.begin() + static_cast<std::ptrdiff_t>(at),
                                    all.begin() + static_cast<std::ptrdiff_t>(at + most / 2));
        while (some.size() < most)
            some.push_back(all[random_.below(all.size())]);
        return some;
    }
    template <class A>
    static std::vector<A> boundaries(const std::vector<prefix<A>>& of) {
        using value = typename A::value_type;
        std::vector<A> at{A::first(), A::last()};
        for (const prefix<A>& p : of) {
            at.push_back(p.first());
            at.push_back(p.last());
            at.push_back(A{static_cast<value>((p.first().value - 1) & A::last().value)});
            at.push_back(A{static_cast<value>((p.last().value + 1) & A::last().value)});
        }
        return at;
    }
    // The next hop of the model that corresponds to an answer. The reader must be pinned.
    template <class A>
    std::uint32_t number_of(const fingerpost_reader* by, std::uint32_t hop) const {
        return keeps_bytes_ ? hop_of_bytes(fingerpost_value(by, family<A>, hop, 0, nullptr)) : hop;
    }
    // Checks that each answer was right at some moment from `from` to `to`. In a table of bytes the reader
    // must be pinned.
    template <class A>
    void ask(const std::string& who, fingerpost_reader* by, const std::vector<A>& at, moment from,
             moment to) {
        std::vector<unsigned char> in(at.size() * capi::address_bytes<A>);
        for (std::size_t i = 0; i < at.size(); ++i)
            capi::write_network(at[i], &in[i * capi::address_bytes<A>]);
        std::vector<std::uint32_t> out(at.size());
        if (fingerpost_lookup_batch(by, family<A>, in.data(), at.size(), out.data()) != FINGERPOST_OK)
            return fail(who + " refuses to look up");
        counts_.compared += at.size();
        for (std::size_t i = 0; i < at.size(); ++i) {
            const std::uint32_t answer = number_of<A>(by, out[i]);
            moment m = from;
            while (m < to && model<A>().lookup(at[i], m).id != answer)
                ++m;
            if (model<A>().lookup(at[i], m).id != answer)
                return fail(who + " answers " + text_of(next_hop{answer}) + " at " + text_of(at[i]) +
                            ", the model " + text_of(model<A>().lookup(at[i], from)) + " (moment " +
                            std::to_string(from) + " to " + std::to_string(to) + " of " +
                            std::to_string(now()) + ")");
        }
    }
    // Compares at all prefixes just changed, up to a few thousand, and at `before` of those changed earlier.
    void compare(const both_routes& touched, std::size_t before = 16) {
        (void)fingerpost_reader_pin(fresh_);
        compare_family<ipv4_address>(touched.ipv4, before);
        compare_family<ipv6_address>(touched.ipv6, before);
        fingerpost_reader_unpin(fresh_);
    }
    template <class A>
    void compare_family(const std::vector<route<A>>& touched, std::size_t before) {
        std::vector<prefix<A>> of;
        for (const route<A>& r : touched)
            of.push_back(r.where);
        of = sample(of, scaled(4000));
        for (const prefix<A>& p : of) {
            std::uint32_t hop = FINGERPOST_NO_ROUTE;
            const fingerpost_prefix where = capi::c_prefix(p);
            (void)fingerpost_get(live_, &where, &hop);
            hop = number_of<A>(fresh_, hop);
            if (hop != model<A>().get(p, now()).id)
                return fail("the table has " + text_of(next_hop{hop}) + " for " + text_of(p.base) + "/" +
                            std::to_string(p.length) + ", the model " + text_of(model<A>().get(p, now())));
        }
        for (const prefix<A>& p : sample(model<A>().ever(), before))
            of.push_back(p);
        const std::vector<A> at = boundaries(of);
        // A FIB that is patched in place also shows later routes.
        const bool in_place = families_.of<A>().in_place;
        ask("a fresh reader", fresh_, at, published_, in_place ? now() : published_);
        for (std::size_t i = 0; i < readers_.size(); ++i)
            if (const auto& [by, pinned] = readers_[i]; pinned) {
                counts_.pinned_old += *pinned != published_ ? 1 : 0;
                ask("reader " + std::to_string(i), by, at, *pinned, in_place ? now() : *pinned);
            }
    }

    random_numbers random_;
    const std::filesystem::path& file_;
    model_counts& counts_;
    fingerpost_table* live_ = nullptr;
    fingerpost_reader* fresh_ = nullptr;
    std::vector<pinning> readers_;
    of_both<model_family> families_; // both models are at the same moment
    std::uint64_t version_ = 0;
    moment published_ = 0; // the moment that a newly pinned reader sees
    bool keeps_bytes_ = false;
    bool in_bursts_ = false; // changes are so many that the table drops lists and rebuilds
    std::string told_;
    std::string fault_;
};

} // namespace fingerpost::testing
