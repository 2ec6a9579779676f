// Every allocation of the C interface fails in turn: each function reports the failure and changes nothing,
// and tables, readers, transactions and images leave nothing allocated after they are destroyed.
#include <functional>
#include <string>
#include <vector>

#include "tests/faults/each_allocation.hpp"
#include "tests/faults/open_files.hpp"
#include "tests/support/c_interface.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing::of_capi {
namespace {

int ignore(const fingerpost_route*, void*) {
    return 0;
}

template <class A>
int collect(const fingerpost_route* r, void* context) {
    static_cast<table<A>*>(context)->push_back(
        {capi::canonical_of<A>(r->prefix), fingerpost::next_hop{r->next_hop}});
    return 0;
}

// Two sets of routes, a table with the first one, and a file with the second one.
template <class A>
class scene {
  public:
    scene() {
        must(fingerpost_create(nullptr, &live_));
        restore(true);
        must(fingerpost_open(path_.c_str(), nullptr, &image_));
        must(fingerpost_reader_create(live_, &by_));
    }
    scene(const scene&) = delete;
    scene& operator=(const scene&) = delete;
    ~scene() {
        fingerpost_reader_destroy(by_);
        must(fingerpost_destroy(image_));
        must(fingerpost_destroy(live_));
    }

    static void must(int code) { ASSERT_EQ(code, FINGERPOST_OK); }
    void restore(bool file_too) {
        if (file_too) {
            must(fingerpost_load(live_, in_c(second_).data(), second_.size(), nullptr));
            must(fingerpost_save(live_, path_.c_str()));
        }
        must(fingerpost_load(live_, in_c(first_).data(), first_.size(), nullptr));
    }

    // Compares the table, its readers and the file with the expected routes.
    void expect(const table<A>& in_table, const table<A>& in_file) const {
        table<A> there;
        must(fingerpost_for_each(live_, FINGERPOST_BOTH, collect<A>, &there));
        ASSERT_EQ(there, in_table);
        ASSERT_EQ(fingerpost_pending(live_), 0u);
        const oracle::by_parent<A> truth{std::span<const route<A>>(in_table)};
        for (const A a : oracle::probes<A>(in_table)) {
            unsigned char bytes[16];
            capi::write_network(a, bytes);
            ASSERT_EQ(fingerpost_lookup(by_, family<A>, bytes), truth.lookup(a).id) << text_of(a);
        }
        const auto saved = fingerpost::image<A>::open(path_);
        ASSERT_TRUE(saved) << to_string(saved.error());
        ASSERT_EQ(saved->copy_routes(), in_file);
        ASSERT_EQ(folder_.files(), 1u);
    }

    const table<A>& first() const { return first_; }
    const table<A>& second() const { return second_; }
    const fs::path& path() const { return path_; }
    fingerpost_table* live() const { return live_; }
    const fingerpost_table* image() const { return image_; }

  private:
    const scratch_folder folder_;
    const fs::path path_ = folder_ / "a.image";
    const table<A> first_ = mixed_routes<A>(1, 30, 9);
    const table<A> second_ = mixed_routes<A>(2, 35, 9);
    fingerpost_table* live_ = nullptr;
    fingerpost_table* image_ = nullptr;
    fingerpost_reader* by_ = nullptr;
};

// An operation, and the routes in the table and in the file when it succeeds.
template <class A>
struct c_operation {
    std::string name;
    std::function<int()> act;
    table<A> in_table;
    table<A> in_file;
};

int commit_or_roll_back(fingerpost_transaction* in, int code) {
    if (code == FINGERPOST_OK)
        code = fingerpost_commit(in, nullptr);
    if (code != FINGERPOST_OK)
        fingerpost_rollback(in);
    return code;
}
int transact(fingerpost_table* on, const c_routes& gone, const c_routes& added) {
    fingerpost_transaction* in = nullptr;
    int code = fingerpost_begin(on, &in);
    for (std::size_t i = 0; i < gone.size() && code == FINGERPOST_OK; ++i)
        code = fingerpost_transaction_withdraw(in, &gone[i].prefix);
    for (std::size_t i = 0; i < added.size() && code == FINGERPOST_OK; ++i)
        code = fingerpost_transaction_announce(in, &added[i].prefix, added[i].next_hop);
    return commit_or_roll_back(in, code);
}
int transact_in_one_call(fingerpost_table* on, const c_routes& changes) {
    fingerpost_transaction* in = nullptr;
    int code = fingerpost_begin(on, &in);
    if (code == FINGERPOST_OK)
        code = fingerpost_transaction_change(in, changes.data(), changes.size(), nullptr);
    return commit_or_roll_back(in, code);
}

template <class A>
std::vector<c_operation<A>> changes(const scene<A>& s) {
    const c_routes first = in_c(s.first()), second = in_c(s.second());
    c_routes exchange = first;
    for (fingerpost_route& r : exchange)
        r.next_hop = FINGERPOST_NO_ROUTE;
    exchange.insert(exchange.end(), second.begin(), second.end());
    fingerpost_table* const live = s.live();
    table<A> shorter = s.first(), longer = s.first();
    const route<A> gone = shorter.back();
    shorter.pop_back();
    const route<A> added{prefix<A>::make(A::last(), A::bits), fingerpost::next_hop{77}};
    longer.push_back(added);
    return {
        {"load", [=] { return fingerpost_load(live, second.data(), second.size(), nullptr); }, s.second(),
         s.second()},
        {"load_table", [&s] { return fingerpost_load_table(s.live(), s.image(), nullptr); }, s.second(),
         s.second()},
        {"replace_all",
         [=] { return fingerpost_replace_all(live, second.data(), second.size(), nullptr, nullptr); },
         s.second(), s.second()},
        {"announce",
         [=] {
             const fingerpost_route r = capi::c_route(added);
             return fingerpost_announce(live, &r.prefix, r.next_hop);
         },
         sorted(longer), s.second()},
        {"withdraw",
         [=] {
             const fingerpost_route r = capi::c_route(gone);
             return fingerpost_withdraw(live, &r.prefix);
         },
         shorter, s.second()},
        {"transaction", [=] { return transact(live, first, second); }, s.second(), s.second()},
        {"transaction_change", [=] { return transact_in_one_call(live, exchange); }, s.second(), s.second()},
        {"reader",
         [=] {
             fingerpost_reader* by = nullptr;
             const int code = fingerpost_reader_create(live, &by);
             fingerpost_reader_destroy(by);
             return code;
         },
         s.first(), s.second()},
        {"save", [&s] { return fingerpost_save(s.live(), s.path().c_str()); }, s.first(), s.first()},
    };
}

// Operations that change neither the table nor the file, and keep no memory whether or not they succeed.
template <class A>
std::vector<c_operation<A>> questions(const scene<A>& s) {
    fingerpost_table* const live = s.live();
    const auto question = [&](const char* name, std::function<int()> act) {
        return c_operation<A>{name, std::move(act), s.first(), s.second()};
    };
    return {
        question("create",
                 [] {
                     fingerpost_table* made = nullptr;
                     const int code = fingerpost_create(nullptr, &made);
                     fingerpost_destroy(made);
                     return code;
                 }),
        question("open",
                 [&s] {
                     fingerpost_table* opened = nullptr;
                     const int code = fingerpost_open(s.path().c_str(), nullptr, &opened);
                     fingerpost_destroy(opened);
                     const std::string_view why = fingerpost_last_error()->text;
                     return code == FINGERPOST_OK || why.ends_with("out of memory") ||
                                    code == FINGERPOST_CAPACITY
                                ? code
                                : -1;
                 }),
        question("open what is not there",
                 [] {
                     fingerpost_table* opened = nullptr;
                     const int code = fingerpost_open("/none/such.image", nullptr, &opened);
                     const std::string_view why = fingerpost_last_error()->text;
                     if (!why.starts_with("/none/such.image: "))
                         return -1;
                     return code == FINGERPOST_SYSTEM ? FINGERPOST_OK : code;
                 }),
        question("a wrong text",
                 [] {
                     fingerpost_prefix read{};
                     const int code = fingerpost_parse_prefix("10.0.0.0/33", &read);
                     const bool is_right =
                         code == FINGERPOST_INVALID && fingerpost_last_error()->column == 10;
                     return is_right ? FINGERPOST_OK : -1;
                 }),
        question("a reader of an image",
                 [&s] {
                     fingerpost_reader* by = nullptr;
                     auto* const of = const_cast<fingerpost_table*>(s.image());
                     const int code = fingerpost_reader_create(of, &by);
                     fingerpost_reader_destroy(by);
                     return code;
                 }),
        question("for_each", [=] { return fingerpost_for_each(live, FINGERPOST_BOTH, ignore, nullptr); }),
        question("for_each_covering",
                 [=, host = capi::c_prefix(prefix<A>::make(s.first()[9].where.base, A::bits))] {
                     return fingerpost_for_each_covering(live, &host, ignore, nullptr);
                 }),
        question("for_each_covered",
                 [=] {
                     const fingerpost_prefix all = capi::c_prefix(prefix<A>{});
                     return fingerpost_for_each_covered(live, &all, ignore, nullptr);
                 }),
        question("for_each of an image",
                 [&s] { return fingerpost_for_each(s.image(), family<A>, ignore, nullptr); }),
    };
}

template <class A>
class CFaults : public ::testing::Test {};
using widths = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(CFaults, widths);

template <class A>
std::size_t fail_each(scene<A>& s, const c_operation<A>& one, bool keeps_nothing) {
    SCOPED_TRACE(one.name);
    int code = FINGERPOST_OK;
    const std::size_t descriptors = open_files();
    return fail_each_allocation(
        [&] {
            code = one.act();
            return code == FINGERPOST_OK;
        },
        [&](const attempt& made) {
            ASSERT_TRUE(made.done || made.is_reason(static_cast<errc>(code))) << code;
            ASSERT_EQ(open_files(), descriptors);
            if (keeps_nothing) {
                ASSERT_EQ(made.kept, 0u);
            }
            s.expect(made.done ? one.in_table : s.first(), made.done ? one.in_file : s.second());
            if (made.done)
                s.restore(one.in_file != s.second());
        });
}

TYPED_TEST(CFaults, WhatFailsHasNotHappened) {
    scene<TypeParam> s;
    ASSERT_FALSE(this->HasFailure());
    // A withdrawal may succeed without allocating.
    std::size_t failures = 0;
    for (const auto& one : changes(s))
        failures += fail_each(s, one, false);
    EXPECT_GE(failures, 30u);
}

TYPED_TEST(CFaults, QuestionsKeepNothing) {
    scene<TypeParam> s;
    ASSERT_FALSE(this->HasFailure());
    std::size_t failures = 0;
    for (const auto& one : questions(s))
        failures += fail_each(s, one, true);
    EXPECT_GE(failures, 20u);
}

// Runs a whole program and stops at the first function that fails, with the usual cleanup. `plausible`
// becomes false when a failure has another reason than lack of memory.
template <class A>
bool live_and_die(const c_routes& all, const char* path, bool& plausible) {
    fingerpost_options options{};
    options.hold_commits = 1;
    fingerpost_table* live = nullptr;
    fingerpost_reader* by = nullptr;
    fingerpost_transaction* in = nullptr;
    fingerpost_table* saved = nullptr;
    const auto fine = [&](int code) {
        plausible = plausible && (code == FINGERPOST_OK || code == FINGERPOST_OUT_OF_MEMORY ||
                                  code == FINGERPOST_CAPACITY || code == FINGERPOST_SYSTEM);
        return code == FINGERPOST_OK;
    };
    bool done = fine(fingerpost_create(&options, &live)) &&
                fine(fingerpost_load(live, all.data(), all.size(), nullptr)) &&
                fine(fingerpost_reader_create(live, &by)) && fine(fingerpost_begin(live, &in)) &&
                fine(fingerpost_transaction_announce(in, &all[0].prefix, 99)) &&
                fine(fingerpost_transaction_withdraw(in, &all[1].prefix));
    if (done && (done = fine(fingerpost_commit(in, nullptr))))
        in = nullptr;
    done = done && fine(fingerpost_publish(live, nullptr)) &&
           fine(fingerpost_replace_all(live, all.data(), all.size(), nullptr, nullptr)) &&
           fine(fingerpost_withdraw(live, &all[0].prefix)) && fine(fingerpost_publish(live, nullptr)) &&
           fine(fingerpost_save(live, path)) && // late in the sequence, because it waits for the disk
           fine(fingerpost_open(path, nullptr, &saved)) && fine(fingerpost_load_table(live, saved, nullptr));
    fingerpost_destroy(saved);
    fingerpost_rollback(in);
    fingerpost_reader_destroy(by);
    return fine(fingerpost_destroy(live)) && done;
}

// A table of bytes with these routes, in the form PREFIX=BYTES, one after the other.
std::string contents(fingerpost_table* of) {
    struct walk {
        fingerpost_reader* by;
        std::string all;
    } seen{};
    if (fingerpost_reader_create(of, &seen.by) != FINGERPOST_OK)
        return "no reader";
    fingerpost_reader_pin(seen.by);
    const auto add = [](const fingerpost_route* r, void* context) {
        auto& to = *static_cast<walk*>(context);
        char text[FINGERPOST_TEXT_BYTES];
        (void)fingerpost_format_prefix(&r->prefix, text, sizeof text);
        to.all += std::string(text) + "=" +
                  fingerpost_value(to.by, r->prefix.family, r->next_hop, 0, nullptr) + " ";
        return 0;
    };
    (void)fingerpost_for_each(of, FINGERPOST_BOTH, add, &seen);
    fingerpost_reader_destroy(seen.by);
    return seen.all;
}

const std::string first_bytes = "one that is long enough to be allocated",
                  second_bytes = "two, which is long as well, and other";

int announce_bytes(fingerpost_table* to, const char* text, const std::string& bytes) {
    fingerpost_prefix where{};
    (void)fingerpost_parse_prefix(text, &where);
    return fingerpost_announce_bytes(to, &where, bytes.data(), bytes.size());
}
int transact_bytes(fingerpost_table* on) {
    fingerpost_transaction* in = nullptr;
    fingerpost_prefix four{}, six{};
    (void)fingerpost_parse_prefix("10.0.0.0/8", &four);
    (void)fingerpost_parse_prefix("2001:db8::/32", &six);
    int code = fingerpost_begin(on, &in);
    if (code == FINGERPOST_OK)
        code = fingerpost_transaction_withdraw(in, &four);
    if (code == FINGERPOST_OK)
        code = fingerpost_transaction_announce_bytes(in, &six, second_bytes.data(), second_bytes.size());
    return commit_or_roll_back(in, code);
}

// Each operation on a table of bytes succeeds or changes nothing.
TEST(CFaultsOfBytes, WhatFailsHasNotHappened) {
    const scratch_folder folder;
    const std::string path = folder / "a.image";
    fingerpost_options options{};
    options.keep_bytes = 1;
    fingerpost_table *live = nullptr, *other = nullptr;
    ASSERT_EQ(fingerpost_create(&options, &live), FINGERPOST_OK);
    ASSERT_EQ(fingerpost_create(&options, &other), FINGERPOST_OK);
    ASSERT_EQ(announce_bytes(other, "2001:db8::/32", second_bytes), FINGERPOST_OK);
    const auto restore = [&] {
        ASSERT_EQ(fingerpost_load_table(live, other, nullptr), FINGERPOST_OK);
        ASSERT_EQ(announce_bytes(live, "10.0.0.0/8", first_bytes), FINGERPOST_OK);
        ASSERT_EQ(announce_bytes(live, "2001:db8::/32", first_bytes), FINGERPOST_OK);
    };
    restore();
    const std::string before = "10.0.0.0/8=" + first_bytes + " 2001:db8::/32=" + first_bytes + " ";
    const std::string only_six = "2001:db8::/32=" + second_bytes + " ";
    struct act {
        std::function<int()> run;
        std::string after;
    };
    const std::vector<act> all = {
        {[&] { return announce_bytes(live, "10.0.0.0/8", second_bytes); },
         "10.0.0.0/8=" + second_bytes + " 2001:db8::/32=" + first_bytes + " "},
        {[&] { return fingerpost_withdraw_text(live, "10.0.0.0/8"); }, "2001:db8::/32=" + first_bytes + " "},
        {[&] { return transact_bytes(live); }, only_six},
        {[&] { return fingerpost_load_table(live, other, nullptr); }, only_six},
        {[&] { return fingerpost_save(live, path.c_str()); }, before},
    };
    std::size_t failures = 0;
    for (const act& one : all) {
        int code = FINGERPOST_OK;
        failures += fail_each_allocation([&] { return (code = one.run()) == FINGERPOST_OK; },
                                         [&](const attempt& made) {
                                             ASSERT_TRUE(made.done || made.is_reason(static_cast<errc>(code)))
                                                 << code;
                                             ASSERT_EQ(contents(live), made.done ? one.after : before);
                                             if (made.done)
                                                 restore();
                                         });
    }
    EXPECT_GE(failures, 20u);
    EXPECT_EQ(fingerpost_destroy(live), FINGERPOST_OK);
    EXPECT_EQ(fingerpost_destroy(other), FINGERPOST_OK);
}

TYPED_TEST(CFaults, AWholeLifeLeavesNothing) {
    using A = TypeParam;
    const scratch_folder folder;
    const fs::path path = folder / "a.image";
    const c_routes all = in_c(mixed_routes<A>(1, 12, 9));
    bool plausible = true;
    const std::size_t descriptors = open_files();
    const std::size_t failures =
        fail_each_allocation([&] { return live_and_die<A>(all, path.c_str(), plausible); },
                             [&](const attempt& made) {
                                 ASSERT_TRUE(plausible);
                                 ASSERT_EQ(made.kept, 0u);
                                 ASSERT_EQ(open_files(), descriptors);
                                 ASSERT_EQ(mappings_of(path), 0u);
                                 ASSERT_LE(folder.files(), 1u);
                             });
    EXPECT_GE(failures, all_samples() ? 100u : 40u);
    this->RecordProperty("failures", std::to_string(failures));
}

} // namespace
} // namespace fingerpost::testing::of_capi
