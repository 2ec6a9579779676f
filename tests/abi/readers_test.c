// Readers: pinned versions, the cost of stalled readers for the writer, batches of every length, callbacks
// that change the table, and threads that look up while it changes.
#include <fingerpost.h>
#include <pthread.h>
#include <string.h>

#include "tests/abi/checks.h"

static fingerpost_prefix at(const char* text) {
    fingerpost_prefix p;
    CHECK(fingerpost_parse_prefix(text, &p) == FINGERPOST_OK);
    return p;
}

static const uint8_t ten[4] = {10, 0, 0, 1};

static void pins(void) {
    fingerpost_table* t = NULL;
    fingerpost_reader *a = NULL, *b = NULL;
    fingerpost_stall stall;
    const fingerpost_prefix p = at("10.0.0.0/8");
    CHECK(fingerpost_create(NULL, &t) == FINGERPOST_OK);
    CHECK(fingerpost_reader_create(t, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_reader_create(NULL, &a) == FINGERPOST_INVALID);
    CHECK(fingerpost_reader_create(t, &a) == FINGERPOST_OK);
    CHECK(fingerpost_reader_create(t, &b) == FINGERPOST_OK);
    CHECK(fingerpost_reader_pin(a) == 1 && fingerpost_reader_pin(NULL) == 0);
    CHECK(fingerpost_announce(t, &p, 5) == FINGERPOST_OK);
    CHECK(fingerpost_lookup(a, 4, ten) == FINGERPOST_NO_ROUTE && fingerpost_lookup(b, 4, ten) == 5);
    CHECK(fingerpost_stalled(t, &stall) == FINGERPOST_OK);
    CHECK(stall.readers == 1 && stall.publications == 1 && stall.versions == 1 && stall.bytes > 0);
    CHECK(fingerpost_reader_pin(a) == 2 && fingerpost_lookup(a, 4, ten) == 5);
    CHECK(fingerpost_stalled(t, &stall) == FINGERPOST_OK && stall.readers == 0 && stall.versions == 0);
    fingerpost_reader_unpin(a);
    fingerpost_reader_unpin(a);
    fingerpost_reader_unpin(NULL);
    CHECK(fingerpost_lookup(NULL, 4, ten) == FINGERPOST_NO_ROUTE);
    CHECK(fingerpost_lookup(a, 4, NULL) == FINGERPOST_NO_ROUTE);
    CHECK(fingerpost_lookup(a, 5, ten) == FINGERPOST_NO_ROUTE);
    fingerpost_reader_destroy(b);
    CHECK(fingerpost_destroy(t) == FINGERPOST_INVALID);
    CHECK(fingerpost_reader_pin(a) == 2);
    fingerpost_reader_destroy(a);
    fingerpost_reader_destroy(NULL);
    CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
}

// Held commits wait for publish(). Publication is deferred when readers hold the maximum number of old
// versions.
static void put_off(void) {
    fingerpost_table* t = NULL;
    fingerpost_reader* r = NULL;
    fingerpost_transaction* in = NULL;
    fingerpost_result done;
    fingerpost_options o = {0};
    fingerpost_prefix p = at("10.0.0.0/8");
    o.hold_commits = 1;
    o.ipv4.policy = FINGERPOST_REBUILD;
    o.most_old_versions = 1;
    CHECK(fingerpost_create(&o, &t) == FINGERPOST_OK);
    CHECK(fingerpost_reader_create(t, &r) == FINGERPOST_OK && fingerpost_reader_pin(r) == 1);
    CHECK(fingerpost_begin(t, &in) == FINGERPOST_OK);
    CHECK(fingerpost_transaction_announce(in, &p, 1) == FINGERPOST_OK);
    CHECK(fingerpost_commit(in, &done) == FINGERPOST_OK);
    CHECK(done.state == FINGERPOST_PUT_OFF && done.changes == 1 && done.version == 1);
    CHECK(fingerpost_pending(t) == 1 && fingerpost_count(t, FINGERPOST_BOTH) == 1);
    CHECK(fingerpost_publish(NULL, &done) == FINGERPOST_INVALID);
    CHECK(fingerpost_publish(t, &done) == FINGERPOST_OK && done.state == FINGERPOST_PUBLISHED);
    CHECK(fingerpost_pending(t) == 0 && fingerpost_table_version(t) == 2);
    CHECK(fingerpost_announce(t, &p, 2) == FINGERPOST_OK);
    CHECK(fingerpost_publish(t, &done) == FINGERPOST_OK && done.state == FINGERPOST_PUT_OFF);
    fingerpost_reader_unpin(r);
    CHECK(fingerpost_lookup(r, 4, ten) == 1);
    CHECK(fingerpost_publish(t, NULL) == FINGERPOST_OK && fingerpost_lookup(r, 4, ten) == 2);
    CHECK(fingerpost_publish(t, &done) == FINGERPOST_OK && done.state == FINGERPOST_UNCHANGED);
    fingerpost_reclaim(t);
    fingerpost_memory_parts parts;
    CHECK(fingerpost_memory(t, &parts) > 0 && parts.old == 0);
    fingerpost_reader_destroy(r);
    CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
}

// Lengths around the block size of the byte swap. Nothing may be written past the end.
static void batches(const char* isa) {
    enum { MOST = 1030 };
    static uint8_t in[MOST * 4];
    static uint32_t numbers[MOST], out[MOST + 1];
    fingerpost_table* t = NULL;
    fingerpost_reader* r = NULL;
    fingerpost_options o = {0};
    const fingerpost_prefix p = at("10.0.0.0/8"), host = at("10.0.0.7");
    o.isa = isa;
    CHECK(fingerpost_create(&o, &t) == FINGERPOST_OK);
    CHECK(fingerpost_announce(t, &p, 1) == FINGERPOST_OK &&
          fingerpost_announce(t, &host, 2) == FINGERPOST_OK);
    CHECK(fingerpost_reader_create(t, &r) == FINGERPOST_OK);
    for (uint32_t i = 0; i < MOST; ++i) {
        numbers[i] = (10 + i % 3 / 2) << 24 | i % 9;
        for (int b = 0; b < 4; ++b)
            in[4 * i + (uint32_t)b] = (uint8_t)(numbers[i] >> (24 - 8 * b));
    }
    for (size_t count = 0; count <= MOST; ++count) {
        for (int host_order = 0; host_order < 2; ++host_order) {
            memset(out, 0xee, sizeof out);
            CHECK((host_order ? fingerpost_lookup_ipv4(r, numbers, count, out)
                              : fingerpost_lookup_batch(r, 4, in, count, out)) == FINGERPOST_OK);
            size_t right = 0;
            for (size_t i = 0; i < count; ++i)
                right += out[i] == (i % 3 == 2 ? FINGERPOST_NO_ROUTE : i % 9 == 7 ? 2u : 1u);
            CHECK(right == count && out[count] == 0xeeeeeeee);
        }
    }
    CHECK(fingerpost_lookup_batch(r, 4, NULL, 0, NULL) == FINGERPOST_OK);
    CHECK(fingerpost_lookup_ipv4(r, NULL, 0, NULL) == FINGERPOST_OK);
    CHECK(fingerpost_lookup_batch(NULL, 4, in, 1, out) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_batch(r, 4, NULL, 1, out) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_batch(r, 4, in, 1, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_batch(r, 0, in, 1, out) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_ipv4(NULL, numbers, 1, out) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_ipv4(r, NULL, 1, out) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_ipv4(r, numbers, 1, NULL) == FINGERPOST_INVALID);
    fingerpost_reader_destroy(r);
    CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
}

// Batches of every length by halves, first in a table without routes longer than /64 and then with one.
static void halves_of(const char* isa) {
    enum { MOST = 200 };
    static uint64_t first[MOST], low[MOST];
    static uint32_t out[MOST + 1];
    fingerpost_table* t = NULL;
    fingerpost_reader* r = NULL;
    fingerpost_options o = {0};
    fingerpost_prefix net, host;
    o.isa = isa;
    CHECK(fingerpost_parse_prefix("2001:db8::/64", &net) == FINGERPOST_OK);
    CHECK(fingerpost_parse_prefix("2001:db8::7", &host) == FINGERPOST_OK);
    CHECK(fingerpost_create(&o, &t) == FINGERPOST_OK);
    CHECK(fingerpost_announce(t, &net, 1) == FINGERPOST_OK);
    CHECK(fingerpost_reader_create(t, &r) == FINGERPOST_OK);
    for (uint64_t i = 0; i < MOST; ++i) {
        first[i] = UINT64_C(0x20010db800000000) + i % 3 / 2;
        low[i] = i % 9;
    }
    for (int has_host = 0; has_host < 2; ++has_host) {
        for (size_t count = 0; count <= MOST; ++count) {
            size_t right = 0, kept = 0;
            memset(out, 0xee, sizeof out);
            CHECK(fingerpost_lookup_first64(r, first, count, out) ==
                  (has_host ? FINGERPOST_UNSUPPORTED : FINGERPOST_OK));
            for (size_t i = 0; i < count; ++i) {
                right += out[i] == (i % 3 == 2 ? FINGERPOST_NO_ROUTE : 1u);
                kept += out[i] == 0xeeeeeeee;
            }
            CHECK((has_host ? kept : right) == count && out[count] == 0xeeeeeeee);
            CHECK(fingerpost_lookup_halves(r, first, low, count, out) == FINGERPOST_OK);
            right = 0;
            for (size_t i = 0; i < count; ++i)
                right += out[i] == (i % 3 == 2 ? FINGERPOST_NO_ROUTE : has_host && i % 9 == 7 ? 2u : 1u);
            CHECK(right == count && out[count] == 0xeeeeeeee);
        }
        CHECK(fingerpost_announce(t, &host, 2) == FINGERPOST_OK);
    }
    CHECK(fingerpost_withdraw(t, &host) == FINGERPOST_OK);
    CHECK(fingerpost_lookup_first64(r, first, 1, out) == FINGERPOST_OK && out[0] == 1);
    CHECK(fingerpost_lookup_first64(r, NULL, 0, NULL) == FINGERPOST_OK);
    CHECK(fingerpost_lookup_halves(r, NULL, NULL, 0, NULL) == FINGERPOST_OK);
    CHECK(fingerpost_lookup_first64(NULL, first, 1, out) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_first64(r, NULL, 1, out) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_first64(r, first, 1, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_halves(NULL, first, low, 1, out) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_halves(r, NULL, low, 1, out) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_halves(r, first, NULL, 1, out) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_halves(r, first, low, 1, NULL) == FINGERPOST_INVALID);
    fingerpost_reader_destroy(r);
    CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
}

static int withdraw(const fingerpost_route* route, void* table) {
    CHECK(fingerpost_withdraw(table, &route->prefix) == FINGERPOST_OK);
    return route->next_hop == 2;
}

static void callbacks(void) {
    fingerpost_table* t = NULL;
    const char* const texts[] = {"10.0.0.0/8", "10.1.0.0/16", "10.2.0.0/16", "10.3.0.0/16"};
    CHECK(fingerpost_create(NULL, &t) == FINGERPOST_OK);
    for (uint32_t i = 0; i < 4; ++i) {
        const fingerpost_prefix p = at(texts[i]);
        CHECK(fingerpost_announce(t, &p, i) == FINGERPOST_OK);
    }
    CHECK(fingerpost_for_each(t, FINGERPOST_BOTH, withdraw, t) == FINGERPOST_OK &&
          fingerpost_count(t, FINGERPOST_BOTH) == 1);
    const fingerpost_prefix last = at(texts[3]);
    CHECK(fingerpost_for_each_covered(t, &last, withdraw, t) == FINGERPOST_OK &&
          fingerpost_count(t, FINGERPOST_BOTH) == 0);
    CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
}

// Every transaction gives prefixes of both families the same next hop, so in a pinned version the two must be
// equal.
typedef struct watch {
    fingerpost_table* table;
    unsigned long batches;
    int torn;
} watch;

static void* look(void* context) {
    static const uint8_t in[2][4] = {{10, 0, 0, 1}, {192, 0, 2, 1}};
    static const uint8_t six[16] = {0x20, 1};
    watch* const w = context;
    fingerpost_reader* r = NULL;
    uint32_t out[2] = {0, 0};
    if (fingerpost_reader_create(w->table, &r) != FINGERPOST_OK)
        return NULL;
    while (out[0] != 2000) {
        fingerpost_reader_pin(r);
        fingerpost_lookup_batch(r, 4, in, 2, out);
        w->torn += out[0] != out[1] || fingerpost_lookup(r, 6, six) != out[0];
        fingerpost_reader_unpin(r);
        ++w->batches;
    }
    fingerpost_reader_destroy(r);
    return NULL;
}

static void threads(void) {
    watch w = {NULL, 0, 0};
    pthread_t thread;
    const fingerpost_prefix a = at("10.0.0.0/8"), b = at("192.0.2.0/24"), c = at("2001::/16");
    CHECK(fingerpost_create(NULL, &w.table) == FINGERPOST_OK);
    CHECK(pthread_create(&thread, NULL, look, &w) == 0);
    for (uint32_t hop = 1; hop <= 2000; ++hop) {
        fingerpost_transaction* in = NULL;
        CHECK(fingerpost_begin(w.table, &in) == FINGERPOST_OK);
        CHECK(fingerpost_transaction_announce(in, &a, hop) == FINGERPOST_OK);
        CHECK(fingerpost_transaction_announce(in, &b, hop) == FINGERPOST_OK);
        CHECK(fingerpost_transaction_announce(in, &c, hop) == FINGERPOST_OK);
        CHECK(fingerpost_commit(in, NULL) == FINGERPOST_OK);
    }
    // A reader in the middle of a batch may have deferred the last commits.
    while (fingerpost_pending(w.table) != 0)
        CHECK(fingerpost_publish(w.table, NULL) == FINGERPOST_OK);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(w.torn == 0 && w.batches > 0);
    CHECK(fingerpost_destroy(w.table) == FINGERPOST_OK);
}

int main(void) {
    pins();
    put_off();
    for (size_t i = 0; fingerpost_isa_name(i) != NULL; ++i) {
        batches(fingerpost_isa_name(i));
        halves_of(fingerpost_isa_name(i));
    }
    callbacks();
    threads();
    return finish(8000);
}
