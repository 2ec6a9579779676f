// Saved images answer like the table did, on every instruction set, even after the table changes or the file
// is renamed. Damaged images are refused, with their path and offset.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/abi/probes.h"

enum { FILE_MOST = 1 << 20 };

static oracle truth;
static uint64_t seed = 20260301;

// The test works in its own folder, which it removes.
static char folder[256];

static int count_files(int remove_them) {
    DIR* const here = opendir(".");
    int count = 0;
    for (struct dirent* one = readdir(here); one != NULL; one = readdir(here))
        if (strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0) {
            ++count;
            if (remove_them)
                remove(one->d_name);
        }
    closedir(here);
    return count;
}

static void leave_folder(void) {
    count_files(1);
    if (chdir("/") == 0)
        rmdir(folder);
}

static void enter_folder(void) {
    name_temporary(folder, sizeof folder);
    CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
    CHECK(atexit(leave_folder) == 0);
}

static size_t read_file(const char* path, uint8_t* bytes) {
    FILE* const file = fopen(path, "rb");
    CHECK(file != NULL);
    const size_t size = fread(bytes, 1, FILE_MOST, file);
    CHECK(size < FILE_MOST && fclose(file) == 0);
    return size;
}

static void write_file(const char* path, const uint8_t* bytes, size_t size) {
    FILE* const file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

// Fills a table and `truth` with the same random routes.
static fingerpost_table* filled(int family, size_t routes) {
    fingerpost_table* made = NULL;
    truth.bytes = family == FINGERPOST_IPV4 ? 4 : 16;
    truth.count = 0;
    for (size_t i = 0; i < routes; ++i) {
        const fingerpost_prefix p = random_prefix(&truth, &seed);
        oracle_announce(&truth, &p, random_number(&seed) % 7);
    }
    CHECK(fingerpost_create(NULL, &made) == FINGERPOST_OK);
    CHECK(fingerpost_load(made, truth.routes, truth.count, NULL) == FINGERPOST_OK);
    return made;
}

static void save(const fingerpost_table* table, const char* path) {
    CHECK(fingerpost_save(table, path) == FINGERPOST_OK);
}

static fingerpost_table* opened(const char* path, const char* isa) {
    fingerpost_table* image = NULL;
    CHECK(fingerpost_open(path, isa, &image) == FINGERPOST_OK && image != NULL);
    return image;
}

static void close_image(fingerpost_table* image) {
    CHECK(fingerpost_destroy(image) == FINGERPOST_OK);
}

static fingerpost_reader* reader_of(fingerpost_table* table) {
    fingerpost_reader* made = NULL;
    CHECK(fingerpost_reader_create(table, &made) == FINGERPOST_OK);
    return made;
}

static uint32_t look_up(fingerpost_table* table, const fingerpost_prefix* at) {
    fingerpost_reader* const by = reader_of(table);
    const uint32_t hop = fingerpost_lookup(by, at->family, at->address);
    fingerpost_reader_destroy(by);
    return hop;
}

static int refused(const char* path, fingerpost_error* why) {
    fingerpost_table* image = NULL;
    const int code = fingerpost_open(path, NULL, &image);
    CHECK(code != FINGERPOST_OK && image == NULL && fingerpost_last_error()->code == code);
    *why = *fingerpost_last_error();
    return code;
}

static void check_one(const fingerpost_table* image, fingerpost_reader* by, const uint8_t* address,
                      uint32_t batch) {
    const uint32_t wanted = oracle_lookup(&truth, address);
    CHECK(batch == wanted && fingerpost_lookup(by, family_of(&truth), address) == wanted);
    fingerpost_route told;
    const int best = oracle_longest(&truth, address, 129);
    CHECK(fingerpost_match(image, family_of(&truth), address, &told) ==
          (best < 0 ? FINGERPOST_NOT_FOUND : FINGERPOST_OK));
    CHECK(best < 0 || (same_prefix(&told.prefix, &truth.routes[best].prefix) && told.next_hop == wanted));
}

static void check_lookups(fingerpost_table* image) {
    static uint8_t probes[PROBES * 16 + 1];
    static uint32_t found[PROBES + 1], again[PROBES + 1], numbers[PROBES];
    uint8_t* const from = probes + 1; // no alignment is required
    const size_t count = make_probes(&truth, from);
    fingerpost_reader* const by = reader_of(image);
    found[count] = again[count] = 12345;
    CHECK(fingerpost_reader_pin(by) == 1);
    CHECK(fingerpost_lookup_batch(by, family_of(&truth), from, count, found) == FINGERPOST_OK);
    CHECK(found[count] == 12345);
    for (size_t i = 0; i < count; ++i)
        check_one(image, by, from + (size_t)truth.bytes * i, found[i]);
    static uint64_t first[PROBES], low[PROBES];
    uint32_t other[2] = {7, 7}; // the other family has no routes
    if (truth.bytes == 16) {
        CHECK(fingerpost_lookup_ipv4(by, numbers, 1, other) == FINGERPOST_OK);
        to_halves(from, count, first, low);
        CHECK(fingerpost_lookup_halves(by, first, low, count, again) == FINGERPOST_OK);
        CHECK(memcmp(again, found, (count + 1) * sizeof *again) == 0);
        const int code = fingerpost_lookup_first64(by, first, count, again);
        CHECK(code == (oracle_has_longer(&truth, 64) ? FINGERPOST_UNSUPPORTED : FINGERPOST_OK));
    } else {
        CHECK(fingerpost_lookup_first64(by, first, 1, other) == FINGERPOST_OK &&
              other[0] == FINGERPOST_NO_ROUTE);
        CHECK(fingerpost_lookup_halves(by, first, low, 1, other) == FINGERPOST_OK);
        to_numbers(from, count, numbers);
        CHECK(fingerpost_lookup_ipv4(by, numbers, count, again) == FINGERPOST_OK);
    }
    CHECK(memcmp(again, found, (count + 1) * sizeof *again) == 0);
    CHECK(other[0] == FINGERPOST_NO_ROUTE && other[1] == 7);
    fingerpost_reader_destroy(by);
}

typedef struct walk {
    size_t seen;
    size_t most;
    fingerpost_prefix last;
} walk;

static int visit(const fingerpost_route* r, void* context) {
    walk* const w = context;
    const int at = oracle_find(&truth, &r->prefix);
    CHECK(at >= 0 && truth.routes[at].next_hop == r->next_hop);
    const int order = memcmp(w->last.address, r->prefix.address, 16);
    CHECK(w->seen == 0 || order < 0 || (order == 0 && w->last.length < r->prefix.length));
    w->last = r->prefix;
    return ++w->seen == w->most;
}

static void check_routes(const fingerpost_table* image) {
    CHECK(fingerpost_count(image, family_of(&truth)) == truth.count);
    CHECK(fingerpost_count(image, FINGERPOST_BOTH) == truth.count);
    for (size_t i = 0; i < truth.count; ++i) {
        const fingerpost_prefix* const p = &truth.routes[i].prefix;
        fingerpost_route told;
        uint32_t hop = 0;
        CHECK(fingerpost_get(image, p, &hop) == FINGERPOST_OK && hop == truth.routes[i].next_hop);
        const int cover = oracle_longest(&truth, p->address, p->length);
        CHECK(fingerpost_cover(image, p, &told) == (cover < 0 ? FINGERPOST_NOT_FOUND : FINGERPOST_OK));
        CHECK(cover < 0 || same_prefix(&told.prefix, &truth.routes[cover].prefix));
        size_t covering = 0, covered = 0;
        for (size_t k = 0; k < truth.count; ++k) {
            const fingerpost_prefix* const q = &truth.routes[k].prefix;
            covering += q->length < p->length && holds(q, p->address);
            covered += q->length >= p->length && holds(p, q->address);
        }
        walk up, down;
        memset(&up, 0, sizeof up);
        down = up;
        CHECK(fingerpost_for_each_covering(image, p, visit, &up) == FINGERPOST_OK && up.seen == covering);
        CHECK(fingerpost_for_each_covered(image, p, visit, &down) == FINGERPOST_OK && down.seen == covered);
    }
    walk all, some;
    memset(&all, 0, sizeof all);
    some = all;
    some.most = 3;
    CHECK(fingerpost_for_each(image, FINGERPOST_BOTH, visit, &all) == FINGERPOST_OK);
    CHECK(all.seen == truth.count);
    CHECK(fingerpost_for_each(image, family_of(&truth), visit, &some) == FINGERPOST_OK);
    CHECK(some.seen == (truth.count < 3 ? truth.count : 3));
}

static void check_image(fingerpost_table* image) {
    check_lookups(image);
    check_routes(image);
}

static void answers(int family, size_t routes) {
    fingerpost_table* const table = filled(family, routes);
    struct stat facts;
    save(table, "a.image");
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
    CHECK(stat("a.image", &facts) == 0 && count_files(0) == 1);
    for (size_t i = 0; i == 0 || fingerpost_isa_name(i - 1) != NULL; ++i) {
        fingerpost_table* const image = opened("a.image", i == 0 ? NULL : fingerpost_isa_name(i - 1));
        // A file without routes contains both families.
        CHECK(fingerpost_scheme(image, family) != NULL);
        CHECK((fingerpost_scheme(image, 10 - family) != NULL) == (routes == 0));
        CHECK(fingerpost_policy(image, family) == 0 && fingerpost_table_version(image) == 1);
        CHECK(fingerpost_memory(image, NULL) == (size_t)facts.st_size);
        check_image(image);
        close_image(image);
    }
}

// Loading an image and saving it again gives an equal table with other hash keys.
static void back_to_a_table(int family) {
    struct stat first, second;
    fingerpost_table* const table = filled(family, 60);
    save(table, "a.image");
    fingerpost_table* image = opened("a.image", NULL);
    fingerpost_table* other = NULL;
    fingerpost_result done = {0, 0, -1};
    CHECK(fingerpost_create(NULL, &other) == FINGERPOST_OK);
    CHECK(fingerpost_load_table(NULL, image, &done) == FINGERPOST_INVALID);
    CHECK(fingerpost_load_table(other, NULL, &done) == FINGERPOST_INVALID && done.state == -1);
    CHECK(fingerpost_load_table(other, image, &done) == FINGERPOST_OK);
    CHECK(done.changes == truth.count && done.state == FINGERPOST_PUBLISHED && done.version == 2);
    CHECK(fingerpost_load_table(other, image, NULL) == FINGERPOST_OK);
    CHECK(fingerpost_load_table(other, table, NULL) == FINGERPOST_OK);
    CHECK(fingerpost_load_table(other, other, NULL) == FINGERPOST_OK);
    // Saving an open image writes the same bytes.
    save(image, "b.image");
    CHECK(stat("a.image", &first) == 0 && stat("b.image", &second) == 0 && first.st_size == second.st_size);
    close_image(image);
    save(other, "b.image");
    CHECK(stat("b.image", &second) == 0 && first.st_size == second.st_size);
    image = opened("b.image", NULL);
    check_image(image);
    close_image(image);
    CHECK(fingerpost_destroy(other) == FINGERPOST_OK);
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
    CHECK(remove("b.image") == 0);
}

// Saving includes held commits, although readers do not see them yet.
static void held_commits(void) {
    fingerpost_options o = {0};
    fingerpost_table* table = NULL;
    fingerpost_route route;
    CHECK(fingerpost_parse_prefix("10.0.0.0/8", &route.prefix) == FINGERPOST_OK);
    o.hold_commits = 1;
    CHECK(fingerpost_create(&o, &table) == FINGERPOST_OK);
    CHECK(fingerpost_announce(table, &route.prefix, 3) == FINGERPOST_OK && fingerpost_pending(table) == 1);
    save(table, "a.image");
    fingerpost_table* const image = opened("a.image", NULL);
    CHECK(look_up(image, &route.prefix) == 3);
    close_image(image);
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
}

// An open image stays usable when its file is replaced or removed.
static void outlives(void) {
    static oracle old;
    fingerpost_table* table = filled(6, 50);
    save(table, "a.image");
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
    fingerpost_table* const first = opened("a.image", NULL);
    old = truth;
    table = filled(4, 70);
    save(table, "a.image");
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
    fingerpost_table* const second = opened("a.image", NULL);
    CHECK(remove("a.image") == 0 && count_files(0) == 0);
    CHECK(fingerpost_scheme(first, 4) == NULL && fingerpost_scheme(second, 6) == NULL);
    check_image(second);
    truth = old;
    check_image(first);
    close_image(second);
    check_image(first);
    close_image(first);
}

static int said(const char* text) {
    return strcmp(fingerpost_last_error()->text, text) == 0;
}

static void arguments(void) {
    fingerpost_table* const table = filled(4, 20);
    save(table, "a.image");
    CHECK(fingerpost_save(NULL, "b.image") == FINGERPOST_INVALID && fingerpost_last_error()->offset == 0);
    CHECK(said("a null pointer is not allowed here"));
    CHECK(fingerpost_save(table, NULL) == FINGERPOST_INVALID && count_files(0) == 1);

    fingerpost_table* const image = opened("a.image", NULL);
    fingerpost_table* out = image;
    CHECK(fingerpost_open(NULL, NULL, &out) == FINGERPOST_INVALID && out == image);
    CHECK(fingerpost_open("a.image", NULL, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_open("a.image", "abacus", &out) == FINGERPOST_NOT_FOUND && out == image);
    CHECK(said("this CPU does not have the instruction set 'abacus'"));

    // Images cannot be changed.
    fingerpost_transaction* in = NULL;
    fingerpost_stall stall;
    const fingerpost_prefix* const p = &truth.routes[0].prefix;
    CHECK(fingerpost_announce(image, p, 1) == FINGERPOST_UNSUPPORTED);
    CHECK(said("a table that was opened from a file cannot be changed"));
    CHECK(fingerpost_withdraw(image, p) == FINGERPOST_UNSUPPORTED);
    CHECK(fingerpost_announce_text(image, "::/0", 1) == FINGERPOST_UNSUPPORTED);
    CHECK(fingerpost_announce_bytes(image, p, "x", 1) == FINGERPOST_UNSUPPORTED);
    CHECK(fingerpost_load(image, truth.routes, 1, NULL) == FINGERPOST_UNSUPPORTED);
    CHECK(fingerpost_load_table(image, table, NULL) == FINGERPOST_UNSUPPORTED);
    CHECK(fingerpost_replace_all(image, truth.routes, 1, NULL, NULL) == FINGERPOST_UNSUPPORTED);
    CHECK(fingerpost_begin(image, &in) == FINGERPOST_UNSUPPORTED && in == NULL);
    CHECK(fingerpost_publish(image, NULL) == FINGERPOST_UNSUPPORTED && fingerpost_pending(image) == 0);
    CHECK(fingerpost_stalled(image, &stall) == FINGERPOST_OK && stall.versions == 0);
    fingerpost_reclaim(image);

    fingerpost_reader* const by = reader_of(image);
    CHECK(fingerpost_destroy(image) == FINGERPOST_INVALID && said("the table has readers or transactions"));
    CHECK(fingerpost_value(by, 4, 0, 0, NULL) == NULL && fingerpost_columns(image, 4) == 0);
    uint32_t hop = 77;
    CHECK(fingerpost_lookup_batch(by, 4, NULL, 1, &hop) == FINGERPOST_INVALID && hop == 77);
    CHECK(fingerpost_lookup_batch(by, 5, p->address, 1, &hop) == FINGERPOST_INVALID && hop == 77);
    fingerpost_reader_destroy(by);
    close_image(image);
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
}

static int save_refused(const fingerpost_table* table, const char* path, fingerpost_error* why) {
    const int code = fingerpost_save(table, path);
    *why = *fingerpost_last_error();
    CHECK(code != FINGERPOST_OK && code == why->code);
    return code;
}

// Messages keep the end of a path that is too long.
static void long_path(const fingerpost_table* table) {
    static char path[5000];
    fingerpost_error failure;
    memset(path, 'x', sizeof path - 1);
    CHECK(refused(path, &failure) == FINGERPOST_SYSTEM && failure.system_error == ENAMETOOLONG);
    CHECK(strlen(failure.text) == FINGERPOST_ERROR_BYTES - 1 && failure.text[0] == 'x');
    CHECK(strstr(failure.text, "x: the file can't be opened: ") != NULL);
    CHECK(save_refused(table, path, &failure) == FINGERPOST_SYSTEM);
    CHECK(failure.system_error == ENAMETOOLONG);
}

static void other_files(void) {
    fingerpost_table* const table = filled(6, 20);
    fingerpost_error failure;
    CHECK(refused("none.image", &failure) == FINGERPOST_SYSTEM && failure.system_error == ENOENT);
    CHECK(strcmp(failure.text, "none.image: the file can't be opened: No such file or directory") == 0);
    CHECK(refused("", &failure) == FINGERPOST_SYSTEM && failure.system_error == ENOENT);
    CHECK(refused(".", &failure) == FINGERPOST_NOT_AN_IMAGE && failure.system_error == 0);
    CHECK(strcmp(failure.text, ".: byte 0: this is not a regular file") == 0);
    CHECK(refused("/dev/null", &failure) == FINGERPOST_NOT_AN_IMAGE);
    write_file("text", (const uint8_t*)"2001:db8::/32 1\n", 16);
    CHECK(refused("text", &failure) == FINGERPOST_NOT_AN_IMAGE && failure.offset == 0);
    write_file("text", NULL, 0);
    CHECK(refused("text", &failure) == FINGERPOST_NOT_AN_IMAGE);
    CHECK(remove("text") == 0);

    CHECK(save_refused(table, "no/such.image", &failure) == FINGERPOST_SYSTEM);
    CHECK(failure.system_error == ENOENT && strncmp(failure.text, "no/such.image: ", 15) == 0);
    CHECK(save_refused(table, "", &failure) == FINGERPOST_SYSTEM);
    CHECK(mkdir("taken", 0777) == 0);
    CHECK(save_refused(table, "taken", &failure) == FINGERPOST_SYSTEM);
    CHECK(failure.system_error == EISDIR && fingerpost_save(table, "taken") == FINGERPOST_SYSTEM);
    CHECK(rmdir("taken") == 0);
    long_path(table);
    CHECK(count_files(0) == 1); // no temporary file remains; a.image is left from the previous test
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
}

// Writes a changed copy of a valid file and returns the error of opening it.
static int refusal(const uint8_t* bytes, size_t size, uint64_t offset) {
    fingerpost_error failure;
    write_file("bad.image", bytes, size);
    const int code = refused("bad.image", &failure);
    char beginning[64];
    snprintf(beginning, sizeof beginning, "bad.image: byte %llu: ", (unsigned long long)failure.offset);
    CHECK(strncmp(failure.text, beginning, strlen(beginning)) == 0 && failure.system_error == 0);
    CHECK(offset == UINT64_MAX ? failure.offset <= size : failure.offset == offset);
    return code;
}

static void damage(int family) {
    static uint8_t bytes[FILE_MOST];
    fingerpost_table* const table = filled(family, 3);
    save(table, "a.image");
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
    const size_t size = read_file("a.image", bytes);
    for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 61)
        CHECK(refusal(bytes, cut, cut) == (cut == 0 ? FINGERPOST_NOT_AN_IMAGE : FINGERPOST_DAMAGED));
    CHECK(refusal(bytes, size + 1, size) == FINGERPOST_DAMAGED);
    for (size_t i = 0; i < size; i += i < 200 ? 1 : 37) {
        bytes[i] ^= 0x55;
        const int wanted = i < 8               ? FINGERPOST_NOT_AN_IMAGE
                           : i >= 12 && i < 16 ? FINGERPOST_OTHER_IMAGE
                                               : FINGERPOST_DAMAGED;
        CHECK(refusal(bytes, size, UINT64_MAX) == wanted);
        bytes[i] ^= 0x55;
    }
    // A later version, and then the byte-order mark of a machine with the other byte order.
    ++bytes[12 + (bytes[8] == 1 ? 3 : 0)];
    CHECK(refusal(bytes, size, 12) == FINGERPOST_OTHER_IMAGE);
    for (int i = 0; i < 4; ++i)
        bytes[8 + i] = (uint8_t)(5 - bytes[8 + i]);
    CHECK(refusal(bytes, size, 8) == FINGERPOST_OTHER_IMAGE);
    CHECK(remove("bad.image") == 0);
}

typedef struct watch {
    fingerpost_table* image;
    int wrong;
} watch;

static void* look(void* context) {
    watch* const w = context;
    fingerpost_reader* by = NULL;
    uint32_t out[3];
    if (fingerpost_reader_create(w->image, &by) != FINGERPOST_OK)
        return NULL;
    for (int i = 0; i < 20000; ++i) {
        static const uint8_t in[12] = {10, 0, 0, 1, 10, 255, 0, 1, 11, 0, 0, 1};
        fingerpost_lookup_batch(by, 4, in, 3, out);
        w->wrong += out[0] != 5 || out[1] != 5 || out[2] != FINGERPOST_NO_ROUTE;
    }
    fingerpost_reader_destroy(by);
    return NULL;
}

// All threads read one image while other files replace it in the folder.
static void threads(void) {
    fingerpost_table* table = NULL;
    fingerpost_prefix p;
    CHECK(fingerpost_parse_prefix("10.0.0.0/8", &p) == FINGERPOST_OK);
    CHECK(fingerpost_create(NULL, &table) == FINGERPOST_OK);
    CHECK(fingerpost_announce(table, &p, 5) == FINGERPOST_OK);
    save(table, "a.image");
    fingerpost_table* const image = opened("a.image", NULL);
    watch w[2] = {{image, 0}, {image, 0}};
    pthread_t thread[2];
    for (int i = 0; i < 2; ++i)
        CHECK(pthread_create(&thread[i], NULL, look, &w[i]) == 0);
    for (uint32_t hop = 0; hop < 20; ++hop) {
        CHECK(fingerpost_announce(table, &p, 100 + hop) == FINGERPOST_OK);
        save(table, "a.image");
        fingerpost_table* const next = opened("a.image", NULL);
        CHECK(look_up(next, &p) == 100 + hop);
        close_image(next);
    }
    for (int i = 0; i < 2; ++i)
        CHECK(pthread_join(thread[i], NULL) == 0 && w[i].wrong == 0);
    close_image(image);
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK && count_files(0) == 1);
}

int main(void) {
    const int families[] = {FINGERPOST_IPV4, FINGERPOST_IPV6};
    const size_t sizes[] = {0, 1, 40, 150};
    enter_folder();
    for (int f = 0; f < 2; ++f) {
        for (int s = 0; s < 4; ++s)
            answers(families[f], sizes[s]);
        back_to_a_table(families[f]);
    }
    held_commits();
    outlives();
    arguments();
    other_files();
    for (int f = 0; f < 2; ++f)
        damage(families[f]);
    threads();
    return finish(20000);
}
