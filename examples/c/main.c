// Looks up a batch of IPv6 addresses with the C interface of fingerpost, changes the table, and looks them up
// again.
#include <arpa/inet.h>
#include <fingerpost.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int code) {
    if (code == FINGERPOST_OK)
        return;
    fprintf(stderr, "%s\n", fingerpost_last_error()->text);
    exit(1);
}

static fingerpost_route route(const char* prefix, uint32_t next_hop) {
    fingerpost_route made;
    check(fingerpost_parse_prefix(prefix, &made.prefix));
    made.next_hop = next_hop;
    return made;
}

static int print(const fingerpost_route* r, void* unused) {
    char text[FINGERPOST_TEXT_BYTES];
    (void)unused;
    check(fingerpost_format_prefix(&r->prefix, text, sizeof text));
    printf("%s -> %u\n", text, (unsigned)r->next_hop);
    return 0;
}

int main(void) {
    const fingerpost_route routes[] = {route("2001:db8::/32", 1), route("2001:db8:1::/48", 2)};
    fingerpost_table* table;
    fingerpost_reader* reader;
    fingerpost_transaction* change;
    struct in6_addr in[3];
    uint32_t out[3];

    check(fingerpost_create(NULL, &table));
    check(fingerpost_load(table, routes, 2, NULL));
    check(fingerpost_reader_create(table, &reader)); // one for each thread that looks up

    inet_pton(AF_INET6, "2001:db8:1::7", &in[0]);
    inet_pton(AF_INET6, "2001:db8:2::7", &in[1]);
    inet_pton(AF_INET6, "2002::1", &in[2]);
    check(fingerpost_lookup_batch(reader, FINGERPOST_IPV6, in, 3, out));
    for (int i = 0; i < 3; ++i)
        printf("%d%s", out[i] == FINGERPOST_NO_ROUTE ? -1 : (int)out[i], i < 2 ? " " : "\n");

    // Applies both changes together, while other threads look up.
    check(fingerpost_begin(table, &change));
    check(fingerpost_transaction_withdraw(change, &routes[1].prefix));
    const fingerpost_route all = route("::/0", 9);
    check(fingerpost_transaction_announce(change, &all.prefix, all.next_hop));
    check(fingerpost_commit(change, NULL));
    check(fingerpost_lookup_batch(reader, FINGERPOST_IPV6, in, 3, out));
    printf("%u %u %u\n", (unsigned)out[0], (unsigned)out[1], (unsigned)out[2]);

    check(fingerpost_for_each(table, FINGERPOST_IPV6, print, NULL));
    fingerpost_reader_destroy(reader);
    check(fingerpost_destroy(table));
    return 0;
}
