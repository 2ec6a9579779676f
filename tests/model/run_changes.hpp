// One run of the model test: a table of the C interface and its model go through the same random operations,
// all drawn from one seed.
//
// A run draws scheme, policy, instruction set, options, first routes and a set of prefixes; then it changes,
// publishes, loads, saves and opens, pins and lets go, with some operations short of memory. After each
// operation a fresh reader must answer as the model does now, and every pinned reader as the model did when
// it pinned, at all boundaries of the prefixes touched and at some of those touched before. An operation that
// fails must have changed nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/history.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/c_interface.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {

// What runs have done, so that the test can report it and fail when it was too little.
struct model_counts {
    std::size_t runs = 0;
    std::size_t operations = 0;
    std::size_t published = 0;
    std::size_t deferred = 0;
    std::size_t failed = 0;     // operations that ran out of memory and were refused
    std::size_t pinned_old = 0; // comparisons of a reader that was behind
    std::size_t compared = 0;   // answers
    std::size_t images = 0;
};

// What a run may choose from; found once, because that takes time.
struct model_choices {
    std::vector<std::string> small; // schemes by name, and those whose empty FIB has megabytes
    std::vector<std::string> large;
    std::vector<std::string> isas;
};

template <class A>
class model_run {
    static constexpr std::size_t address_bytes = capi::address_bytes<A>;
    static constexpr std::size_t most_readers = 4;

    struct pinning {
        fingerpost_reader* by;
        std::optional<moment> at; // when pinned
    };

  public:
    model_run(std::uint64_t seed, const model_choices& choices, const std::filesystem::path& file,
              model_counts& counts)
        : random_(seed), file_(file), counts_(counts) {
        create(choices);
        draw_prefixes();
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

    // What went wrong first, with what was done before; empty when nothing did.
    std::string run_changes() {
        const std::size_t steps = in_bursts_ ? 40 : 5 + drawn(60);
        for (std::size_t i = 0; i < steps && fault_.empty(); ++i)
            step();
        if (fault_.empty())
            finish();
        ++counts_.runs;
        return fault_.empty() ? "" : told_ + fault_;
    }

  private:
    // A number up to `most`, small far more often than large.
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

    void create(const model_choices& choices) {
        fingerpost_options options{};
        std::string scheme;
        if (!once_in(3)) {
            const auto& among = once_in(12) && !choices.large.empty() ? choices.large : choices.small;
            scheme = among[random_.below(among.size())];
            options.scheme = scheme.c_str();
        }
        const std::string isa = choices.isas[random_.below(choices.isas.size())];
        options.isa = isa.c_str();
        const unsigned allowed = options.scheme == nullptr
                                     ? (1u << FINGERPOST_LEFT_RIGHT | 1u << FINGERPOST_REBUILD)
                                     : fingerpost_scheme_policies(family<A>, options.scheme);
        do
            options.policy = static_cast<int>(1 + random_.below(3));
        while ((allowed >> options.policy & 1) == 0);
        if (options.scheme == nullptr && !once_in(10))
            options.policy = FINGERPOST_AUTOMATIC;
        in_bursts_ = once_in(4);
        options.hold_commits = once_in(in_bursts_ ? 2 : 3) ? 1 : 0;
        options.most_old_versions = random_.below(5);
        constexpr std::uint64_t endless = INT64_MAX;
        options.patience = std::array<std::uint64_t, 3>{0, 1, endless}[random_.below(3)];
        tell("scheme " + (scheme.empty() ? std::string("default") : scheme) + ", policy " +
             std::to_string(options.policy) + ", isa " + isa +
             (options.hold_commits != 0 ? ", commits held" : "") + ", " +
             std::to_string(options.most_old_versions) + " old versions, patience " +
             std::to_string(options.patience));
        if (fingerpost_create(family<A>, &options, &live_) != FINGERPOST_OK ||
            fingerpost_reader_create(live_, &fresh_) != FINGERPOST_OK)
            std::abort();
        in_place_ = fingerpost_policy(live_) == FINGERPOST_IN_PLACE;
        version_ = fingerpost_table_version(live_);
    }

    // The prefixes that the run changes: neighbours of one length, so that bursts are long and next hops
    // meet; prefixes in and around one another; a few short ones. Large IPv4 tables have another form in some
    // schemes, so some runs begin with one.
    void draw_prefixes() {
        const std::size_t neighbours = in_bursts_ ? 5000 + random_.below(5000) : drawn(6000);
        const unsigned length =
            static_cast<unsigned>(A::bits == 32 ? 20 + random_.below(13) : 40 + random_.below(89));
        const A base = random_.address<A>();
        const typename A::value_type unit = static_cast<typename A::value_type>(1) << (A::bits - length);
        for (std::size_t i = 0; i < neighbours; ++i)
            pool_.push_back(prefix<A>::make(
                A{static_cast<typename A::value_type>(base.value + static_cast<decltype(unit)>(i) * unit)},
                length));
        clustered_prefixes<A> clustered(random_);
        for (std::size_t i = drawn(1000) + 1; i > 0; --i)
            pool_.push_back(clustered.next());
        for (unsigned i = 0; i < 4; ++i)
            pool_.push_back(prefix<A>::make(random_.address<A>(), static_cast<unsigned>(random_.below(17))));
        if (A::bits == 32 && once_in(40)) {
            std::vector<route<A>> many;
            for (std::uint32_t i = 0; i < 140'000; ++i)
                many.push_back(
                    {prefix<A>::make(A{static_cast<typename A::value_type>(i << 8)}, 24), hop_of(i)});
            load(std::move(many), "load many");
        } else if (in_bursts_ || !once_in(4)) {
            load(all_routes(), "load");
        }
    }
    static next_hop hop_of(std::uint64_t n) { return {static_cast<std::uint32_t>(n % 7)}; }
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
    // The part of the set that an operation touches. In bursts it is often the part of last time, and from
    // 1/8 to 1/2 of what a table patches before it builds anew.
    std::span<const prefix<A>> some_prefixes(std::size_t most) {
        if (in_bursts_ && !last_.empty() && !once_in(3))
            return last_;
        const std::size_t wanted =
            in_bursts_ ? pool_.size() / 32 + random_.below(pool_.size() * 3 / 32) : 1 + drawn(most);
        const std::size_t count = std::min(pool_.size(), wanted);
        std::size_t at = random_.below(pool_.size() - count + 1);
        // Parts that begin at the same place overlap.
        if (!once_in(3))
            at = random_.below(4) * pool_.size() / 4;
        last_ = std::span(pool_).subspan(std::min(at, pool_.size() - count), count);
        return last_;
    }
    std::vector<route<A>> all_routes() {
        std::vector<route<A>> all;
        for (const prefix<A>& p : pool_)
            all.push_back({p, random_hop()});
        return sorted(std::move(all));
    }
    // Each prefix once, in order or not.
    std::vector<route<A>> some_routes(std::size_t most) {
        std::vector<route<A>> all;
        const bool alike = once_in(2);
        const next_hop hop = random_hop();
        for (const prefix<A>& p : some_prefixes(most))
            all.push_back({p, alike ? hop : random_hop()});
        all = sorted(std::move(all));
        if (once_in(3))
            std::reverse(all.begin(), all.end());
        return all;
    }

    // Runs act(), now and then short of memory.
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
    // Compares after an operation that may have published. `state` is the result of the operation, -1 for
    // those without one.
    void look(int state = -1) {
        const std::uint64_t version = fingerpost_table_version(live_);
        const std::size_t pending = fingerpost_pending(live_);
        const bool moved = version != version_;
        version_ = version;
        if (moved || pending == 0)
            published_ = model_.now();
        counts_.published += moved ? 1 : 0;
        counts_.deferred += pending != 0 ? 1 : 0;
        if (moved && pending != 0)
            fail("published, and " + std::to_string(pending) + " pending");
        if (state == FINGERPOST_PUBLISHED && !moved)
            fail("said published, but the version is the same");
        if (state == FINGERPOST_UNCHANGED && (moved || pending != 0))
            fail("said unchanged, but published or pending");
    }

    void load(std::vector<route<A>> all, const std::string& name) {
        const c_routes in = in_c<A>(all);
        fingerpost_result result{};
        if (attempt(name + " of " + std::to_string(all.size()),
                    [&] { return fingerpost_load(live_, in.data(), in.size(), &result); }) == FINGERPOST_OK) {
            model_.replace(all);
            look(result.state);
        }
        compare(all);
    }
    void replace_all() {
        const std::vector<route<A>> all = some_routes(pool_.size());
        const c_routes in = in_c<A>(all);
        fingerpost_result result{};
        if (attempt("replace_all by " + std::to_string(all.size()), [&] {
                return fingerpost_replace_all(live_, in.data(), in.size(), nullptr, &result);
            }) == FINGERPOST_OK) {
            model_.replace(all);
            look(result.state);
        }
        compare(all);
    }
    void change_one() {
        const prefix<A> p = pool_[random_.below(pool_.size())];
        const fingerpost_prefix where = capi::c_prefix(p);
        const bool is_there = model_.get(p, model_.now()) != next_hop::none;
        const route<A> news{p, is_there && once_in(3) ? next_hop::none : random_hop()};
        if (attempt(text_of(p.base) + "/" + std::to_string(p.length) + " -> " + text_of(news.hop), [&] {
                return news.hop == next_hop::none ? fingerpost_withdraw(live_, &where)
                                                  : fingerpost_announce(live_, &where, news.hop.id);
            }) == FINGERPOST_OK) {
            (void)model_.change({&news, 1});
            look();
        }
        compare({&news, 1});
    }
    // Withdraws only routes that exist.
    std::vector<route<A>> some_changes() {
        std::vector<route<A>> news = some_routes(4000);
        const std::uint64_t share = random_.below(4);
        for (route<A>& r : news)
            if (random_.below(4) < share && model_.get(r.where, model_.now()) != next_hop::none)
                r.hop = next_hop::none;
        return news;
    }
    void transact() {
        const std::vector<route<A>> news = some_changes();
        const c_routes in = in_c<A>(news);
        fingerpost_transaction* begun = nullptr;
        fingerpost_result result{};
        int code =
            attempt("transaction of " + std::to_string(news.size()) + " from " + text_of(news[0].where.base) +
                        "/" + std::to_string(news[0].where.length) + " -> " + text_of(news[0].hop),
                    [&] {
                        int done = fingerpost_begin(live_, &begun);
                        if (done == FINGERPOST_OK)
                            done = fingerpost_transaction_change(begun, in.data(), in.size(), nullptr);
                        return done == FINGERPOST_OK ? fingerpost_commit(begun, &result) : done;
                    });
        if (code != FINGERPOST_OK) {
            compare(news);
            fingerpost_rollback(begun);
            return;
        }
        const std::size_t changed = model_.change(news);
        if (result.changes != changed)
            fail(std::to_string(result.changes) + " changes are told, and " + std::to_string(changed) +
                 " there were");
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
    // Saves, opens, asks the image, and sometimes loads it.
    void save() {
        if (attempt("save", [&] { return fingerpost_save(live_, file_.c_str(), nullptr); }) != FINGERPOST_OK)
            return;
        fingerpost_image* image = nullptr;
        if (fingerpost_open(file_.c_str(), nullptr, &image, nullptr) != FINGERPOST_OK)
            return fail("the image does not open");
        ++counts_.images;
        if (fingerpost_image_count(image) != model_.size())
            fail("the image has another number of routes");
        const std::vector<A> at = boundaries(sample(model_.ever(), 100));
        ask("the image", at, model_.now(), model_.now(), [&](const unsigned char* in, std::uint32_t* out) {
            return fingerpost_image_lookup_batch(image, in, at.size(), out);
        });
        fingerpost_result result{};
        if (once_in(3) && attempt("load the image", [&] {
                              return fingerpost_load_image(live_, image, &result);
                          }) == FINGERPOST_OK)
            look(result.state);
        fingerpost_image_close(image);
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
            change_one();
        else if (choice < 70)
            move_reader();
        else if (choice < 88)
            publish();
        else if (choice < 91)
            replace_all();
        else if (choice < 94)
            load(some_routes(pool_.size()), "load");
        else if (choice < 97)
            reclaim();
        else
            save();
    }
    // All readers let go: then everything can be published, and all of it is compared.
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
        if (fingerpost_count(live_) != model_.size())
            fail("another number of routes");
        table<A> there;
        (void)fingerpost_for_each(
            live_,
            [](const fingerpost_route* r, void* all) {
                static_cast<table<A>*>(all)->push_back(
                    {capi::canonical_of<A>(r->prefix), fingerpost::next_hop{r->next_hop}});
                return 0;
            },
            &there);
        if (there != model_.routes())
            fail("other routes");
        compare({}, 3000);
    }

    // At most `most` of them, some in a row and some anywhere.
    std::vector<prefix<A>> sample(std::span<const prefix<A>> all, std::size_t most) {
        if (all.size() <= most)
            return {all.begin(), all.end()};
        const std::size_t at = random_.below(all.size() - most / 2);
        std::vector<prefix<A>> some(all.begin() + static_cast<std::ptrdiff_t>(at),
                                    all.begin() + static_cast<std::ptrdiff_t>(at + most / 2));
        while (some.size() < most)
            some.push_back(all[random_.below(all.size())]);
        return some;
    }
    static std::vector<A> boundaries(std::span<const prefix<A>> of) {
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
    // Each answer must be the answer of a moment from `from` to `to`.
    template <class Lookup>
    void ask(const std::string& who, const std::vector<A>& at, moment from, moment to, Lookup lookup) {
        std::vector<unsigned char> in(at.size() * address_bytes);
        for (std::size_t i = 0; i < at.size(); ++i)
            capi::write_network(at[i], &in[i * address_bytes]);
        std::vector<std::uint32_t> out(at.size());
        if (lookup(in.data(), out.data()) != FINGERPOST_OK)
            return fail(who + " refuses to look up");
        counts_.compared += at.size();
        for (std::size_t i = 0; i < at.size(); ++i) {
            moment m = from;
            while (m < to && model_.lookup(at[i], m).id != out[i])
                ++m;
            if (model_.lookup(at[i], m).id != out[i])
                return fail(who + " answers " + text_of(next_hop{out[i]}) + " at " + text_of(at[i]) +
                            ", the model " + text_of(model_.lookup(at[i], from)) + " (moment " +
                            std::to_string(from) + " to " + std::to_string(to) + " of " +
                            std::to_string(model_.now()) + ")");
        }
    }
    // Compares all prefixes touched just now, up to some thousands, and some of those touched before.
    void compare(std::span<const route<A>> touched, std::size_t before = 16) {
        std::vector<prefix<A>> of;
        for (const route<A>& r : touched)
            of.push_back(r.where);
        of = sample(of, scaled(4000));
        for (const prefix<A>& p : of) {
            std::uint32_t hop = FINGERPOST_NO_ROUTE;
            const fingerpost_prefix where = capi::c_prefix(p);
            (void)fingerpost_get(live_, &where, &hop);
            if (hop != model_.get(p, model_.now()).id)
                return fail("the table has " + text_of(next_hop{hop}) + " for " + text_of(p.base) + "/" +
                            std::to_string(p.length) + ", the model " + text_of(model_.get(p, model_.now())));
        }
        for (const prefix<A>& p : sample(model_.ever(), before))
            of.push_back(p);
        const std::vector<A> at = boundaries(of);
        const auto ask_reader = [&](const std::string& who, fingerpost_reader* by, moment from, moment to) {
            ask(who, at, from, to, [&](const unsigned char* in, std::uint32_t* out) {
                return fingerpost_lookup_batch(by, in, at.size(), out);
            });
        };
        ask_reader("a fresh reader", fresh_, published_, published_);
        for (std::size_t i = 0; i < readers_.size(); ++i)
            if (const auto& [by, pinned] = readers_[i]; pinned) {
                counts_.pinned_old += *pinned != published_ ? 1 : 0;
                // A FIB that is patched in place shows later routes too.
                ask_reader("reader " + std::to_string(i), by, *pinned, in_place_ ? published_ : *pinned);
            }
    }

    random_numbers random_;
    const std::filesystem::path& file_;
    model_counts& counts_;
    fingerpost_table* live_ = nullptr;
    fingerpost_reader* fresh_ = nullptr;
    std::vector<pinning> readers_;
    history<A> model_;
    std::vector<prefix<A>> pool_;
    std::span<const prefix<A>> last_; // of `pool_`: what was touched last time
    std::uint64_t version_ = 0;
    moment published_ = 0;   // the version that a reader sees when it pins now
    bool in_bursts_ = false; // with so many changes that some lists of them are given up for a build
    bool in_place_ = false;
    std::string told_;
    std::string fault_;
};

} // namespace fingerpost::testing
