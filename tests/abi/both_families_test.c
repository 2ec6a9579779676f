// fingerpost_match() on live tables and images, for addresses that have two forms. The expected answers were
// worked out by hand from the rule in docs/use/library.md. Lookups search only the routes of the address's
// family.
#define _XOPEN_SOURCE 700
#include <fingerpost.h>
#include <string.h>
#include <unistd.h>

#include "tests/abi/checks.h"

struct question {
    const char* address;
    const char* route; // null for no route
};

static const char* const routes[] = {"10.0.0.0/8", "::/0", "::ffff:10.1.0.0/112", "::ffff:192.0.2.0/120"};
enum { ALL = 4 };

static const struct question with_both[] = {
    {"10.1.2.3", "10.0.0.0/8"},
    {"192.0.2.1", "::ffff:192.0.2.0/120"},
    {"192.0.3.1", NULL},
    {"::ffff:10.1.2.3", "10.0.0.0/8"},
    {"::ffff:192.0.2.1", "::ffff:192.0.2.0/120"},
    {"::ffff:192.0.3.1", "::/0"},
    {"2001:db8::1", "::/0"},
    {"::10.1.2.3", "::/0"},
};
static const struct question without_ipv4[] = {
    {"10.1.2.3", "::ffff:10.1.0.0/112"},
    {"10.2.2.3", NULL},
    {"::ffff:10.1.2.3", "::ffff:10.1.0.0/112"},
    {"::ffff:10.2.2.3", "::/0"},
};
static const struct question without_ipv6[] = {
    {"10.1.2.3", "10.0.0.0/8"},
    {"192.0.2.1", NULL},
    {"::ffff:10.1.2.3", "10.0.0.0/8"},
    {"2001:db8::1", NULL},
};

static void ask(const fingerpost_table* table, const struct question* all, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        unsigned char address[16];
        char text[FINGERPOST_TEXT_BYTES];
        fingerpost_route route;
        int family = 0;
        CHECK(fingerpost_parse_address(all[i].address, &family, address) == FINGERPOST_OK);
        const int code = fingerpost_match(table, family, address, &route);
        CHECK(code == (all[i].route == NULL ? FINGERPOST_NOT_FOUND : FINGERPOST_OK));
        if (all[i].route == NULL)
            continue;
        CHECK(fingerpost_format_prefix(&route.prefix, text, sizeof text) == FINGERPOST_OK);
        CHECK(strcmp(text, all[i].route) == 0);
        CHECK(route.prefix.family == (strchr(text, ':') == NULL ? FINGERPOST_IPV4 : FINGERPOST_IPV6));
    }
}

// Asks the questions to a table with these routes and to its image.
static void check(size_t first, size_t count, const struct question* all, size_t questions) {
    fingerpost_table *table = NULL, *image = NULL;
    fingerpost_reader* by = NULL;
    char path[256];
    uint32_t hop = 7;
    CHECK(fingerpost_create(NULL, &table) == FINGERPOST_OK);
    for (size_t i = first; i < first + count; ++i)
        CHECK(fingerpost_announce_text(table, routes[i], (uint32_t)i) == FINGERPOST_OK);
    ask(table, all, questions);
    name_temporary(path, sizeof path);
    const int made = mkstemp(path);
    CHECK(made >= 0 && close(made) == 0);
    CHECK(fingerpost_save(table, path) == FINGERPOST_OK);
    CHECK(fingerpost_open(path, NULL, &image) == FINGERPOST_OK);
    ask(image, all, questions);
    CHECK(fingerpost_reader_create(image, &by) == FINGERPOST_OK);
    CHECK(fingerpost_lookup_text(by, "::ffff:10.2.0.0", &hop, NULL) == FINGERPOST_OK);
    CHECK(hop == (first + count > 1 ? 1 : FINGERPOST_NO_ROUTE));
    CHECK(fingerpost_lookup_text(by, "192.0.2.1", &hop, NULL) == FINGERPOST_OK && hop == FINGERPOST_NO_ROUTE);
    fingerpost_reader_destroy(by);
    CHECK(fingerpost_destroy(image) == FINGERPOST_OK && fingerpost_destroy(table) == FINGERPOST_OK);
    CHECK(remove(path) == 0);
}

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

int main(void) {
    check(0, ALL, with_both, COUNT(with_both));
    check(1, ALL - 1, without_ipv4, COUNT(without_ipv4));
    check(0, 1, without_ipv6, COUNT(without_ipv6));
    return finish(150);
}
