// Every size, count and number of the C interface at its limits gives a result or an error, never a crash.
#include <string.h>

#include "capi/fingerpost.h"
#include "tests/abi/checks.h"

static const size_t sizes[] = {0, 1, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 3, SIZE_MAX - 1, SIZE_MAX};
static const uint64_t times[] = {0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
enum { ENDS = sizeof sizes / sizeof *sizes, TIMES = sizeof times / sizeof *times };

static const int families[] = {FINGERPOST_IPV4, FINGERPOST_IPV6};

static fingerpost_table* make_table(void) {
    fingerpost_table* t = NULL;
    CHECK(fingerpost_create(NULL, &t) == FINGERPOST_OK);
    return t;
}
static fingerpost_prefix host(int family, unsigned char last) {
    fingerpost_prefix p;
    memset(&p, 0, sizeof p);
    p.address[0] = last;
    p.family = (uint8_t)family;
    p.length = family == FINGERPOST_IPV4 ? 32 : 128;
    return p;
}

// Any number of old versions is accepted: 0 selects the default, and the largest number means no limit.
static void old_versions(int family, int policy, size_t most) {
    enum { VERSIONS = 150 };
    fingerpost_options o;
    fingerpost_table* t = NULL;
    fingerpost_reader* readers[VERSIONS];
    memset(&o, 0, sizeof o);
    o.most_old_versions = most;
    o.ipv4.policy = o.ipv6.policy = policy;
    o.patience = 1;
    CHECK(fingerpost_create(&o, &t) == FINGERPOST_OK && t != NULL);
    const fingerpost_prefix p = host(family, 7);
    int last_state = FINGERPOST_PUBLISHED;
    for (uint32_t i = 0; i < VERSIONS; ++i) {
        fingerpost_transaction* in = NULL;
        fingerpost_result done;
        CHECK(fingerpost_reader_create(t, &readers[i]) == FINGERPOST_OK);
        (void)fingerpost_reader_pin(readers[i]);
        CHECK(fingerpost_begin(t, &in) == FINGERPOST_OK);
        CHECK(fingerpost_transaction_announce(in, &p, i) == FINGERPOST_OK);
        CHECK(fingerpost_commit(in, &done) == FINGERPOST_OK);
        last_state = done.state;
    }
    fingerpost_stall stall;
    CHECK(fingerpost_stalled(t, &stall) == FINGERPOST_OK);
    if (most > VERSIONS) {
        // Left-right may wait for readers of the standby FIB until its time limit.
        CHECK(policy == FINGERPOST_LEFT_RIGHT || last_state == FINGERPOST_PUBLISHED);
        CHECK(stall.versions >= (policy == FINGERPOST_LEFT_RIGHT ? 1 : VERSIONS));
    } else {
        CHECK(last_state == FINGERPOST_PUT_OFF && stall.versions <= (most == 0 ? 4 : most));
    }
    for (uint32_t i = 0; i < VERSIONS; ++i)
        fingerpost_reader_destroy(readers[i]);
    fingerpost_result done;
    CHECK(fingerpost_publish(t, &done) == FINGERPOST_OK && fingerpost_pending(t) == 0);
    fingerpost_reader* now = NULL;
    CHECK(fingerpost_reader_create(t, &now) == FINGERPOST_OK);
    CHECK(fingerpost_lookup(now, family, p.address) == VERSIONS - 1);
    fingerpost_reader_destroy(now);
    CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
}

static void patience(int family) {
    for (size_t i = 0; i < TIMES; ++i) {
        fingerpost_options o;
        fingerpost_table* t = NULL;
        memset(&o, 0, sizeof o);
        o.patience = times[i];
        const int code = fingerpost_create(&o, &t);
        CHECK(code == (times[i] <= INT64_MAX ? FINGERPOST_OK : FINGERPOST_INVALID));
        if (t != NULL) {
            const fingerpost_prefix p = host(family, 1);
            CHECK(fingerpost_announce(t, &p, 1) == FINGERPOST_OK && fingerpost_publish(t, NULL) == 0);
        }
        CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
    }
}

// Counts that exceed any memory are refused before anything is read.
static void counts(int family) {
    fingerpost_table* t = make_table();
    fingerpost_transaction* in = NULL;
    const fingerpost_route one = {host(family, 9), 5};
    CHECK(fingerpost_begin(t, &in) == FINGERPOST_OK);
    for (size_t i = 0; i < ENDS; ++i) {
        const size_t count = sizes[i];
        const int wanted = count <= 1 ? FINGERPOST_OK : FINGERPOST_CAPACITY;
        fingerpost_difference difference;
        size_t taken = 7;
        CHECK(fingerpost_load(t, &one, count, NULL) == wanted);
        CHECK(fingerpost_replace_all(t, &one, count, &difference, NULL) == wanted);
        CHECK(fingerpost_transaction_change(in, &one, count, &taken) == wanted);
        CHECK(taken == (count == 1 ? 1 : 0));
        CHECK(fingerpost_load(t, NULL, count, NULL) == (count == 0 ? FINGERPOST_OK : FINGERPOST_INVALID));
        CHECK(fingerpost_transaction_change(in, NULL, count, NULL) ==
              (count == 0 ? FINGERPOST_OK : FINGERPOST_INVALID));
        CHECK(fingerpost_count(t, FINGERPOST_BOTH) == (i == 0 ? 0 : 1));
    }
    CHECK(fingerpost_commit(in, NULL) == FINGERPOST_OK && fingerpost_count(t, FINGERPOST_BOTH) == 1);
    fingerpost_reader* by = NULL;
    CHECK(fingerpost_reader_create(t, &by) == FINGERPOST_OK);
    for (size_t i = 1; i < ENDS; ++i) {
        CHECK(fingerpost_lookup_batch(by, family, NULL, sizes[i], NULL) == FINGERPOST_INVALID);
        CHECK(fingerpost_lookup_ipv4(by, NULL, sizes[i], NULL) == FINGERPOST_INVALID);
    }
    CHECK(fingerpost_lookup_batch(by, family, NULL, 0, NULL) == FINGERPOST_OK);
    fingerpost_reader_destroy(by);
    CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
}

static void numbers_and_texts(int family) {
    const fingerpost_prefix p = host(family, 1);
    char text[FINGERPOST_TEXT_BYTES];
    for (size_t i = 0; i < ENDS; ++i) {
        CHECK((fingerpost_scheme_name(family, sizes[i]) != NULL) == (sizes[i] <= 1));
        CHECK(fingerpost_isa_name(sizes[i]) == NULL || sizes[i] <= 1);
        // Bytes beyond the text are not touched, even if `size` counts them.
        const int wanted = sizes[i] <= 1 ? FINGERPOST_INVALID : FINGERPOST_OK;
        CHECK(fingerpost_format_address(family, p.address, text, sizes[i]) == wanted);
        CHECK(fingerpost_format_prefix(&p, text, sizes[i]) == wanted);
    }
    static const int numbers[] = {INT32_MIN, -1, 0, 1, 5, INT32_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        fingerpost_options o;
        fingerpost_table* t = NULL;
        CHECK(fingerpost_scheme_name(numbers[i], 0) == NULL && *fingerpost_error_text(numbers[i]) != 0);
        memset(&o, 0, sizeof o);
        o.ipv6.policy = numbers[i];
        o.hold_commits = numbers[i];
        CHECK(fingerpost_create(&o, &t) ==
              (numbers[i] == 0 || numbers[i] == 1 ? FINGERPOST_OK : FINGERPOST_INVALID));
        CHECK(fingerpost_destroy(t) == FINGERPOST_OK);
    }
}

int main(void) {
    for (size_t f = 0; f < 2; ++f) {
        for (size_t i = 0; i < ENDS; ++i)
            for (int policy = FINGERPOST_REBUILD; policy <= FINGERPOST_LEFT_RIGHT; ++policy)
                old_versions(families[f], policy, sizes[i]);
        patience(families[f]);
        counts(families[f]);
        numbers_and_texts(families[f]);
    }
    return finish(10000);
}
