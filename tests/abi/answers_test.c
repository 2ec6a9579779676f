// Random changes to tables of both families, for every scheme, policy and instruction set. All answers must
// equal the oracle's.
#include "tests/abi/checks.h"
#include "tests/abi/probes.h"

// Slow builds define this macro. Even then, tables of every scheme are created, changed and reloaded.
#ifdef FINGERPOST_FEW_ROUNDS
enum { ROUNDS = 4, LEAST = 10000 };
#else
enum { ROUNDS = 12, LEAST = 100000 };
#endif
enum { CHANGES = 24 };

static oracle truth;
static uint64_t seed = 20260101;

static fingerpost_table* table;
static fingerpost_reader* reader;

static void check_one(const uint8_t* address, uint32_t batch) {
    const uint32_t wanted = oracle_lookup(&truth, address);
    CHECK(batch == wanted);
    CHECK(fingerpost_lookup(reader, family_of(&truth), address) == wanted);
    fingerpost_route told;
    const int best = oracle_longest(&truth, address, 129);
    CHECK(fingerpost_match(table, family_of(&truth), address, &told) ==
          (best < 0 ? FINGERPOST_NOT_FOUND : FINGERPOST_OK));
    if (best >= 0)
        CHECK(same_prefix(&told.prefix, &truth.routes[best].prefix) && told.next_hop == wanted);
}

// Checks lookups by halves, which every table answers, and by first halves alone, which need a table without
// routes longer than /64. A table that is updated in place may refuse the latter even then.
static void check_halves(const uint8_t* from, size_t count, const uint32_t* wanted) {
    static uint64_t first[PROBES], low[PROBES];
    static uint32_t found[PROBES + 1];
    to_halves(from, count, first, low);
    found[count] = 12345;
    CHECK(fingerpost_lookup_halves(reader, first, low, count, found) == FINGERPOST_OK);
    CHECK(memcmp(found, wanted, count * sizeof *found) == 0 && found[count] == 12345);
    memset(found, 0xee, sizeof found);
    const int code = fingerpost_lookup_first64(reader, first, count, found);
    const int has_longer = oracle_has_longer(&truth, 64);
    if (code == FINGERPOST_OK) {
        CHECK(!has_longer);
        CHECK(memcmp(found, wanted, count * sizeof *found) == 0);
    } else {
        CHECK(code == FINGERPOST_UNSUPPORTED);
        CHECK(has_longer || fingerpost_policy(table, FINGERPOST_IPV6) == FINGERPOST_IN_PLACE);
        for (size_t i = 0; i < count; ++i)
            CHECK(found[i] == 0xeeeeeeee);
    }
    CHECK(found[count] == 0xeeeeeeee);
}

static void check_lookups(void) {
    static uint8_t probes[PROBES * 16 + 1];
    static uint32_t found[PROBES + 1], numbers[PROBES];
    // Misaligned by one byte, because no alignment is required.
    uint8_t* const from = probes + 1;
    const size_t count = make_probes(&truth, from);
    found[count] = 12345;
    CHECK(fingerpost_lookup_batch(reader, family_of(&truth), from, count, found) == FINGERPOST_OK);
    CHECK(found[count] == 12345);
    for (size_t i = 0; i < count; ++i)
        check_one(from + (size_t)truth.bytes * i, found[i]);
    if (truth.bytes == 16) {
        check_halves(from, count, found);
        // the other family has no routes
        CHECK(fingerpost_lookup_ipv4(reader, numbers, 1, found) == FINGERPOST_OK);
        CHECK(found[0] == FINGERPOST_NO_ROUTE);
        return;
    }
    const uint64_t half = 0;
    static uint32_t again[PROBES];
    CHECK(fingerpost_lookup_first64(reader, &half, 1, again) == FINGERPOST_OK);
    CHECK(again[0] == FINGERPOST_NO_ROUTE);
    CHECK(fingerpost_lookup_halves(reader, &half, &half, 1, again) == FINGERPOST_OK);
    CHECK(again[0] == FINGERPOST_NO_ROUTE);
    to_numbers(from, count, numbers);
    CHECK(fingerpost_lookup_ipv4(reader, numbers, count, again) == FINGERPOST_OK);
    CHECK(memcmp(again, found, count * sizeof *again) == 0);
}

typedef struct walk {
    size_t seen;
    fingerpost_prefix last;
    const fingerpost_prefix* around; // null for all routes
    int covering;
} walk;

static int visit(const fingerpost_route* r, void* context) {
    walk* const w = context;
    const int at = oracle_find(&truth, &r->prefix);
    CHECK(at >= 0 && truth.routes[at].next_hop == r->next_hop);
    if (w->seen > 0 && w->covering)
        CHECK(w->last.length < r->prefix.length);
    else if (w->seen > 0) {
        const int order = memcmp(w->last.address, r->prefix.address, 16);
        CHECK(order < 0 || (order == 0 && w->last.length < r->prefix.length));
    }
    if (w->around != NULL && w->covering)
        CHECK(r->prefix.length < w->around->length && holds(&r->prefix, w->around->address));
    else if (w->around != NULL)
        CHECK(r->prefix.length >= w->around->length && holds(w->around, r->prefix.address));
    w->last = r->prefix;
    ++w->seen;
    return 0;
}

static void check_prefix(const fingerpost_prefix* p) {
    uint32_t hop = 0;
    const int at = oracle_find(&truth, p);
    CHECK(fingerpost_get(table, p, &hop) == (at < 0 ? FINGERPOST_NOT_FOUND : FINGERPOST_OK));
    CHECK(at < 0 || hop == truth.routes[at].next_hop);

    fingerpost_route told;
    const int cover = oracle_longest(&truth, p->address, p->length);
    CHECK(fingerpost_cover(table, p, &told) == (cover < 0 ? FINGERPOST_NOT_FOUND : FINGERPOST_OK));
    CHECK(cover < 0 || same_prefix(&told.prefix, &truth.routes[cover].prefix));

    size_t covering = 0, covered = 0;
    for (size_t i = 0; i < truth.count; ++i) {
        const fingerpost_prefix* const q = &truth.routes[i].prefix;
        covering += q->length < p->length && holds(q, p->address);
        covered += q->length >= p->length && holds(p, q->address);
    }
    walk up = {0, *p, p, 1}, down = {0, *p, p, 0};
    CHECK(fingerpost_for_each_covering(table, p, visit, &up) == FINGERPOST_OK && up.seen == covering);
    CHECK(fingerpost_for_each_covered(table, p, visit, &down) == FINGERPOST_OK && down.seen == covered);
}

static void check_table(void) {
    CHECK(fingerpost_count(table, family_of(&truth)) == truth.count);
    CHECK(fingerpost_count(table, FINGERPOST_BOTH) == truth.count);
    CHECK(fingerpost_pending(table) == 0);
    check_lookups();
    walk all = {0, truth.routes[0].prefix, NULL, 0};
    CHECK(fingerpost_for_each(table, FINGERPOST_BOTH, visit, &all) == FINGERPOST_OK &&
          all.seen == truth.count);
    for (int i = 0; i < 16; ++i) {
        const fingerpost_prefix p = random_prefix(&truth, &seed);
        check_prefix(&p);
    }
}

// Announces or withdraws a random route, inside transaction `in` unless it is null.
static void change(fingerpost_transaction* in, oracle* of) {
    const fingerpost_prefix p = random_prefix(&truth, &seed);
    if (random_number(&seed) % 3 == 0) {
        const int wanted = oracle_withdraw(of, &p) ? FINGERPOST_OK : FINGERPOST_NOT_FOUND;
        CHECK((in == NULL ? fingerpost_withdraw(table, &p) : fingerpost_transaction_withdraw(in, &p)) ==
              wanted);
        return;
    }
    const uint32_t hop = random_number(&seed) % 7;
    oracle_announce(of, &p, hop);
    CHECK((in == NULL ? fingerpost_announce(table, &p, hop) : fingerpost_transaction_announce(in, &p, hop)) ==
          FINGERPOST_OK);
}

// Makes many changes in one call. The call stops at a withdrawal of a missing route; the changes after it
// follow in another call.
static void change_many(fingerpost_transaction* in, oracle* of) {
    fingerpost_route changes[CHANGES];
    int codes[CHANGES];
    for (int i = 0; i < CHANGES; ++i) {
        const int goes = random_number(&seed) % 3 == 0;
        changes[i].prefix = random_prefix(&truth, &seed);
        changes[i].next_hop = goes ? FINGERPOST_NO_ROUTE : random_number(&seed) % 7;
        codes[i] = FINGERPOST_OK;
        if (!goes)
            oracle_announce(of, &changes[i].prefix, changes[i].next_hop);
        else if (!oracle_withdraw(of, &changes[i].prefix))
            codes[i] = FINGERPOST_NOT_FOUND;
    }
    for (size_t at = 0; at < CHANGES;) {
        size_t right = at, taken = 0;
        while (right < CHANGES && codes[right] == FINGERPOST_OK)
            ++right;
        CHECK(fingerpost_transaction_change(in, changes + at, CHANGES - at, &taken) ==
              (right < CHANGES ? codes[right] : FINGERPOST_OK));
        CHECK(at + taken == right);
        at = right + 1; // skip the refused change
    }
}

static void transact(int keep, int many) {
    static oracle wanted;
    wanted = truth;
    fingerpost_transaction* in = NULL;
    CHECK(fingerpost_begin(table, &in) == FINGERPOST_OK);
    if (many)
        change_many(in, &wanted);
    for (int i = 0; i < CHANGES; ++i)
        change(in, &wanted);
    if (!keep) {
        fingerpost_rollback(in);
        return;
    }
    fingerpost_result result;
    CHECK(fingerpost_commit(in, &result) == FINGERPOST_OK);
    CHECK(result.version == fingerpost_table_version(table) && result.state != FINGERPOST_PUT_OFF);
    truth = wanted;
}

// Replaces the whole table by each of both functions, keeping some routes.
static void reload(int whole) {
    static oracle wanted;
    wanted = truth;
    size_t removed = 0;
    for (int i = 0; i < CHANGES && wanted.count > 0; ++i, ++removed)
        oracle_withdraw(&wanted, &wanted.routes[random_number(&seed) % wanted.count].prefix);
    fingerpost_result result;
    fingerpost_difference found;
    truth = wanted;
    if (whole) {
        CHECK(fingerpost_load(table, truth.routes, truth.count, &result) == FINGERPOST_OK);
        return;
    }
    CHECK(fingerpost_replace_all(table, truth.routes, truth.count, &found, &result) == FINGERPOST_OK);
    CHECK(found.added == 0 && found.removed == removed && found.replaced == 0 && result.changes == removed);
    CHECK(fingerpost_replace_all(table, truth.routes, truth.count, &found, &result) == FINGERPOST_OK);
    CHECK(found.removed == 0 && result.changes == 0 && result.state == FINGERPOST_UNCHANGED);
}

static void exercise(int family, const char* scheme, int policy, const char* isa) {
    fingerpost_options options;
    memset(&options, 0, sizeof options);
    fingerpost_family_options* const own = family == FINGERPOST_IPV4 ? &options.ipv4 : &options.ipv6;
    own->scheme = scheme;
    own->policy = policy;
    options.isa = isa;
    CHECK(fingerpost_create(&options, &table) == FINGERPOST_OK);
    CHECK(fingerpost_reader_create(table, &reader) == FINGERPOST_OK);
    truth.bytes = family == FINGERPOST_IPV4 ? 4 : 16;
    truth.count = 0;
    check_table();
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < CHANGES / 4; ++i)
            change(NULL, &truth);
        transact(round % 4 != 0, round % 2 == 0);
        if (round % 4 == 3)
            reload(round % 8 == 3);
        if (round % 3 == 2)
            check_table();
    }
    fingerpost_reader_destroy(reader);
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
}

int main(void) {
    const int families[] = {FINGERPOST_IPV4, FINGERPOST_IPV6};
    int tables = 0;
    for (int f = 0; f < 2; ++f)
        for (size_t s = 0; fingerpost_scheme_name(families[f], s) != NULL; ++s) {
            const char* const scheme = fingerpost_scheme_name(families[f], s);
            const unsigned policies = fingerpost_scheme_policies(families[f], scheme);
            for (int policy = FINGERPOST_REBUILD; policy <= FINGERPOST_IN_PLACE; ++policy)
                if (policies >> policy & 1) {
                    exercise(families[f], scheme, policy, NULL);
                    ++tables;
                }
        }
    // Each instruction set has its own way to swap the bytes of addresses.
    for (int f = 0; f < 2; ++f)
        for (size_t i = 0; fingerpost_isa_name(i) != NULL; ++i, ++tables)
            exercise(families[f], NULL, FINGERPOST_AUTOMATIC, fingerpost_isa_name(i));
    printf("%d tables, ", tables);
    return finish(LEAST);
}
