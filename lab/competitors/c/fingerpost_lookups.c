// Measures lookups of fingerpost through its C interface, in the same way as all competitors (README.md).
//
//   fingerpost_lookups SCHEME FAMILY ROUTES TRACE EXPECTED TIMED
//
// Builds the table, compares every answer, prints a JSON line of facts, and then answers each line of stdin,
// `single MS` or `batch MS`, with the speed of one round of that many milliseconds, {"mlps": SPEED}.
#define _POSIX_C_SOURCE 200809L

#include <fingerpost.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Addresses between two readings of the clock, which is a system call. A multiple of the batch size.
#define CHUNK 4096
#define BATCH 64

static void fail(const char* what, const char* reason) {
    fprintf(stderr, "fingerpost_lookups: %s: %s\n", what, reason);
    exit(1);
}

static void check(int code, const char* what) {
    if (code != FINGERPOST_OK)
        fail(what, fingerpost_last_error()->text);
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct file {
    char* bytes; // followed by a zero byte
    size_t size;
} file;

static file read_file(const char* path) {
    FILE* const from = fopen(path, "rb");
    file whole = {NULL, 0};
    size_t room = 0;
    if (from == NULL)
        fail(path, "cannot be opened");
    for (;;) {
        if (whole.size + 1 >= room) {
            room = room == 0 ? 1 << 20 : 2 * room;
            whole.bytes = realloc(whole.bytes, room);
            if (whole.bytes == NULL)
                fail(path, "no memory");
        }
        const size_t got = fread(whole.bytes + whole.size, 1, room - 1 - whole.size, from);
        if (got == 0)
            break;
        whole.size += got;
    }
    if (ferror(from))
        fail(path, "cannot be read");
    fclose(from);
    whole.bytes[whole.size] = '\0';
    return whole;
}

typedef struct route_list {
    fingerpost_route* routes;
    size_t count;
} route_list;

static route_list read_routes(const char* path) {
    const file text = read_file(path);
    route_list list = {NULL, 0};
    size_t lines = 0;
    for (size_t i = 0; i < text.size; ++i)
        lines += text.bytes[i] == '\n';
    list.routes = malloc((lines + 1) * sizeof *list.routes);
    if (list.routes == NULL)
        fail(path, "no memory");
    for (char* line = text.bytes; *line != '\0';) {
        char* const end = strchr(line, '\n');
        char* const blank = strchr(line, ' ');
        if (end == NULL || blank == NULL || blank > end)
            fail(path, "a line is not `PREFIX ID`");
        *blank = '\0';
        check(fingerpost_parse_prefix(line, &list.routes[list.count].prefix), line);
        list.routes[list.count++].next_hop = (uint32_t)strtoul(blank + 1, NULL, 10);
        line = end + 1;
    }
    free(text.bytes);
    return list;
}

typedef struct trace {
    const char* addresses; // network order
    size_t width;          // bytes per address
    int family;
    size_t count;
    size_t timed; // the first addresses, which rounds look up
    size_t next;  // where the next round continues; a multiple of CHUNK
} trace;

static const char* address(const trace* of, size_t i) {
    return of->addresses + i * of->width;
}

// Both calls answer every address; a wrong answer of either counts.
static size_t count_wrong(fingerpost_reader* reader, const trace* of, const uint32_t* expected) {
    uint32_t answers[BATCH];
    size_t wrong = 0;
    for (size_t begin = 0; begin < of->count; begin += BATCH) {
        const size_t count = of->count - begin < BATCH ? of->count - begin : BATCH;
        check(fingerpost_lookup_batch(reader, of->family, address(of, begin), count, answers),
              "fingerpost_lookup_batch");
        for (size_t i = 0; i < count; ++i)
            wrong += answers[i] != expected[begin + i] ||
                     fingerpost_lookup(reader, of->family, address(of, begin + i)) != expected[begin + i];
    }
    return wrong;
}

// Results of the loops, so that the compiler does not remove them.
static volatile uint32_t sink;

static void look_up_single(fingerpost_reader* reader, const trace* of, size_t begin) {
    uint32_t sum = 0;
    for (size_t i = begin; i < begin + CHUNK; ++i)
        sum += fingerpost_lookup(reader, of->family, address(of, i));
    sink = sum;
}

static void look_up_batches(fingerpost_reader* reader, const trace* of, size_t begin) {
    uint32_t answers[BATCH];
    for (size_t i = begin; i < begin + CHUNK; i += BATCH)
        fingerpost_lookup_batch(reader, of->family, address(of, i), BATCH, answers);
    sink = answers[0];
}

typedef void look_up(fingerpost_reader*, const trace*, size_t);

// Returns millions of lookups per second of CPU time.
static double run_for(double target, look_up* call, fingerpost_reader* reader, trace* of) {
    const double begun = seconds(CLOCK_THREAD_CPUTIME_ID);
    double elapsed = 0;
    size_t done = 0;
    do {
        // The table does not change during a measurement; a program would refresh between batches of packets.
        fingerpost_reader_pin(reader);
        call(reader, of, of->next);
        of->next = of->next + 2 * CHUNK <= of->timed ? of->next + CHUNK : 0;
        done += CHUNK;
        elapsed = seconds(CLOCK_THREAD_CPUTIME_ID) - begun;
    } while (elapsed < target);
    return (double)done / elapsed / 1e6;
}

int main(int argc, char** argv) {
    if (argc != 7)
        fail("usage", "fingerpost_lookups SCHEME FAMILY ROUTES TRACE EXPECTED TIMED");
    const int family = atoi(argv[2]);
    const route_list list = read_routes(argv[3]);
    const file addresses = read_file(argv[4]), expected = read_file(argv[5]);
    trace of = {
        addresses.bytes, family == FINGERPOST_IPV4 ? 4 : 16, family, 0, strtoul(argv[6], NULL, 10), 0};
    of.count = addresses.size / of.width;
    if (expected.size != of.count * sizeof(uint32_t) || of.timed > of.count || of.timed < CHUNK)
        fail(argv[5], "its answers or the timed addresses do not fit the trace");

    fingerpost_options options = {0};
    (family == FINGERPOST_IPV4 ? &options.ipv4 : &options.ipv6)->scheme = argv[1];
    fingerpost_table* table;
    check(fingerpost_create(&options, &table), argv[1]);
    const double begun = seconds(CLOCK_MONOTONIC);
    check(fingerpost_load(table, list.routes, list.count, NULL), "fingerpost_load");
    const double build_ms = 1e3 * (seconds(CLOCK_MONOTONIC) - begun);
    fingerpost_memory_parts parts;
    const size_t all_bytes = fingerpost_memory(table, &parts);
    fingerpost_reader* reader;
    check(fingerpost_reader_create(table, &reader), "fingerpost_reader_create");
    const size_t wrong = count_wrong(reader, &of, (const uint32_t*)(const void*)expected.bytes);
    printf(
        "{\"version\": \"%s\", \"call\": \"fingerpost_lookup\", "
        "\"batch_call\": \"fingerpost_lookup_batch\", \"batch\": %d, \"language\": \"C\", \"isa\": \"%s\", "
        "\"bytes\": %zu, \"bytes_kind\": \"published structure, without the routes\", \"all_bytes\": %zu, "
        "\"build_ms\": %.3f, \"checked\": %zu, \"wrong\": %zu}\n",
        fingerpost_version(), BATCH, fingerpost_isa(table), parts.fib, all_bytes, build_ms, of.count, wrong);
    fflush(stdout);

    char line[64], call[16];
    double ms;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "%15s %lf", call, &ms) != 2 ||
            (strcmp(call, "single") != 0 && strcmp(call, "batch") != 0))
            fail("not understood", line);
        look_up* const chosen = strcmp(call, "batch") == 0 ? look_up_batches : look_up_single;
        run_for(ms / 8e3, chosen, reader, &of);
        printf("{\"mlps\": %.6f}\n", run_for(ms / 1e3, chosen, reader, &of));
        fflush(stdout);
    }
    fingerpost_reader_destroy(reader);
    check(fingerpost_destroy(table), "fingerpost_destroy");
    free(list.routes);
    free(addresses.bytes);
    free(expected.bytes);
    return 0;
}
