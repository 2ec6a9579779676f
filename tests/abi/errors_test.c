// The errors of every function for invalid arguments, for null, and at the limits of its arguments.
#include <fingerpost.h>
#include <pthread.h>
#include <string.h>

#include "tests/abi/checks.h"

static fingerpost_prefix at(const char* text) {
    fingerpost_prefix p;
    CHECK(fingerpost_parse_prefix(text, &p) == FINGERPOST_OK);
    return p;
}

// Checks the code and the text of the last error.
static int said(int code, const char* text) {
    const fingerpost_error* const last = fingerpost_last_error();
    if (last->code != code || strcmp(last->text, text) != 0)
        fprintf(stderr, "%d: %s\n", last->code, last->text);
    return last->code == code && strcmp(last->text, text) == 0;
}

static int ignore(const fingerpost_route* route, void* context) {
    (void)route;
    ++*(int*)context;
    return 0;
}

static void versions_and_texts(void) {
    char made[32];
    snprintf(made, sizeof made, "%d.%d.%d", FINGERPOST_VERSION_MAJOR, FINGERPOST_VERSION_MINOR,
             FINGERPOST_VERSION_PATCH);
    CHECK(strcmp(fingerpost_version(), made) == 0);
    for (int code = FINGERPOST_OK; code <= FINGERPOST_DAMAGED; ++code)
        CHECK(strcmp(fingerpost_error_text(code), "unknown error") != 0);
    CHECK(strcmp(fingerpost_error_text(FINGERPOST_OK), "ok") == 0);
    // The message must fit schemes as well as prefixes.
    CHECK(strstr(fingerpost_error_text(FINGERPOST_NOT_FOUND), "scheme") != NULL);
    CHECK(strcmp(fingerpost_error_text(-7), "unknown error") == 0);
    CHECK(strcmp(fingerpost_error_text(256), "unknown error") == 0);
}

static void names(void) {
    CHECK(fingerpost_scheme_name(5, 0) == NULL && fingerpost_scheme_name(4, 10000) == NULL);
    CHECK(fingerpost_scheme_summary(4, NULL) == NULL && fingerpost_scheme_summary(4, "no such") == NULL);
    CHECK(fingerpost_scheme_summary(5, "patricia") == NULL);
    CHECK(fingerpost_scheme_policies(4, NULL) == 0 && fingerpost_scheme_policies(4, "no such") == 0);
    CHECK(fingerpost_scheme_policies(0, "patricia") == 0);
    for (size_t i = 0; fingerpost_scheme_name(6, i) != NULL; ++i) {
        const char* const name = fingerpost_scheme_name(6, i);
        CHECK(strlen(fingerpost_scheme_summary(6, name)) > 10);
        CHECK((fingerpost_scheme_policies(6, name) & 3) == 3);
    }
    CHECK(strcmp(fingerpost_isa_name(0), "scalar") == 0 && fingerpost_isa_name(100) == NULL);
}

static void addresses_in_text(void) {
    uint8_t bytes[17];
    char text[FINGERPOST_TEXT_BYTES];
    int family = 7;
    memset(bytes, 7, sizeof bytes);
    CHECK(fingerpost_parse_address("192.0.2.1", &family, bytes) == FINGERPOST_OK);
    CHECK(family == FINGERPOST_IPV4 && memcmp(bytes, "\300\0\2\1\7", 5) == 0);
    CHECK(fingerpost_format_address(4, bytes, text, 10) == FINGERPOST_OK && strcmp(text, "192.0.2.1") == 0);
    CHECK(fingerpost_format_address(4, bytes, text, 9) == FINGERPOST_INVALID);
    CHECK(said(FINGERPOST_INVALID, "the text does not fit in the buffer"));
    CHECK(fingerpost_format_address(5, bytes, text, sizeof text) == FINGERPOST_INVALID);
    CHECK(said(FINGERPOST_INVALID, "the family must be FINGERPOST_IPV4 or FINGERPOST_IPV6"));
    CHECK(fingerpost_format_address(4, NULL, text, sizeof text) == FINGERPOST_INVALID);
    CHECK(said(FINGERPOST_INVALID, "a null pointer is not allowed here"));
    CHECK(fingerpost_format_address(4, bytes, NULL, 10) == FINGERPOST_INVALID);

    CHECK(fingerpost_parse_address("2001:db8::1", &family, bytes) == FINGERPOST_OK);
    CHECK(family == FINGERPOST_IPV6 && bytes[0] == 0x20 && bytes[15] == 1 && bytes[16] == 7);
    CHECK(fingerpost_format_address(6, bytes, text, sizeof text) == FINGERPOST_OK);
    CHECK(strcmp(text, "2001:db8::1") == 0);
    CHECK(fingerpost_parse_address("192.0.2.256", &family, bytes) == FINGERPOST_INVALID && family == 6);
    CHECK(fingerpost_parse_address("", &family, bytes) == FINGERPOST_INVALID);
    CHECK(fingerpost_parse_address(NULL, &family, bytes) == FINGERPOST_INVALID);
    CHECK(fingerpost_parse_address("::1", NULL, bytes) == FINGERPOST_INVALID);
    CHECK(fingerpost_parse_address("::1", &family, NULL) == FINGERPOST_INVALID);
}

static void prefixes_in_text(void) {
    char text[FINGERPOST_TEXT_BYTES];
    fingerpost_prefix p = at("10.1.2.3/9");
    CHECK(p.family == 4 && p.length == 9 && p.address[0] == 10 && p.address[1] == 0 && p.address[15] == 0);
    CHECK(fingerpost_format_prefix(&p, text, sizeof text) == FINGERPOST_OK);
    CHECK(strcmp(text, "10.0.0.0/9") == 0);
    CHECK(fingerpost_format_prefix(&p, text, 10) == FINGERPOST_INVALID);
    CHECK(fingerpost_format_prefix(NULL, text, sizeof text) == FINGERPOST_INVALID);
    CHECK(fingerpost_format_prefix(&p, NULL, sizeof text) == FINGERPOST_INVALID);
    p.family = 9;
    CHECK(fingerpost_format_prefix(&p, text, sizeof text) == FINGERPOST_INVALID);
    p.family = FINGERPOST_IPV4;
    p.length = 33;
    CHECK(fingerpost_format_prefix(&p, text, sizeof text) == FINGERPOST_INVALID);
    CHECK(said(FINGERPOST_INVALID, "a prefix is longer than its address"));
    memset(&p, 255, sizeof p);
    p.length = 128;
    p.family = FINGERPOST_IPV6;
    CHECK(fingerpost_format_prefix(&p, text, sizeof text) == FINGERPOST_OK);
    CHECK(strlen(text) == FINGERPOST_TEXT_BYTES - 1);
    CHECK(fingerpost_parse_prefix("10.0.0.0/33", &p) == FINGERPOST_INVALID && p.length == 128);
    CHECK(fingerpost_parse_prefix(NULL, &p) == FINGERPOST_INVALID);
    CHECK(fingerpost_parse_prefix("10.0.0.0/8", NULL) == FINGERPOST_INVALID);
}

// C reports the same reasons and columns for malformed text as C++.
static void reasons(void) {
    static const struct {
        const char* text;
        const char* address;
        const char* prefix;
        unsigned address_column;
        unsigned prefix_column;
    } wrong[] = {
        {"", "there is no address", "there is no address", 1, 1},
        {"192.0.2.256", "an octet is larger than 255 at column 9", "an octet is larger than 255 at column 9",
         9, 9},
        {"10.0.0.0/33", "unexpected '/' at column 9", "prefix length 33 is longer than 32", 9, 10},
        {"10.0.0.0/8x", "unexpected '/' at column 9", "unexpected 'x' at column 11", 9, 11},
        {"1::2::3", "'::' twice, again at column 5", "'::' twice, again at column 5", 5, 5},
        {"\x9b", "unexpected byte 0x9b at column 1", "unexpected byte 0x9b at column 1", 1, 1},
        {"host", "unexpected 'h' at column 1", "unexpected 'h' at column 1", 1, 1},
        {"::/129", "unexpected '/' at column 3", "prefix length 129 is longer than 128", 3, 4},
    };
    uint8_t address[16];
    int family = 0;
    fingerpost_prefix prefix;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        CHECK(fingerpost_parse_address(wrong[i].text, &family, address) == FINGERPOST_INVALID && family == 0);
        CHECK(said(FINGERPOST_INVALID, wrong[i].address));
        CHECK(fingerpost_last_error()->column == wrong[i].address_column);
        CHECK(fingerpost_parse_prefix(wrong[i].text, &prefix) == FINGERPOST_INVALID);
        CHECK(said(FINGERPOST_INVALID, wrong[i].prefix));
        CHECK(fingerpost_last_error()->column == wrong[i].prefix_column);
    }
    // No input makes a reason longer than its buffer.
    char longest[4097];
    memset(longest, '9', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    memcpy(longest, "2001:db8::/", 11);
    CHECK(fingerpost_parse_prefix(longest, &prefix) == FINGERPOST_INVALID);
    CHECK(strlen(fingerpost_last_error()->text) < FINGERPOST_ERROR_BYTES / 2);
    // A successful call leaves the last error unchanged. An error without a column resets the column.
    CHECK(fingerpost_parse_prefix("::/0", &prefix) == FINGERPOST_OK);
    CHECK(fingerpost_last_error()->column == 12);
    CHECK(fingerpost_parse_prefix("::/0", NULL) == FINGERPOST_INVALID &&
          fingerpost_last_error()->column == 0);
}

static void* ask_for_error(void* seen) {
    *(int*)seen = fingerpost_last_error()->code;
    return seen;
}

// Each thread has its own last error.
static void of_threads(void) {
    pthread_t thread;
    int seen = -1;
    CHECK(fingerpost_parse_prefix("", NULL) == FINGERPOST_INVALID);
    CHECK(pthread_create(&thread, NULL, ask_for_error, &seen) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(seen == FINGERPOST_OK && fingerpost_last_error()->code == FINGERPOST_INVALID);
}

static int created(fingerpost_options options) {
    fingerpost_table* t = NULL;
    const int code = fingerpost_create(&options, &t);
    CHECK((code == FINGERPOST_OK) == (t != NULL));
    fingerpost_destroy(t);
    return code;
}

static void options(void) {
    const fingerpost_options none = {0};
    fingerpost_options o = none;
    CHECK(fingerpost_create(NULL, NULL) == FINGERPOST_INVALID);
    CHECK(created(o) == FINGERPOST_OK);
    o.ipv4.scheme = "dir_24_8";
    o.ipv4.policy = FINGERPOST_IN_PLACE; // IPv6 keeps another policy
    CHECK(created(o) == FINGERPOST_OK);
    o.keep_bytes = 1;
    CHECK(created(o) == FINGERPOST_UNSUPPORTED);
    CHECK(said(FINGERPOST_UNSUPPORTED, "a table of bytes cannot be updated in place"));
    // An unknown scheme, and a scheme that does not serve the family.
    o = none;
    o.ipv6.scheme = "dir_24_8";
    CHECK(created(o) == FINGERPOST_UNSUPPORTED);
    CHECK(said(FINGERPOST_UNSUPPORTED, "the scheme 'dir_24_8' does not serve IPv6"));
    o.ipv6.scheme = "dir_24";
    CHECK(created(o) == FINGERPOST_NOT_FOUND);
    CHECK(said(FINGERPOST_NOT_FOUND, "there is no scheme 'dir_24'"));
    o = none;
    o.ipv6.scheme = "planb";
    o.ipv6.policy = FINGERPOST_IN_PLACE;
    CHECK(created(o) == FINGERPOST_UNSUPPORTED);
    CHECK(said(FINGERPOST_UNSUPPORTED, "the scheme does not support this policy"));
    o = none;
    o.ipv6.policy = 4;
    CHECK(created(o) == FINGERPOST_INVALID);
    o.ipv6.policy = -1;
    CHECK(created(o) == FINGERPOST_INVALID && said(FINGERPOST_INVALID, "unknown policy"));
    o = none;
    o.isa = "scalar";
    CHECK(created(o) == FINGERPOST_OK);
    o.isa = "abacus";
    CHECK(created(o) == FINGERPOST_NOT_FOUND);
    CHECK(said(FINGERPOST_NOT_FOUND, "this CPU does not have the instruction set 'abacus'"));
    o = none;
    o.patience = UINT64_MAX;
    CHECK(created(o) == FINGERPOST_INVALID);
    o.patience = 1000;
    CHECK(created(o) == FINGERPOST_OK);
    o.reserved[3] = 1;
    CHECK(created(o) == FINGERPOST_INVALID);
}

static void facts(void) {
    fingerpost_table* t = NULL;
    fingerpost_memory_parts parts;
    fingerpost_stall stall;
    fingerpost_options o = {0};
    o.ipv6.scheme = "hash_by_length";
    o.isa = "scalar";
    CHECK(fingerpost_create(&o, &t) == FINGERPOST_OK);
    CHECK(fingerpost_policy(t, 6) == FINGERPOST_LEFT_RIGHT && fingerpost_policy(NULL, 6) == 0);
    CHECK(fingerpost_policy(t, 5) == 0 && fingerpost_scheme(t, 0) == NULL);
    CHECK(strcmp(fingerpost_scheme(t, 6), "hash_by_length") == 0 && fingerpost_scheme(NULL, 6) == NULL);
    CHECK(strcmp(fingerpost_scheme(t, 4), fingerpost_scheme_name(4, 0)) == 0);
    CHECK(strcmp(fingerpost_isa(t), "scalar") == 0 && fingerpost_isa(NULL) == NULL);
    CHECK(fingerpost_table_version(t) == 1 && fingerpost_table_version(NULL) == 0);
    CHECK(fingerpost_count(t, 0) == 0 && fingerpost_count(NULL, 4) == 0 && fingerpost_count(t, 5) == 0 &&
          fingerpost_pending(NULL) == 0);
    const size_t all = fingerpost_memory(t, &parts);
    CHECK(all == parts.rib + parts.fib + parts.old + parts.updates && parts.values == 0 && parts.rib > 0 &&
          parts.fib > 0);
    CHECK(fingerpost_memory(t, NULL) == all && fingerpost_memory(NULL, NULL) == 0);
    CHECK(fingerpost_stalled(t, &stall) == FINGERPOST_OK && stall.readers == 0);
    CHECK(fingerpost_stalled(t, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_stalled(NULL, &stall) == FINGERPOST_INVALID);
    fingerpost_reclaim(t);
    fingerpost_reclaim(NULL);
    CHECK(fingerpost_destroy(t) == FINGERPOST_OK && fingerpost_destroy(NULL) == FINGERPOST_OK);
}

// A refused change leaves the table unchanged, whatever the reason.
static void changes(int family) {
    fingerpost_table* t = NULL;
    fingerpost_result done;
    fingerpost_route routes[2];
    fingerpost_prefix p = at(family == 4 ? "10.0.0.0/8" : "2001:db8::/32");
    fingerpost_prefix longer = p;
    longer.length = family == 4 ? 33 : 129;
    CHECK(fingerpost_create(NULL, &t) == FINGERPOST_OK);
    CHECK(fingerpost_announce(t, &p, FINGERPOST_NO_ROUTE) == FINGERPOST_INVALID);
    CHECK(fingerpost_announce(t, &longer, 1) == FINGERPOST_INVALID);
    CHECK(fingerpost_announce(NULL, &p, 1) == FINGERPOST_INVALID);
    CHECK(fingerpost_announce(t, NULL, 1) == FINGERPOST_INVALID);
    CHECK(fingerpost_withdraw(t, &p) == FINGERPOST_NOT_FOUND);
    CHECK(fingerpost_withdraw(t, &longer) == FINGERPOST_INVALID);
    CHECK(fingerpost_withdraw(NULL, &p) == FINGERPOST_INVALID);
    CHECK(fingerpost_withdraw(t, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_table_version(t) == 1 && fingerpost_count(t, FINGERPOST_BOTH) == 0);

    routes[0].prefix = p;
    routes[0].next_hop = 1;
    routes[1].prefix = longer;
    routes[1].next_hop = 2;
    CHECK(fingerpost_load(t, routes, 2, &done) == FINGERPOST_INVALID);
    CHECK(fingerpost_replace_all(t, routes, 2, NULL, &done) == FINGERPOST_INVALID);
    CHECK(fingerpost_load(t, routes, SIZE_MAX, NULL) == FINGERPOST_CAPACITY);
    CHECK(fingerpost_load(t, NULL, 2, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_load(NULL, routes, 1, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_replace_all(t, NULL, 2, NULL, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_replace_all(NULL, routes, 1, NULL, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_count(t, FINGERPOST_BOTH) == 0);
    routes[1] = routes[0];
    routes[1].prefix.family = 0;
    CHECK(fingerpost_load(t, routes, 2, &done) == FINGERPOST_INVALID);
    CHECK(fingerpost_announce(t, &routes[1].prefix, 1) == FINGERPOST_INVALID);
    CHECK(fingerpost_announce_text(t, family == 4 ? "10.0.0.0/8" : "2001:db8::/32", 3) == FINGERPOST_OK);
    CHECK(fingerpost_withdraw_text(t, family == 4 ? "10.0.0.0/8" : "2001:db8::/32") == FINGERPOST_OK);
    CHECK(fingerpost_withdraw_text(t, "10.0.0.0/8") == FINGERPOST_NOT_FOUND);
    CHECK(fingerpost_announce_text(t, "10.0.0.0/99", 3) == FINGERPOST_INVALID);
    CHECK(fingerpost_last_error()->column == 10);
    CHECK(fingerpost_announce_text(t, NULL, 3) == FINGERPOST_INVALID);
    CHECK(fingerpost_announce_text(NULL, "::/0", 3) == FINGERPOST_INVALID);
    CHECK(fingerpost_announce_bytes(t, &p, "x", 1) == FINGERPOST_UNSUPPORTED);
    CHECK(said(FINGERPOST_UNSUPPORTED, "this table has next hops instead of bytes"));
    // When a prefix occurs twice, the last route counts. Host bits are ignored.
    routes[1] = routes[0];
    routes[1].prefix.address[3] = 1;
    routes[1].prefix.length = 8;
    routes[0].prefix.length = 8;
    routes[1].next_hop = 9;
    CHECK(fingerpost_load(t, routes, 2, &done) == FINGERPOST_OK);
    CHECK(done.changes == 1 && done.state == FINGERPOST_PUBLISHED &&
          fingerpost_count(t, FINGERPOST_BOTH) == 1);
    uint32_t hop = 0;
    CHECK(fingerpost_get(t, &routes[1].prefix, &hop) == FINGERPOST_OK && hop == 9);
    CHECK(fingerpost_load(t, NULL, 0, NULL) == FINGERPOST_OK && fingerpost_count(t, FINGERPOST_BOTH) == 0);
    CHECK(fingerpost_replace_all(t, NULL, 0, NULL, NULL) == FINGERPOST_OK);
    CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
}

static void transactions(void) {
    fingerpost_table* t = NULL;
    fingerpost_transaction* in = NULL;
    fingerpost_prefix p = at("10.0.0.0/8"), longer = p;
    longer.length = 33;
    CHECK(fingerpost_create(NULL, &t) == FINGERPOST_OK);
    CHECK(fingerpost_begin(NULL, &in) == FINGERPOST_INVALID);
    CHECK(fingerpost_begin(t, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_begin(t, &in) == FINGERPOST_OK);
    CHECK(fingerpost_destroy(t) == FINGERPOST_INVALID);
    CHECK(fingerpost_transaction_announce(NULL, &p, 1) == FINGERPOST_INVALID);
    CHECK(fingerpost_transaction_announce(in, NULL, 1) == FINGERPOST_INVALID);
    CHECK(fingerpost_transaction_announce(in, &longer, 1) == FINGERPOST_INVALID);
    CHECK(fingerpost_transaction_announce(in, &p, FINGERPOST_NO_ROUTE) == FINGERPOST_INVALID);
    CHECK(fingerpost_transaction_withdraw(NULL, &p) == FINGERPOST_INVALID);
    CHECK(fingerpost_transaction_withdraw(in, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_transaction_withdraw(in, &longer) == FINGERPOST_INVALID);
    CHECK(fingerpost_transaction_withdraw(in, &p) == FINGERPOST_NOT_FOUND);
    fingerpost_route changes[3] = {{p, 1}, {p, FINGERPOST_NO_ROUTE}, {longer, 1}};
    size_t taken = 7;
    CHECK(fingerpost_transaction_change(NULL, changes, 2, &taken) == FINGERPOST_INVALID && taken == 0);
    CHECK(fingerpost_transaction_change(in, NULL, 1, &taken) == FINGERPOST_INVALID && taken == 0);
    CHECK(fingerpost_transaction_change(in, NULL, 0, NULL) == FINGERPOST_OK);
    CHECK(fingerpost_transaction_change(in, changes + 1, 1, NULL) == FINGERPOST_NOT_FOUND);
    CHECK(fingerpost_transaction_change(in, changes, 3, &taken) == FINGERPOST_INVALID && taken == 2);
    changes[2].next_hop = FINGERPOST_NO_ROUTE;
    CHECK(fingerpost_transaction_change(in, changes + 2, 1, &taken) == FINGERPOST_INVALID && taken == 0);
    // Changes to both families take effect in the order of the array.
    const fingerpost_prefix six = at("2001:db8::/32");
    const fingerpost_route mixed[4] = {{p, 1}, {six, 2}, {at("::/0"), FINGERPOST_NO_ROUTE}, {p, 3}};
    CHECK(fingerpost_transaction_change(in, mixed, 4, &taken) == FINGERPOST_NOT_FOUND && taken == 2);
    CHECK(fingerpost_transaction_withdraw(in, &six) == FINGERPOST_OK);
    CHECK(fingerpost_transaction_announce(in, &p, 1) == FINGERPOST_OK &&
          fingerpost_count(t, FINGERPOST_BOTH) == 0);
    CHECK(fingerpost_commit(NULL, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_commit(in, NULL) == FINGERPOST_OK && fingerpost_count(t, FINGERPOST_BOTH) == 1);
    fingerpost_rollback(NULL);
    CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
}

static void texts_of_addresses(void) {
    fingerpost_table* t = NULL;
    fingerpost_reader* by = NULL;
    uint32_t hop = 77;
    int family = 0;
    CHECK(fingerpost_create(NULL, &t) == FINGERPOST_OK && fingerpost_reader_create(t, &by) == FINGERPOST_OK);
    CHECK(fingerpost_announce_text(t, "2001:db8::/32", 5) == FINGERPOST_OK);
    CHECK(fingerpost_lookup_text(by, "2001:db8::1", &hop, &family) == FINGERPOST_OK && hop == 5 &&
          family == 6);
    CHECK(fingerpost_lookup_text(by, "192.0.2.1", &hop, NULL) == FINGERPOST_OK && hop == FINGERPOST_NO_ROUTE);
    hop = 77;
    CHECK(fingerpost_lookup_text(by, "192.0.2.x", &hop, &family) == FINGERPOST_INVALID && hop == 77);
    CHECK(fingerpost_last_error()->column == 9 && family == 6);
    CHECK(fingerpost_lookup_text(NULL, "::1", &hop, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_text(by, NULL, &hop, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_lookup_text(by, "::1", NULL, NULL) == FINGERPOST_INVALID);
    fingerpost_reader_destroy(by);
    CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
}

static void queries(void) {
    fingerpost_table* t = NULL;
    fingerpost_route r;
    uint32_t hop = 7;
    int visits = 0;
    fingerpost_prefix p = at("10.0.0.0/8"), longer = p;
    longer.length = 33;
    CHECK(fingerpost_create(NULL, &t) == FINGERPOST_OK);
    CHECK(fingerpost_get(t, &p, &hop) == FINGERPOST_NOT_FOUND && hop == 7);
    CHECK(fingerpost_get(t, &longer, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_get(NULL, &p, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_get(t, NULL, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_get(t, &p, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_match(t, 4, p.address, &r) == FINGERPOST_NOT_FOUND);
    CHECK(fingerpost_match(NULL, 4, p.address, &r) == FINGERPOST_INVALID);
    CHECK(fingerpost_match(t, 4, NULL, &r) == FINGERPOST_INVALID);
    CHECK(fingerpost_match(t, 4, p.address, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_match(t, 5, p.address, &r) == FINGERPOST_INVALID);
    CHECK(fingerpost_for_each(t, 5, ignore, &visits) == FINGERPOST_INVALID);
    CHECK(fingerpost_cover(t, &p, &r) == FINGERPOST_NOT_FOUND);
    CHECK(fingerpost_cover(t, &longer, &r) == FINGERPOST_INVALID);
    CHECK(fingerpost_cover(NULL, &p, &r) == FINGERPOST_INVALID);
    CHECK(fingerpost_cover(t, NULL, &r) == FINGERPOST_INVALID);
    CHECK(fingerpost_cover(t, &p, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_for_each(NULL, 4, ignore, &visits) == FINGERPOST_INVALID);
    CHECK(fingerpost_for_each(t, 4, NULL, &visits) == FINGERPOST_INVALID);
    CHECK(fingerpost_for_each_covering(NULL, &p, ignore, &visits) == FINGERPOST_INVALID);
    CHECK(fingerpost_for_each_covering(t, NULL, ignore, &visits) == FINGERPOST_INVALID);
    CHECK(fingerpost_for_each_covering(t, &longer, ignore, &visits) == FINGERPOST_INVALID);
    CHECK(fingerpost_for_each_covering(t, &p, NULL, &visits) == FINGERPOST_INVALID);
    CHECK(fingerpost_for_each_covered(NULL, &p, ignore, &visits) == FINGERPOST_INVALID);
    CHECK(fingerpost_for_each_covered(t, NULL, ignore, &visits) == FINGERPOST_INVALID);
    CHECK(fingerpost_for_each_covered(t, &longer, ignore, &visits) == FINGERPOST_INVALID);
    CHECK(fingerpost_for_each_covered(t, &p, NULL, &visits) == FINGERPOST_INVALID);
    CHECK(fingerpost_for_each(t, 4, ignore, &visits) == FINGERPOST_OK && visits == 0);
    CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
}

int main(void) {
    versions_and_texts();
    names();
    addresses_in_text();
    prefixes_in_text();
    reasons();
    of_threads();
    options();
    facts();
    changes(FINGERPOST_IPV4);
    changes(FINGERPOST_IPV6);
    transactions();
    texts_of_addresses();
    queries();
    return finish(150);
}
