// fingerpost_match_both() and fingerpost_image_match_both(): addresses that have two forms. The answers are
// those of the rule in docs/use/library.md, worked out by hand.
#define _XOPEN_SOURCE 700
#include <fingerpost.h>
#include <string.h>
#include <unistd.h>

#include "tests/abi/checks.h"

struct question {
    int family;
    const char* address;
    const char* route; // null: none
    int family_of_route;
};

// Of IPv4: 10.0.0.0/8. Of IPv6: ::/0, ::ffff:10.1.0.0/112, ::ffff:192.0.2.0/120.
static const struct question with_both[] = {
    {4, "10.1.2.3", "10.0.0.0/8", 4},
    {4, "192.0.2.1", "::ffff:192.0.2.0/120", 6},
    {4, "192.0.3.1", NULL, 0},
    {6, "::ffff:10.1.2.3", "10.0.0.0/8", 4},
    {6, "::ffff:192.0.2.1", "::ffff:192.0.2.0/120", 6},
    {6, "::ffff:192.0.3.1", "::/0", 6},
    {6, "2001:db8::1", "::/0", 6},
    {6, "::10.1.2.3", "::/0", 6},
};
static const struct question without_ipv4[] = {
    {4, "10.1.2.3", "::ffff:10.1.0.0/112", 6},
    {4, "10.2.2.3", NULL, 0},
    {6, "::ffff:10.1.2.3", "::ffff:10.1.0.0/112", 6},
    {6, "::ffff:10.2.2.3", "::/0", 6},
};
static const struct question without_ipv6[] = {
    {4, "10.1.2.3", "10.0.0.0/8", 4},
    {4, "192.0.2.1", NULL, 0},
    {6, "::ffff:10.1.2.3", "10.0.0.0/8", 4},
    {6, "2001:db8::1", NULL, 0},
};

static fingerpost_table* table_of(int family, const char* const* routes, size_t count) {
    fingerpost_table* table = NULL;
    CHECK(fingerpost_create(family, NULL, &table) == FINGERPOST_OK);
    for (size_t i = 0; i < count; ++i) {
        fingerpost_prefix p;
        CHECK(fingerpost_parse_prefix(family, routes[i], &p) == FINGERPOST_OK);
        CHECK(fingerpost_announce(table, &p, (uint32_t)i) == FINGERPOST_OK);
    }
    return table;
}

static void check_answer(const struct question* q, int code, int family, const fingerpost_route* route) {
    char text[FINGERPOST_TEXT_BYTES];
    CHECK(code == (q->route == NULL ? FINGERPOST_NOT_FOUND : FINGERPOST_OK));
    if (q->route == NULL)
        return;
    CHECK(family == q->family_of_route);
    CHECK(fingerpost_format_prefix(family, &route->prefix, text, sizeof text) == FINGERPOST_OK);
    CHECK(strcmp(text, q->route) == 0);
}

static void ask_tables(const struct question* all, size_t count, const fingerpost_table* four,
                       const fingerpost_table* six) {
    for (size_t i = 0; i < count; ++i) {
        unsigned char address[16];
        fingerpost_route route;
        int family = 0;
        CHECK(fingerpost_parse_address(all[i].family, all[i].address, address) == FINGERPOST_OK);
        const int code = fingerpost_match_both(four, six, all[i].family, address, &route, &family);
        check_answer(&all[i], code, family, &route);
    }
}

static void ask_images(const struct question* all, size_t count, const fingerpost_image* four,
                       const fingerpost_image* six) {
    for (size_t i = 0; i < count; ++i) {
        unsigned char address[16];
        fingerpost_route route;
        int family = 0;
        CHECK(fingerpost_parse_address(all[i].family, all[i].address, address) == FINGERPOST_OK);
        const int code = fingerpost_image_match_both(four, six, all[i].family, address, &route, &family);
        check_answer(&all[i], code, family, &route);
    }
}

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

int main(void) {
    const char* const routes4[] = {"10.0.0.0/8"};
    const char* const routes6[] = {"::/0", "::ffff:10.1.0.0/112", "::ffff:192.0.2.0/120"};
    fingerpost_table* const four = table_of(4, routes4, COUNT(routes4));
    fingerpost_table* const six = table_of(6, routes6, COUNT(routes6));
    ask_tables(with_both, COUNT(with_both), four, six);
    ask_tables(without_ipv4, COUNT(without_ipv4), NULL, six);
    ask_tables(without_ipv6, COUNT(without_ipv6), four, NULL);

    const unsigned char address[16] = {10, 1, 2, 3};
    fingerpost_route route;
    CHECK(fingerpost_match_both(four, six, 4, address, &route, NULL) == FINGERPOST_OK);
    CHECK(fingerpost_match_both(NULL, NULL, 4, address, &route, NULL) == FINGERPOST_NOT_FOUND);
    CHECK(fingerpost_match_both(six, NULL, 4, address, &route, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_match_both(NULL, four, 6, address, &route, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_match_both(four, six, 5, address, &route, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_match_both(four, six, 4, NULL, &route, NULL) == FINGERPOST_INVALID);
    CHECK(fingerpost_match_both(four, six, 4, address, NULL, NULL) == FINGERPOST_INVALID);

    char path[256];
    name_temporary(path, sizeof path);
    const int made = mkstemp(path);
    CHECK(made >= 0 && close(made) == 0);
    fingerpost_image* image4 = NULL;
    fingerpost_image* image6 = NULL;
    CHECK(fingerpost_save_both(four, six, path, NULL) == FINGERPOST_OK);
    CHECK(fingerpost_open_family(path, 4, NULL, &image4, NULL) == FINGERPOST_OK);
    CHECK(fingerpost_open_family(path, 6, NULL, &image6, NULL) == FINGERPOST_OK);
    ask_images(with_both, COUNT(with_both), image4, image6);
    ask_images(without_ipv4, COUNT(without_ipv4), NULL, image6);
    ask_images(without_ipv6, COUNT(without_ipv6), image4, NULL);
    CHECK(fingerpost_image_match_both(image6, image4, 4, address, &route, NULL) == FINGERPOST_INVALID);
    fingerpost_image_close(image4);
    fingerpost_image_close(image6);
    CHECK(remove(path) == 0);
    CHECK(fingerpost_destroy(four) == FINGERPOST_OK && fingerpost_destroy(six) == FINGERPOST_OK);
    return finish(150);
}
