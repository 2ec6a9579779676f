// Saved images: they answer as the table did, on every instruction set, even when the table changes or the
// file gets another name; damaged images are refused, with their path and place.
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

// The test works in a folder of its own, which it removes.
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

// A table of random routes, which `truth` has too.
static fingerpost_table* filled(int family, size_t routes) {
    fingerpost_table* made = NULL;
    truth.bytes = family == FINGERPOST_IPV4 ? 4 : 16;
    truth.count = 0;
    for (size_t i = 0; i < routes; ++i) {
        const fingerpost_prefix p = random_prefix(&truth, &seed);
        oracle_announce(&truth, &p, random_number(&seed) % 7);
    }
    CHECK(fingerpost_create(family, NULL, &made) == FINGERPOST_OK);
    CHECK(fingerpost_load(made, truth.routes, truth.count, NULL) == FINGERPOST_OK);
    return made;
}

static void save(const fingerpost_table* table, const char* path) {
    fingerpost_failure failure;
    strcpy(failure.text, "as it was");
    CHECK(fingerpost_save(table, path, &failure) == FINGERPOST_OK);
    CHECK(strcmp(failure.text, "as it was") == 0);
}

static fingerpost_image* opened(const char* path, const char* isa) {
    fingerpost_image* image = NULL;
    CHECK(fingerpost_open(path, isa, &image, NULL) == FINGERPOST_OK && image != NULL);
    return image;
}

static int refused(const char* path, fingerpost_failure* failure) {
    fingerpost_image* image = NULL;
    const int code = fingerpost_open(path, NULL, &image, failure);
    CHECK(code != FINGERPOST_OK && image == NULL);
    return code;
}

static void check_one(const fingerpost_image* image, const uint8_t* address, uint32_t batch) {
    const uint32_t wanted = oracle_lookup(&truth, address);
    CHECK(batch == wanted && fingerpost_image_lookup(image, address) == wanted);
    fingerpost_route told;
    const int best = oracle_longest(&truth, address, 129);
    CHECK(fingerpost_image_match(image, address, &told) == (best < 0 ? FINGERPOST_NOT_FOUND : FINGERPOST_OK));
    CHECK(best < 0 || (same_prefix(&told.prefix, &truth.routes[best].prefix) && told.next_hop == wanted));
}

static void check_lookups(const fingerpost_image* image) {
    static uint8_t probes[PROBES * 16 + 1];
    static uint32_t found[PROBES + 1], again[PROBES + 1], numbers[PROBES];
    uint8_t* const from = probes + 1; // no alignment is required
    const size_t count = make_probes(&truth, from);
    found[count] = again[count] = 12345;
    CHECK(fingerpost_image_lookup_batch(image, from, count, found) == FINGERPOST_OK);
    CHECK(found[count] == 12345);
    for (size_t i = 0; i < count; ++i)
        check_one(image, from + (size_t)truth.bytes * i, found[i]);
    static uint64_t first[PROBES], low[PROBES];
    if (truth.bytes == 16) {
        CHECK(fingerpost_image_lookup_ipv4(image, numbers, 1, again) == FINGERPOST_UNSUPPORTED);
        to_halves(from, count, first, low);
        CHECK(fingerpost_image_lookup_halves(image, first, low, count, again) == FINGERPOST_OK);
        CHECK(memcmp(again, found, (count + 1) * sizeof *again) == 0);
        const int code = fingerpost_image_lookup_first64(image, first, count, again);
        CHECK(code == (oracle_has_longer(&truth, 64) ? FINGERPOST_UNSUPPORTED : FINGERPOST_OK));
        CHECK(memcmp(again, found, (count + 1) * sizeof *again) == 0);
        return;
    }
    CHECK(fingerpost_image_lookup_first64(image, first, 1, again) == FINGERPOST_UNSUPPORTED);
    CHECK(fingerpost_image_lookup_halves(image, first, low, 1, again) == FINGERPOST_UNSUPPORTED);
    to_numbers(from, count, numbers);
    CHECK(fingerpost_image_lookup_ipv4(image, numbers, count, again) == FINGERPOST_OK);
    CHECK(memcmp(again, found, (count + 1) * sizeof *again) == 0);
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

static void check_routes(const fingerpost_image* image) {
    CHECK(fingerpost_image_count(image) == truth.count);
    for (size_t i = 0; i < truth.count; ++i) {
        const fingerpost_prefix* const p = &truth.routes[i].prefix;
        fingerpost_route told;
        uint32_t hop = 0;
        CHECK(fingerpost_image_get(image, p, &hop) == FINGERPOST_OK && hop == truth.routes[i].next_hop);
        const int cover = oracle_longest(&truth, p->address, p->length);
        CHECK(fingerpost_image_cover(image, p, &told) == (cover < 0 ? FINGERPOST_NOT_FOUND : FINGERPOST_OK));
        CHECK(cover < 0 || same_prefix(&told.prefix, &truth.routes[cover].prefix));
    }
    walk all, some;
    memset(&all, 0, sizeof all);
    some = all;
    some.most = 3;
    CHECK(fingerpost_image_for_each(image, visit, &all) == FINGERPOST_OK && all.seen == truth.count);
    CHECK(fingerpost_image_for_each(image, visit, &some) == FINGERPOST_OK);
    CHECK(some.seen == (truth.count < 3 ? truth.count : 3));
}

static void check_image(const fingerpost_image* image) {
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
        fingerpost_image* const image = opened("a.image", i == 0 ? NULL : fingerpost_isa_name(i - 1));
        CHECK(fingerpost_image_family(image) == family);
        CHECK(fingerpost_image_memory(image) == (size_t)facts.st_size);
        check_image(image);
        fingerpost_image_close(image);
    }
}

// A table loaded from an image and saved again is the same table; its hash tables have other keys.
static void back_to_a_table(int family) {
    struct stat first, second;
    fingerpost_table* const table = filled(family, 60);
    save(table, "a.image");
    fingerpost_image* image = opened("a.image", NULL);
    fingerpost_table *other = NULL, *stranger = NULL;
    fingerpost_result done = {0, 0, -1};
    CHECK(fingerpost_create(family, NULL, &other) == FINGERPOST_OK);
    CHECK(fingerpost_create(10 - family, NULL, &stranger) == FINGERPOST_OK);
    CHECK(fingerpost_load_image(stranger, image, &done) == FINGERPOST_UNSUPPORTED && done.state == -1);
    CHECK(fingerpost_load_image(NULL, image, &done) == FINGERPOST_INVALID);
    CHECK(fingerpost_load_image(other, NULL, &done) == FINGERPOST_INVALID && done.state == -1);
    CHECK(fingerpost_count(stranger) == 0 && fingerpost_count(other) == 0);
    CHECK(fingerpost_load_image(other, image, &done) == FINGERPOST_OK);
    CHECK(done.changes == truth.count && done.state == FINGERPOST_PUBLISHED && done.version == 2);
    CHECK(fingerpost_load_image(other, image, NULL) == FINGERPOST_OK);
    fingerpost_image_close(image);
    save(other, "b.image");
    CHECK(stat("a.image", &first) == 0 && stat("b.image", &second) == 0 && first.st_size == second.st_size);
    image = opened("b.image", NULL);
    check_image(image);
    fingerpost_image_close(image);
    CHECK(fingerpost_destroy(stranger) == FINGERPOST_OK && fingerpost_destroy(other) == FINGERPOST_OK);
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
    CHECK(remove("b.image") == 0);
}

// Held commits are saved, though no reader sees them yet.
static void held_commits(void) {
    fingerpost_options o = {0};
    fingerpost_table* table = NULL;
    fingerpost_route route;
    CHECK(fingerpost_parse_prefix(4, "10.0.0.0/8", &route.prefix) == FINGERPOST_OK);
    o.hold_commits = 1;
    CHECK(fingerpost_create(4, &o, &table) == FINGERPOST_OK);
    CHECK(fingerpost_announce(table, &route.prefix, 3) == FINGERPOST_OK && fingerpost_pending(table) == 1);
    save(table, "a.image");
    fingerpost_image* const image = opened("a.image", NULL);
    CHECK(fingerpost_image_lookup(image, route.prefix.address) == 3);
    fingerpost_image_close(image);
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
}

// An open image stays usable when its file is replaced or removed.
static void outlives(void) {
    static oracle old;
    fingerpost_table* table = filled(6, 50);
    save(table, "a.image");
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
    fingerpost_image* const first = opened("a.image", NULL);
    old = truth;
    table = filled(4, 70);
    save(table, "a.image");
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
    fingerpost_image* const second = opened("a.image", NULL);
    CHECK(remove("a.image") == 0 && count_files(0) == 0);
    CHECK(fingerpost_image_family(first) == 6 && fingerpost_image_family(second) == 4);
    check_image(second);
    truth = old;
    check_image(first);
    fingerpost_image_close(second);
    check_image(first);
    fingerpost_image_close(first);
}

static void arguments(void) {
    fingerpost_table* const table = filled(4, 20);
    fingerpost_failure failure;
    save(table, "a.image");
    CHECK(fingerpost_save(NULL, "b.image", &failure) == FINGERPOST_INVALID);
    CHECK(strcmp(failure.text, "b.image: invalid argument") == 0 && failure.offset == 0);
    CHECK(fingerpost_save(table, NULL, &failure) == FINGERPOST_INVALID && failure.system_error == 0);
    CHECK(strcmp(failure.text, "invalid argument") == 0);
    CHECK(fingerpost_save(table, NULL, NULL) == FINGERPOST_INVALID && count_files(0) == 1);

    fingerpost_image* const image = opened("a.image", NULL);
    fingerpost_image* out = image;
    CHECK(fingerpost_open(NULL, NULL, &out, &failure) == FINGERPOST_INVALID && out == image);
    CHECK(fingerpost_open("a.image", NULL, NULL, &failure) == FINGERPOST_INVALID);
    CHECK(fingerpost_open("a.image", "abacus", &out, &failure) == FINGERPOST_NOT_FOUND && out == image);
    CHECK(strcmp(failure.text, "a.image: this CPU runs no such instruction set") == 0);
    CHECK(fingerpost_open("a.image", "abacus", &out, NULL) == FINGERPOST_NOT_FOUND);

    fingerpost_route told;
    fingerpost_prefix longer = truth.routes[0].prefix;
    uint32_t hop = 77;
    int visits = 0;
    longer.length = 33;
    CHECK(fingerpost_image_family(NULL) == 0 && fingerpost_image_memory(NULL) == 0);
    CHECK(fingerpost_image_count(NULL) == 0);
    CHECK(fingerpost_image_lookup(NULL, longer.address) == FINGERPOST_NO_ROUTE);
    CHECK(fingerpost_image_lookup(image, NULL) == FINGERPOST_NO_ROUTE);
    CHECK(fingerpost_image_lookup_batch(NULL, longer.address, 1, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_lookup_batch(image, NULL, 1, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_lookup_batch(image, longer.address, 1, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_lookup_batch(image, NULL, 0, NULL) == FINGERPOST_OK);
    CHECK(fingerpost_image_lookup_ipv4(NULL, &hop, 1, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_lookup_ipv4(image, NULL, 1, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_lookup_ipv4(image, NULL, 0, NULL) == FINGERPOST_OK);
    const uint64_t half = 1;
    CHECK(fingerpost_image_lookup_first64(NULL, &half, 1, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_lookup_first64(image, NULL, 1, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_lookup_first64(image, &half, 1, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_lookup_halves(NULL, &half, &half, 1, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_lookup_halves(image, NULL, &half, 1, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_lookup_halves(image, &half, NULL, 1, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_lookup_halves(image, &half, &half, 1, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_get(NULL, &longer, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_get(image, NULL, &hop) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_get(image, &truth.routes[0].prefix, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_get(image, &longer, &hop) == FINGERPOST_INVALID && hop == 77);
    CHECK(fingerpost_image_match(NULL, longer.address, &told) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_match(image, NULL, &told) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_match(image, longer.address, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_cover(NULL, &longer, &told) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_cover(image, &longer, &told) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_cover(image, &truth.routes[0].prefix, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_for_each(NULL, visit, &visits) == FINGERPOST_INVALID);
    CHECK(fingerpost_image_for_each(image, NULL, &visits) == FINGERPOST_INVALID);
    fingerpost_image_close(image);
    fingerpost_image_close(NULL);
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
}

// A path that is too long keeps its end.
static void long_path(const fingerpost_table* table) {
    static char path[5000];
    fingerpost_failure failure;
    memset(path, 'x', sizeof path - 1);
    CHECK(refused(path, &failure) == FINGERPOST_SYSTEM && failure.system_error == ENAMETOOLONG);
    CHECK(strlen(failure.text) == FINGERPOST_FAILURE_BYTES - 1 && failure.text[0] == 'x');
    CHECK(strstr(failure.text, "x: the file can't be opened: ") != NULL);
    CHECK(fingerpost_save(table, path, &failure) == FINGERPOST_SYSTEM);
    CHECK(failure.system_error == ENAMETOOLONG);
}

static void other_files(void) {
    fingerpost_table* const table = filled(6, 20);
    fingerpost_failure failure;
    CHECK(refused("none.image", &failure) == FINGERPOST_SYSTEM && failure.system_error == ENOENT);
    CHECK(strcmp(failure.text, "none.image: the file can't be opened: No such file or directory") == 0);
    CHECK(refused("none.image", NULL) == FINGERPOST_SYSTEM);
    CHECK(refused("", &failure) == FINGERPOST_SYSTEM && failure.system_error == ENOENT);
    CHECK(refused(".", &failure) == FINGERPOST_NOT_AN_IMAGE && failure.system_error == 0);
    CHECK(strcmp(failure.text, ".: byte 0: this is not a regular file") == 0);
    CHECK(refused("/dev/null", &failure) == FINGERPOST_NOT_AN_IMAGE);
    write_file("text", (const uint8_t*)"2001:db8::/32 1\n", 16);
    CHECK(refused("text", &failure) == FINGERPOST_NOT_AN_IMAGE && failure.offset == 0);
    write_file("text", NULL, 0);
    CHECK(refused("text", &failure) == FINGERPOST_NOT_AN_IMAGE);
    CHECK(remove("text") == 0);

    CHECK(fingerpost_save(table, "no/such.image", &failure) == FINGERPOST_SYSTEM);
    CHECK(failure.system_error == ENOENT && strncmp(failure.text, "no/such.image: ", 15) == 0);
    CHECK(fingerpost_save(table, "", &failure) == FINGERPOST_SYSTEM);
    CHECK(mkdir("taken", 0777) == 0);
    CHECK(fingerpost_save(table, "taken", &failure) == FINGERPOST_SYSTEM);
    CHECK(failure.system_error == EISDIR && fingerpost_save(table, "taken", NULL) == FINGERPOST_SYSTEM);
    CHECK(rmdir("taken") == 0);
    long_path(table);
    CHECK(count_files(0) == 1); // no temporary file stays; a.image is from the test before
    CHECK(fingerpost_destroy(table) == FINGERPOST_OK);
}

// The error that a changed copy of a good file gives.
static int refusal(const uint8_t* bytes, size_t size, uint64_t offset) {
    fingerpost_failure failure;
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
    // A later version, and the mark of byte order as machines of the other order write it.
    ++bytes[12 + (bytes[8] == 1 ? 3 : 0)];
    CHECK(refusal(bytes, size, 12) == FINGERPOST_OTHER_IMAGE);
    for (int i = 0; i < 4; ++i)
        bytes[8 + i] = (uint8_t)(5 - bytes[8 + i]);
    CHECK(refusal(bytes, size, 8) == FINGERPOST_OTHER_IMAGE);
    CHECK(remove("bad.image") == 0);
}

typedef struct watch {
    const fingerpost_image* image;
    int wrong;
} watch;

static void* look(void* context) {
    watch* const w = context;
    uint32_t out[3];
    for (int i = 0; i < 20000; ++i) {
        static const uint8_t in[12] = {10, 0, 0, 1, 10, 255, 0, 1, 11, 0, 0, 1};
        fingerpost_image_lookup_batch(w->image, in, 3, out);
        w->wrong += out[0] != 5 || out[1] != 5 || out[2] != FINGERPOST_NO_ROUTE;
    }
    return NULL;
}

// All threads use one image, while others take its place in the folder.
static void threads(void) {
    fingerpost_table* table = NULL;
    fingerpost_prefix p;
    CHECK(fingerpost_parse_prefix(4, "10.0.0.0/8", &p) == FINGERPOST_OK);
    CHECK(fingerpost_create(4, NULL, &table) == FINGERPOST_OK);
    CHECK(fingerpost_announce(table, &p, 5) == FINGERPOST_OK);
    save(table, "a.image");
    fingerpost_image* const image = opened("a.image", NULL);
    watch w[2] = {{image, 0}, {image, 0}};
    pthread_t thread[2];
    for (int i = 0; i < 2; ++i)
        CHECK(pthread_create(&thread[i], NULL, look, &w[i]) == 0);
    for (uint32_t hop = 0; hop < 20; ++hop) {
        CHECK(fingerpost_announce(table, &p, 100 + hop) == FINGERPOST_OK);
        save(table, "a.image");
        fingerpost_image* const next = opened("a.image", NULL);
        CHECK(fingerpost_image_lookup(next, p.address) == 100 + hop);
        fingerpost_image_close(next);
    }
    for (int i = 0; i < 2; ++i)
        CHECK(pthread_join(thread[i], NULL) == 0 && w[i].wrong == 0);
    fingerpost_image_close(image);
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
