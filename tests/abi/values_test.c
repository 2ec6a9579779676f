// Tables of bytes: readers keep their bytes while the writer replaces them; transactions; saving and loading.
#define _POSIX_C_SOURCE 200809L
#include <fingerpost.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "tests/abi/checks.h"

static fingerpost_table* table;
static fingerpost_reader* reader;

static fingerpost_prefix at(const char* text) {
    fingerpost_prefix p;
    CHECK(fingerpost_parse_prefix(text, &p) == FINGERPOST_OK);
    return p;
}

static fingerpost_table* make_table(void) {
    fingerpost_options o = {0};
    fingerpost_table* made = NULL;
    o.keep_bytes = 1;
    CHECK(fingerpost_create(&o, &made) == FINGERPOST_OK);
    return made;
}

static int announce(const char* prefix, const char* bytes) {
    const fingerpost_prefix p = at(prefix);
    return fingerpost_announce_bytes(table, &p, bytes, strlen(bytes));
}

// Whether the reader finds these bytes for the address, or no route if `wanted` is null.
static int has(fingerpost_reader* by, const char* address, const char* wanted) {
    uint32_t hop = 0;
    int family = 0;
    size_t size = 77;
    CHECK(fingerpost_lookup_text(by, address, &hop, &family) == FINGERPOST_OK);
    const char* const found = fingerpost_value(by, family, hop, 0, &size);
    if (wanted == NULL || found == NULL)
        return wanted == found && size == 77;
    return strcmp(found, wanted) == 0 && size == strlen(wanted);
}

static void versions(void) {
    fingerpost_reader* old = NULL;
    CHECK(fingerpost_reader_create(table, &old) == FINGERPOST_OK);
    CHECK(announce("10.0.0.0/8", "ten") == FINGERPOST_OK &&
          announce("2001:db8::/32", "six") == FINGERPOST_OK);
    uint32_t hop = 0;
    CHECK(fingerpost_lookup_text(old, "10.0.0.1", &hop, NULL) == FINGERPOST_OK && hop != FINGERPOST_NO_ROUTE);
    CHECK(fingerpost_value(old, 4, hop, 0, NULL) == NULL); // not pinned
    CHECK(strcmp(fingerpost_last_error()->text, "the reader is not pinned") == 0);
    fingerpost_reader_pin(old);
    CHECK(has(old, "10.0.0.1", "ten") && has(old, "2001:db8::1", "six") && has(old, "::1", NULL));
    CHECK(fingerpost_value(old, 4, hop, 1, NULL) == NULL);
    // The pinned version keeps its bytes even when the table replaces them.
    const char* const kept = fingerpost_value(old, 4, hop, 0, NULL);
    CHECK(announce("10.0.0.0/8", "a text that is too long to be kept within a small string") ==
          FINGERPOST_OK);
    for (int i = 0; i < 100; ++i)
        CHECK(announce("10.0.0.0/8", i % 2 ? "odd" : "even") == FINGERPOST_OK);
    CHECK(fingerpost_withdraw_text(table, "2001:db8::/32") == FINGERPOST_OK);
    CHECK(strcmp(kept, "ten") == 0 && has(old, "10.0.0.1", "ten") && has(old, "2001:db8::1", "six"));
    fingerpost_reader_pin(reader);
    fingerpost_reader_pin(old);
    while (fingerpost_pending(table) != 0)
        CHECK(fingerpost_publish(table, NULL) == FINGERPOST_OK);
    fingerpost_reader_pin(old);
    CHECK(has(old, "10.0.0.1", "odd") && has(old, "2001:db8::1", NULL));
    fingerpost_reader_destroy(old);
    fingerpost_reader_unpin(reader);
    fingerpost_reclaim(table);
}

static void refusals(void) {
    const fingerpost_prefix p = at("10.0.0.0/8");
    const fingerpost_route r = {p, 1};
    fingerpost_transaction* in = NULL;
    fingerpost_table* hops = NULL;
    CHECK(fingerpost_announce(table, &p, 1) == FINGERPOST_UNSUPPORTED);
    CHECK(strcmp(fingerpost_last_error()->text, "this table has bytes instead of next hops") == 0);
    CHECK(fingerpost_load(table, &r, 1, NULL) == FINGERPOST_UNSUPPORTED);
    CHECK(fingerpost_replace_all(table, &r, 1, NULL, NULL) == FINGERPOST_UNSUPPORTED);
    CHECK(fingerpost_announce_bytes(table, &p, NULL, 1) == FINGERPOST_INVALID);
    CHECK(fingerpost_announce_bytes(table, NULL, "", 0) == FINGERPOST_INVALID);
    CHECK(fingerpost_announce_bytes(NULL, &p, "", 0) == FINGERPOST_INVALID);
    CHECK(fingerpost_begin(table, &in) == FINGERPOST_OK);
    CHECK(fingerpost_transaction_announce(in, &p, 1) == FINGERPOST_UNSUPPORTED);
    size_t taken = 9;
    CHECK(fingerpost_transaction_change(in, &r, 1, &taken) == FINGERPOST_UNSUPPORTED && taken == 0);
    CHECK(fingerpost_transaction_announce_bytes(in, &p, NULL, 1) == FINGERPOST_INVALID);
    fingerpost_rollback(in);
    CHECK(fingerpost_create(NULL, &hops) == FINGERPOST_OK);
    CHECK(fingerpost_load_table(table, hops, NULL) == FINGERPOST_UNSUPPORTED);
    CHECK(fingerpost_load_table(hops, table, NULL) == FINGERPOST_UNSUPPORTED);
    CHECK(fingerpost_columns(hops, 4) == 0 && fingerpost_column_name(hops, 4, 0, NULL) == NULL);
    CHECK(fingerpost_begin(hops, &in) == FINGERPOST_OK);
    CHECK(fingerpost_transaction_announce_bytes(in, &p, "", 0) == FINGERPOST_UNSUPPORTED);
    fingerpost_rollback(in);
    CHECK(fingerpost_destroy(hops) == FINGERPOST_OK);
    CHECK(fingerpost_columns(table, 4) == 1 && fingerpost_columns(table, 5) == 0);
    CHECK(fingerpost_rows(table, 4) == 0 && fingerpost_columns(NULL, 4) == 0 &&
          fingerpost_rows(NULL, 4) == 0);
    CHECK(strcmp(fingerpost_column_name(table, 6, 0, NULL), "value") == 0);
    CHECK(fingerpost_column_name(table, 6, 1, NULL) == NULL);
}

// Both families change, or neither does.
static void transactions(void) {
    const fingerpost_prefix four = at("192.0.2.0/24"), six = at("2001:db8:7::/48"), gone = at("10.0.0.0/8");
    fingerpost_route go = {gone, FINGERPOST_NO_ROUTE};
    for (int keeps = 0; keeps < 2; ++keeps) {
        fingerpost_transaction* in = NULL;
        CHECK(fingerpost_begin(table, &in) == FINGERPOST_OK);
        CHECK(fingerpost_transaction_announce_bytes(in, &four, "early", 5) == FINGERPOST_OK);
        CHECK(fingerpost_transaction_announce_bytes(in, &four, "new", 3) == FINGERPOST_OK);
        CHECK(fingerpost_transaction_announce_bytes(in, &six, "a\0b", 3) == FINGERPOST_OK);
        CHECK(fingerpost_transaction_change(in, &go, 1, NULL) == FINGERPOST_OK);
        CHECK(fingerpost_transaction_withdraw(in, &go.prefix) == FINGERPOST_NOT_FOUND ||
              fingerpost_last_error()->code != FINGERPOST_OK);
        if (!keeps)
            fingerpost_rollback(in);
        else
            CHECK(fingerpost_commit(in, NULL) == FINGERPOST_OK);
        fingerpost_reader_pin(reader);
        CHECK(has(reader, "192.0.2.1", keeps ? "new" : NULL) &&
              has(reader, "10.0.0.1", keeps ? NULL : "odd"));
        fingerpost_reader_unpin(reader);
    }
    uint32_t hop = 0;
    size_t size = 0;
    fingerpost_reader_pin(reader);
    CHECK(fingerpost_lookup_text(reader, "2001:db8:7::1", &hop, NULL) == FINGERPOST_OK);
    CHECK(memcmp(fingerpost_value(reader, 6, hop, 0, &size), "a\0b", 4) == 0 && size == 3);
    fingerpost_reader_unpin(reader);
    fingerpost_memory_parts parts;
    CHECK(fingerpost_memory(table, &parts) >= parts.values && parts.values > 0);
}

static void files(void) {
    char path[256];
    name_temporary(path, sizeof path);
    const int made = mkstemp(path);
    CHECK(made >= 0 && close(made) == 0);
    CHECK(announce("::ffff:10.0.0.0/104", "mapped") == FINGERPOST_OK);
    CHECK(fingerpost_save(table, path) == FINGERPOST_OK);
    fingerpost_table *file = NULL, *copy = make_table();
    fingerpost_reader* of_file = NULL;
    CHECK(fingerpost_open(path, NULL, &file) == FINGERPOST_OK);
    CHECK(fingerpost_count(file, 4) == 1 && fingerpost_count(file, 6) == 2);
    CHECK(fingerpost_columns(file, 6) == 1 && fingerpost_rows(file, 6) == 2);
    CHECK(strcmp(fingerpost_column_name(file, 4, 0, NULL), "value") == 0);
    CHECK(fingerpost_reader_create(file, &of_file) == FINGERPOST_OK);
    CHECK(has(of_file, "192.0.2.1", "new") && has(of_file, "::ffff:10.1.1.1", "mapped"));
    fingerpost_table* const before = table;
    table = copy;
    CHECK(announce("10.9.0.0/16", "is replaced") == FINGERPOST_OK);
    table = before;
    const fingerpost_table* const from[] = {file, table, copy};
    for (int i = 0; i < 3; ++i) {
        fingerpost_result done = {0, 0, -1};
        fingerpost_reader* by = NULL;
        CHECK(fingerpost_load_table(copy, from[i], &done) == FINGERPOST_OK);
        CHECK(done.state == (i == 0 ? FINGERPOST_PUBLISHED : FINGERPOST_UNCHANGED) || i > 0);
        CHECK(fingerpost_count(copy, 4) == 1 && fingerpost_count(copy, 6) == 2);
        CHECK(fingerpost_reader_create(copy, &by) == FINGERPOST_OK && fingerpost_reader_pin(by) > 1);
        CHECK(has(by, "192.0.2.1", "new") && has(by, "::ffff:10.1.1.1", "mapped") &&
              has(by, "10.9.0.1", NULL));
        fingerpost_route best;
        uint8_t address[4] = {10, 1, 1, 1};
        CHECK(fingerpost_match(copy, 4, address, &best) == FINGERPOST_OK && best.prefix.family == 6);
        CHECK(strcmp(fingerpost_value(by, 6, best.next_hop, 0, NULL), "mapped") == 0);
        fingerpost_reader_destroy(by);
    }
    fingerpost_reader_destroy(of_file);
    CHECK(fingerpost_destroy(copy) == FINGERPOST_OK && fingerpost_destroy(file) == FINGERPOST_OK);
    CHECK(remove(path) == 0);
}

// The writer replaces bytes of both families by equal ones while a thread reads them, copies the table and
// saves it.
static int rounds;             // completed by the thread
static fingerpost_table* copy; // owned by the thread
static const char last_value[] = "the last of those values, which are long";

enum { MOST_ROUNDS = 1024 };

static int copies(const char* path) {
    fingerpost_reader* by = NULL;
    uint32_t hop = 0;
    if (fingerpost_load_table(copy, table, NULL) != FINGERPOST_OK ||
        fingerpost_save(table, path) != FINGERPOST_OK || fingerpost_reader_create(copy, &by) != FINGERPOST_OK)
        return 0;
    fingerpost_reader_pin(by);
    fingerpost_lookup_text(by, "192.0.2.1", &hop, NULL);
    const char* const copied = fingerpost_value(by, 4, hop, 0, NULL);
    const int is_right =
        copied != NULL && (strncmp(copied, "value ", 6) == 0 || strcmp(copied, last_value) == 0);
    fingerpost_reader_destroy(by);
    return is_right;
}

static void* look(void* wrong) {
    char path[256];
    name_temporary(path, sizeof path);
    const int made = mkstemp(path);
    fingerpost_reader* by = NULL;
    if (made < 0 || close(made) != 0 || fingerpost_reader_create(table, &by) != FINGERPOST_OK)
        return NULL;
    for (int is_last = 0, round = 0; !is_last; ++round) {
        uint32_t four = 0, six = 0;
        fingerpost_reader_pin(by);
        fingerpost_lookup_text(by, "192.0.2.1", &four, NULL);
        fingerpost_lookup_text(by, "2001:db8:7::1", &six, NULL);
        const char* const a = fingerpost_value(by, 4, four, 0, NULL);
        const char* const b = fingerpost_value(by, 6, six, 0, NULL);
        *(int*)wrong += a == NULL || b == NULL || strcmp(a, b) != 0;
        is_last = a != NULL && strcmp(a, last_value) == 0;
        fingerpost_reader_unpin(by);
        if (round % 64 == 0 && round < MOST_ROUNDS)
            *(int*)wrong += !copies(path);
        __atomic_store_n(&rounds, round, __ATOMIC_RELAXED);
    }
    fingerpost_reader_destroy(by);
    *(int*)wrong += remove(path) != 0;
    return NULL;
}

static void threads(void) {
    const fingerpost_prefix prefixes[2] = {at("192.0.2.0/24"), at("2001:db8:7::/48")};
    pthread_t thread;
    int wrong = 0;
    copy = make_table();
    for (int i = 0, is_last = 0; !is_last; ++i) {
        char bytes[64];
        fingerpost_transaction* in = NULL;
        is_last = i > 2000 && __atomic_load_n(&rounds, __ATOMIC_RELAXED) > MOST_ROUNDS;
        snprintf(bytes, sizeof bytes, is_last ? last_value : "value %d, one of those that are long", i);
        CHECK(fingerpost_begin(table, &in) == FINGERPOST_OK);
        for (int k = 0; k < 2; ++k)
            CHECK(fingerpost_transaction_announce_bytes(in, &prefixes[k], bytes, strlen(bytes)) ==
                  FINGERPOST_OK);
        CHECK(fingerpost_commit(in, NULL) == FINGERPOST_OK);
        if (i == 0)
            CHECK(pthread_create(&thread, NULL, look, &wrong) == 0);
    }
    while (fingerpost_pending(table) != 0)
        CHECK(fingerpost_publish(table, NULL) == FINGERPOST_OK);
    CHECK(pthread_join(thread, NULL) == 0 && wrong == 0);
    CHECK(fingerpost_destroy(copy) == FINGERPOST_OK);
}

int main(void) {
    table = make_table();
    CHECK(fingerpost_reader_create(table, &reader) == FINGERPOST_OK);
    versions();
    refusals();
    transactions();
    files();
    threads();
    fingerpost_reader_destroy(reader);
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
    return finish(500);
}
