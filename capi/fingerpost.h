// fingerpost for C: longest-prefix match of IPv4 and IPv6 addresses in a table that changes while it is read.
//
// A table has one family, one writer and any number of readers. The writer loads, announces and withdraws
// routes; what it commits is published as a new version. Readers look addresses up and never wait. A table
// can be saved as an image, a file that other programs map and look up in.
//
// Errors. Functions that can fail return an int: FINGERPOST_OK, which is 0, or the reason as one of the
// positive codes below. What fails has not happened, and leaves what it was to write to as it was. A null
// pointer where none is allowed is FINGERPOST_INVALID; wherever null is allowed this header says so. Nothing
// here prints, exits or throws. Functions that read or write a file tell more in a fingerpost_failure.
//
// Byte order. Addresses are bytes in network order, 4 of them for IPv4 and 16 for IPv6, as struct in_addr
// and struct in6_addr have them; no alignment is asked for. fingerpost_lookup_ipv4(),
// fingerpost_lookup_first64() and fingerpost_lookup_halves() alone take numbers in host order. Everything
// else (next hops, counts, lengths) is in host order. Lengths are in bits, memory is
// in bytes, time in nanoseconds.
//
// Threads. Functions that take a table or a transaction are for one thread at a time, the writer's, unless
// they say "any thread". A reader is for one thread at a time, beside the writer and other readers. An image
// is for any number of threads.
//
// Ownership. Everything passed in is copied. Texts that functions return are constants, never to be freed.
//
// Versions. A change of this interface that breaks programs changes the name of the shared library; new
// functions do not. docs/use/c.md has examples.
#ifndef FINGERPOST_H
#define FINGERPOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FINGERPOST_VERSION_MAJOR 0
#define FINGERPOST_VERSION_MINOR 1
#define FINGERPOST_VERSION_PATCH 0

// What a lookup answers where no route matches. It cannot be the next hop of a route; every other number can.
#define FINGERPOST_NO_ROUTE UINT32_MAX

// The longest text of an address or a prefix, with the zero at its end.
#define FINGERPOST_TEXT_BYTES 44

// The longest reason that a text is no address or prefix, with the zero at its end.
#define FINGERPOST_REASON_BYTES 160

// The longest text of fingerpost_failure, with the zero at its end.
#define FINGERPOST_FAILURE_BYTES 512

enum {
    FINGERPOST_OK = 0,
    FINGERPOST_OUT_OF_MEMORY = 1, // an allocation failed
    FINGERPOST_CAPACITY = 2,      // the scheme cannot hold this table
    FINGERPOST_UNSUPPORTED = 3,   // this scheme, this policy or this family cannot do what was asked
    FINGERPOST_INVALID = 4,       // an argument breaks what its function asks for
    FINGERPOST_NOT_FOUND = 5,     // no such prefix, match, scheme or instruction set
    FINGERPOST_SYSTEM = 6,        // the operating system refused to read or to write a file
    FINGERPOST_NOT_AN_IMAGE = 7,  // a file of another kind
    FINGERPOST_OTHER_IMAGE = 8,   // an image of another version, byte order, width or scheme
    FINGERPOST_DAMAGED = 9        // an image that has been cut or changed
};

enum { FINGERPOST_IPV4 = 4, FINGERPOST_IPV6 = 6 };

// How changes reach readers; docs/inside/live_table.md compares them.
enum {
    FINGERPOST_AUTOMATIC = 0,  // left-right where the scheme can be patched, else rebuild
    FINGERPOST_REBUILD = 1,    // every commit builds a new structure
    FINGERPOST_LEFT_RIGHT = 2, // two structures, patched in turn
    FINGERPOST_IN_PLACE = 3    // one structure; readers see each route of a transaction by itself
};

// What a commit led to.
enum {
    FINGERPOST_PUBLISHED = 0, // readers see it
    FINGERPOST_UNCHANGED = 1, // readers saw the table like this already
    FINGERPOST_PUT_OFF = 2    // committed, not published: readers stall, or commits are to be held
};

typedef struct fingerpost_table fingerpost_table;
typedef struct fingerpost_reader fingerpost_reader;
typedef struct fingerpost_transaction fingerpost_transaction;
typedef struct fingerpost_image fingerpost_image;

// Of `address`, IPv4 has the first 4 bytes; the others are ignored and written as zeros. Bits past `length`
// are taken as zeros. `length` is at most 32 or 128.
typedef struct fingerpost_prefix {
    uint8_t address[16];
    uint8_t length;
} fingerpost_prefix;

// `next_hop` is a number that only you understand. Number yours densely from 0: few distinct ones make
// tables small.
typedef struct fingerpost_route {
    fingerpost_prefix prefix;
    uint32_t next_hop;
} fingerpost_route;

// All zeros are the defaults. What is reserved must be zero.
typedef struct fingerpost_options {
    const char* scheme; // null: the default one
    const char* isa;    // null: what FINGERPOST_ISA names in the environment, else the best of this CPU
    int policy;         // FINGERPOST_AUTOMATIC, ...
    int hold_commits;   // not 0: commits wait for fingerpost_publish()
    // Replaced versions kept for readers that stall, before publication is put off; 0 means 4. It costs
    // nothing before readers stall, and SIZE_MAX is no limit.
    size_t most_old_versions;
    // How long left-right waits for readers of its hidden structure before it builds a third one, in
    // nanoseconds; 0 means as long as building takes.
    uint64_t patience;
    uint64_t reserved[4];
} fingerpost_options;

typedef struct fingerpost_result {
    uint64_t version; // the newest that readers see
    size_t changes;   // prefixes that have another next hop now
    int state;        // FINGERPOST_PUBLISHED, ...
} fingerpost_result;

typedef struct fingerpost_difference {
    size_t added;
    size_t removed;
    size_t replaced; // same prefix, another next hop
} fingerpost_difference;

// In bytes.
typedef struct fingerpost_memory_parts {
    size_t rib;     // the routes themselves
    size_t fib;     // the published structure
    size_t old;     // left-right's second one, and those that readers hold
    size_t updates; // what is to be applied, and the readers' lines
} fingerpost_memory_parts;

// Readers that keep old versions from being freed.
typedef struct fingerpost_stall {
    size_t versions;       // replaced structures that are still held
    size_t readers;        // readers pinned to something older than the newest version
    uint64_t publications; // how many publications the furthest of them is behind
    size_t bytes;          // memory of those structures
} fingerpost_stall;

// Why an image was not saved or not opened. `text` is a whole message, "table.image: byte 4160: a section has
// another checksum"; of a path that is too long for it the end stays.
typedef struct fingerpost_failure {
    uint64_t offset;  // where in the file, in bytes; 0 when that says nothing
    int system_error; // errno with FINGERPOST_SYSTEM, else 0
    char text[FINGERPOST_FAILURE_BYTES];
} fingerpost_failure;

// The version of the library that runs, "0.1.0"; the macros above are that of the header. Any thread.
const char* fingerpost_version(void);
// What a code means, in English; a text for unknown codes too. Any thread.
const char* fingerpost_error_text(int code);

// Schemes of a family by number, from 0; null past the end and for no family. A table made without naming one
// tells which is the default. Any thread.
const char* fingerpost_scheme_name(int family, size_t index);
// What a scheme is, in a line; null when there is none of that name. Any thread.
const char* fingerpost_scheme_summary(int family, const char* scheme);
// The policies that a scheme can be updated by, as the sum of 1 << policy; 0 when there is no such scheme.
// Any thread.
unsigned fingerpost_scheme_policies(int family, const char* scheme);
// Instruction sets that this CPU runs, by number, from 0, slowest first; null past the end. Any thread.
const char* fingerpost_isa_name(size_t index);

// Reads a text such as "192.0.2.1" or "2001:db8::1", as inet_pton() does, and writes 4 or 16 bytes in network
// order. FINGERPOST_INVALID: it is no address of this family; fingerpost_explain_address() tells why. Any
// thread.
int fingerpost_parse_address(int family, const char* text, void* address);
// Reads "192.0.2.0/24"; an address alone is the prefix of that address. Bits past the length are cleared.
// FINGERPOST_INVALID: it is no prefix of this family; fingerpost_explain_prefix() tells why. Any thread.
int fingerpost_parse_prefix(int family, const char* text, fingerpost_prefix* prefix);
// Why the functions above refuse a text, in English: "an octet is larger than 255 at column 8", for columns
// from 1. Writes the words and a zero; FINGERPOST_REASON_BYTES suffice for `size`, what does not fit is cut.
// FINGERPOST_NOT_FOUND: the text is fine, and nothing was written. FINGERPOST_INVALID: no such family, or no
// room for the zero. Any thread.
int fingerpost_explain_address(int family, const char* text, char* reason, size_t size);
int fingerpost_explain_prefix(int family, const char* text, char* reason, size_t size);
// Writes the text of an address, as RFC 5952 has it, and a zero. FINGERPOST_TEXT_BYTES suffice for `size`;
// FINGERPOST_INVALID when it does not. Any thread.
int fingerpost_format_address(int family, const void* address, char* text, size_t size);
// The same for a prefix, "192.0.2.0/24". FINGERPOST_INVALID too when the length is above the width.
int fingerpost_format_prefix(int family, const fingerpost_prefix* prefix, char* text, size_t size);

// Makes an empty table of family 4 or 6; null options are the defaults. FINGERPOST_NOT_FOUND: no such scheme
// for this family, or an instruction set that this CPU does not run. FINGERPOST_UNSUPPORTED: the scheme
// cannot be updated by this policy. Any thread. Give the table back to fingerpost_destroy().
int fingerpost_create(int family, const fingerpost_options* options, fingerpost_table** table);
// FINGERPOST_INVALID, and nothing is freed, while it has readers or transactions. Null is fine.
int fingerpost_destroy(fingerpost_table* table);

// Replaces the whole table by these routes, in any order; of equal prefixes the last one counts. The new
// table is built beside the old one and published at once. `routes` may be null when `count` is 0, `result`
// may be null. FINGERPOST_INVALID: a length above the width, or FINGERPOST_NO_ROUTE as a next hop.
int fingerpost_load(fingerpost_table* table, const fingerpost_route* routes, size_t count,
                    fingerpost_result* result);
// The same with the routes of an image. FINGERPOST_UNSUPPORTED when it is of the other family.
int fingerpost_load_image(fingerpost_table* table, const fingerpost_image* image, fingerpost_result* result);
// fingerpost_load() as one transaction of what differs; a table that does not differ publishes nothing.
// `difference` and `result` may be null.
int fingerpost_replace_all(fingerpost_table* table, const fingerpost_route* routes, size_t count,
                           fingerpost_difference* difference, fingerpost_result* result);
// Adds a route or gives it another next hop: a transaction of its own. FINGERPOST_INVALID as above.
int fingerpost_announce(fingerpost_table* table, const fingerpost_prefix* prefix, uint32_t next_hop);
// FINGERPOST_NOT_FOUND when there is no such route.
int fingerpost_withdraw(fingerpost_table* table, const fingerpost_prefix* prefix);

// Begins a transaction: changes that readers see all at once, or not at all (in place: each by itself). Of
// several changes of one prefix the last one counts.
int fingerpost_begin(fingerpost_table* table, fingerpost_transaction** transaction);
// Notes a change; errors as fingerpost_announce().
int fingerpost_transaction_announce(fingerpost_transaction* transaction, const fingerpost_prefix* prefix,
                                    uint32_t next_hop);
// FINGERPOST_NOT_FOUND when neither the table nor the transaction has the route.
int fingerpost_transaction_withdraw(fingerpost_transaction* transaction, const fingerpost_prefix* prefix);
// Notes many changes, in this order; FINGERPOST_NO_ROUTE as the next hop withdraws. Faster than one by one,
// as it waits for memory for many at a time. Ends before the first that the two functions above would refuse,
// with their code; `taken`, which may be null, becomes the number of those noted. `changes` may be null when
// `count` is 0.
int fingerpost_transaction_change(fingerpost_transaction* transaction, const fingerpost_route* changes,
                                  size_t count, size_t* taken);
// Makes the changes and frees the transaction. When it fails nothing has changed and the transaction lives:
// commit it again or roll it back. `result` may be null.
int fingerpost_commit(fingerpost_transaction* transaction, fingerpost_result* result);
// Forgets the changes and frees the transaction. Null is fine.
void fingerpost_rollback(fingerpost_transaction* transaction);

// Tries again what was put off, and publishes what commits were to hold. `result` may be null.
int fingerpost_publish(fingerpost_table* table, fingerpost_result* result);
// Prefixes, at least, that readers do not see as they were committed; 0 for null.
size_t fingerpost_pending(const fingerpost_table* table);
// Frees old versions that no reader holds any more, as every commit does. Null is fine.
void fingerpost_reclaim(fingerpost_table* table);
// Whether readers stall. Every count is 0 when none does.
int fingerpost_stalled(const fingerpost_table* table, fingerpost_stall* stall);
// All memory of a table, and its parts if `parts` is not null; 0 for null.
size_t fingerpost_memory(const fingerpost_table* table, fingerpost_memory_parts* parts);

// How a table was made; 0 or null for null. Any thread. Of policies the one in use, never
// FINGERPOST_AUTOMATIC.
int fingerpost_family(const fingerpost_table* table);
int fingerpost_policy(const fingerpost_table* table);
const char* fingerpost_scheme(const fingerpost_table* table);
const char* fingerpost_isa(const fingerpost_table* table);
// The newest version; they are numbered from 1, the empty table. 0 for null. Any thread.
uint64_t fingerpost_table_version(const fingerpost_table* table);

// Questions about the routes that are committed, published or not. All of these are for any thread: they take
// a lock that readers never touch and that the writer holds only for moments. However many threads ask, the
// writer waits for one question of each at most. Not for the fast path.

// How many routes there are; 0 for null.
size_t fingerpost_count(const fingerpost_table* table);
// The next hop of exactly this prefix; FINGERPOST_NOT_FOUND when it has no route of its own.
int fingerpost_get(const fingerpost_table* table, const fingerpost_prefix* prefix, uint32_t* next_hop);
// The longest match of an address with its prefix; FINGERPOST_NOT_FOUND when none matches.
int fingerpost_match(const fingerpost_table* table, const void* address, fingerpost_route* route);
// The longest match of an address of this family in a table of each family, either of which may be null. Also
// answers ::ffff:192.0.2.1 by the IPv4 route of 192.0.2.1, and without an IPv4 route 192.0.2.1 by an IPv6
// route within ::ffff:0:0/96; docs/use/library.md, "Mapped addresses", has the rule. `family_of_route`, which
// may be null, becomes that of `route`. FINGERPOST_INVALID when a table is of the other family.
int fingerpost_match_both(const fingerpost_table* ipv4, const fingerpost_table* ipv6, int family,
                          const void* address, fingerpost_route* route, int* family_of_route);
// The longest route that is shorter than `prefix` and covers it; FINGERPOST_NOT_FOUND when there is none.
int fingerpost_cover(const fingerpost_table* table, const fingerpost_prefix* prefix, fingerpost_route* route);

// Called for each route; `route` is good until it returns. Anything but 0 ends the walk. It holds no lock, so
// it may call every function here; it must return (neither longjmp nor an exception leaves it).
typedef int (*fingerpost_visit)(const fingerpost_route* route, void* context);

// All routes as they were at one moment of the call: by address, a prefix before those it covers. Copies them
// first, without holding the writer up, which takes memory, so it can fail with FINGERPOST_OUT_OF_MEMORY.
// FINGERPOST_OK when `visit` ended it too.
int fingerpost_for_each(const fingerpost_table* table, fingerpost_visit visit, void* context);
// Those shorter than `prefix` that cover it, shortest first.
int fingerpost_for_each_covering(const fingerpost_table* table, const fingerpost_prefix* prefix,
                                 fingerpost_visit visit, void* context);
// Those that `prefix` covers, its own among them, in the order of fingerpost_for_each().
int fingerpost_for_each_covered(const fingerpost_table* table, const fingerpost_prefix* prefix,
                                fingerpost_visit visit, void* context);

// Makes a reader, one for each thread that looks up; keep it. Any thread. Destroy it before the table.
int fingerpost_reader_create(fingerpost_table* table, fingerpost_reader** reader);
// By the thread that used it last. Null is fine.
void fingerpost_reader_destroy(fingerpost_reader* reader);
// Holds the newest version, so that lookups until fingerpost_reader_unpin() agree and need not find a version
// each. Called again it goes on with the newest one: do that, or unpin, between batches, as a held version
// keeps its memory. Returns the version; 0 for null. Wait-free.
uint64_t fingerpost_reader_pin(fingerpost_reader* reader);
// Lets go. A reader that is not pinned, and null, are fine.
void fingerpost_reader_unpin(fingerpost_reader* reader);

// The next hop of one address, of 4 or 16 bytes; FINGERPOST_NO_ROUTE when none matches, and for null. Without
// a pinned version it pins for the one lookup, which costs some ten nanoseconds. Wait-free.
uint32_t fingerpost_lookup(fingerpost_reader* reader, const void* address);
// The next hops of `count` addresses in network order, one after the other, 4 or 16 bytes each, all from one
// version; the fastest way from 16 addresses on. Any count, also 0, with which pointers may be null.
// `next_hops` must not overlap `addresses`. Wait-free.
int fingerpost_lookup_batch(fingerpost_reader* reader, const void* addresses, size_t count,
                            uint32_t* next_hops);
// The same for IPv4 addresses as numbers in host order: 192.0.2.1 is 0xc0000201. FINGERPOST_UNSUPPORTED when
// the table is one of IPv6.
int fingerpost_lookup_ipv4(fingerpost_reader* reader, const uint32_t* addresses, size_t count,
                           uint32_t* next_hops);
// The same for IPv6 addresses of which only the first 64 bits are given, as numbers in host order:
// 2001:db8:0:1::5 is 0x20010db800000001. Reads half of the bytes and is the fastest form of IPv6 for large
// batches. It answers while no route is longer than /64. FINGERPOST_UNSUPPORTED, and nothing is written, when
// the version that it finds has a longer one: fingerpost_lookup_halves() answers then; or when the table is
// one of IPv4. A table that is updated in place and has had a longer route since its structure was built
// counts as one that has it.
int fingerpost_lookup_first64(fingerpost_reader* reader, const uint64_t* first, size_t count,
                              uint32_t* next_hops);
// The same for every table of IPv6, with the last 64 bits of each address in `low`. FINGERPOST_UNSUPPORTED
// when the table is one of IPv4.
int fingerpost_lookup_halves(fingerpost_reader* reader, const uint64_t* first, const uint64_t* low,
                             size_t count, uint32_t* next_hops);

// Writes the routes that are committed, published or not, and a structure to look them up in as one file, an
// image; docs/inside/image_format.md describes it. A file that is there is replaced as a whole, by renaming,
// so no program ever finds half of one. The new file keeps the mode of the old one, and its owner and group
// where the system permits. Symbolic links are followed. FINGERPOST_NOT_AN_IMAGE: the path names a pipe, a
// device or a socket, which are never replaced; a folder is FINGERPOST_SYSTEM with EISDIR. When it fails the
// old file is as it was, with one exception, which `failure` tells: the new one is in place, but its folder
// could not be brought to the disk. `failure` may be null; it is written whenever this is not FINGERPOST_OK.
// FINGERPOST_CAPACITY: the table does not fit the structure. Any thread.
int fingerpost_save(const fingerpost_table* table, const char* path, fingerpost_failure* failure);
// The same of a table of each family, as two images in one file. FINGERPOST_INVALID when a table is of the
// other family.
int fingerpost_save_both(const fingerpost_table* ipv4, const fingerpost_table* ipv6, const char* path,
                         fingerpost_failure* failure);

// Images answer what a table does, from the file itself, mapped read-only: programs that have it open share
// its memory. An image does not change, so these are for any thread and any number of them at once, except
// fingerpost_image_close().

// Opens an image of either family, which fingerpost_image_family() tells, and checks all of it, so that no
// file makes a lookup go astray. It must stay as it is while it is open: let nothing but fingerpost_save()
// write to its path, which puts another file there and leaves this one to those that have it open. What its
// header shows to be no image is not read any further, however large it is. `isa` as in fingerpost_options,
// null too; FINGERPOST_NOT_FOUND when this CPU does not run it. `failure` as above. FINGERPOST_SYSTEM,
// FINGERPOST_NOT_AN_IMAGE, FINGERPOST_OTHER_IMAGE and FINGERPOST_DAMAGED: see there. An image of version 2 or
// 3 is opened as well as one of today's, 4; one of version 2 takes more memory; one of another version is to
// be saved again by the program that has its table. Give the image back to fingerpost_image_close().
// Of a file with images of both families it opens the one that has routes, and that of IPv4 when both have
// some or none has. It looks at the second one only when the first one has none.
int fingerpost_open(const char* path, const char* isa, fingerpost_image** image, fingerpost_failure* failure);
// The same of one family. FINGERPOST_OTHER_IMAGE when the file has no image of it; FINGERPOST_INVALID when
// there is no such family.
int fingerpost_open_family(const char* path, int family, const char* isa, fingerpost_image** image,
                           fingerpost_failure* failure);
// When no other thread uses it any more. Null is fine.
void fingerpost_image_close(fingerpost_image* image);

// FINGERPOST_IPV4 or FINGERPOST_IPV6; 0 for null.
int fingerpost_image_family(const fingerpost_image* image);
// Bytes of the mapped file, and of the texts that opening it copied; 0 for null.
size_t fingerpost_image_memory(const fingerpost_image* image);
// As the functions named fingerpost_lookup..., without a reader. Wait-free.
uint32_t fingerpost_image_lookup(const fingerpost_image* image, const void* address);
int fingerpost_image_lookup_batch(const fingerpost_image* image, const void* addresses, size_t count,
                                  uint32_t* next_hops);
int fingerpost_image_lookup_ipv4(const fingerpost_image* image, const uint32_t* addresses, size_t count,
                                 uint32_t* next_hops);
int fingerpost_image_lookup_first64(const fingerpost_image* image, const uint64_t* first, size_t count,
                                    uint32_t* next_hops);
int fingerpost_image_lookup_halves(const fingerpost_image* image, const uint64_t* first, const uint64_t* low,
                                   size_t count, uint32_t* next_hops);
// As fingerpost_count(), fingerpost_get(), fingerpost_match(), fingerpost_match_both() and
// fingerpost_cover(). Not for the fast path.
size_t fingerpost_image_count(const fingerpost_image* image);
int fingerpost_image_get(const fingerpost_image* image, const fingerpost_prefix* prefix, uint32_t* next_hop);
int fingerpost_image_match(const fingerpost_image* image, const void* address, fingerpost_route* route);
int fingerpost_image_match_both(const fingerpost_image* ipv4, const fingerpost_image* ipv6, int family,
                                const void* address, fingerpost_route* route, int* family_of_route);
int fingerpost_image_cover(const fingerpost_image* image, const fingerpost_prefix* prefix,
                           fingerpost_route* route);
// As fingerpost_for_each(), but copies nothing. `visit` must not close the image.
int fingerpost_image_for_each(const fingerpost_image* image, fingerpost_visit visit, void* context);

// Values: an image may keep a row of named columns of text for each next hop, as `fingerpost image save`
// writes them of a table with columns; next hop 3 stands for row 3. Texts are UTF-8 if the table was, end
// with a zero, as "%s" needs them, and live until the image is closed. Opening an image copies its texts,
// each different one once. A text may hold zeros of its own: then `size` tells where it ends.

// How many columns and rows there are; 0 when the image has no values, and for null.
size_t fingerpost_image_columns(const fingerpost_image* image);
size_t fingerpost_image_rows(const fingerpost_image* image);
// The name of a column, by number from 0, and its size in bytes without the zero; null past the end, and then
// `size`, which may be null, is not written.
const char* fingerpost_image_column_name(const fingerpost_image* image, size_t column, size_t* size);
// The text of one column in the row of a next hop; null when there is no such row or column, so also for
// FINGERPOST_NO_ROUTE. `size` as above. Wait-free.
const char* fingerpost_image_value(const fingerpost_image* image, uint32_t next_hop, size_t column,
                                   size_t* size);

#ifdef __cplusplus
}
#endif

#endif
