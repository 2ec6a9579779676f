// fingerpost for C: longest-prefix match of IPv4 and IPv6 addresses in a table that changes while it is read.
//
// A table has the routes of both families, one writer and any number of readers. The writer loads, announces
// and withdraws routes; what it commits is published as a new version. Readers look addresses up and never
// wait. A table can be saved as a file, an image, which other programs open as a table that does not change.
//
// Errors. Functions that can fail return an int: FINGERPOST_OK, which is 0, or the reason as one of the
// positive codes below. fingerpost_last_error() has the reason in words. What fails has not happened, and
// leaves what it was to write to as it was. FINGERPOST_INVALID are null pointers, where this header does not
// allow them, families other than 4 and 6, and prefixes longer than an address. Nothing here prints, exits
// or throws.
//
// Byte order. Addresses are bytes in network order, 4 of them for IPv4 and 16 for IPv6, as struct in_addr
// and struct in6_addr have them; no alignment is asked for. fingerpost_lookup_ipv4(),
// fingerpost_lookup_first64() and fingerpost_lookup_halves() alone take numbers in host order. Everything
// else (next hops, counts, lengths) is in host order. Lengths are in bits, memory in bytes, time in
// nanoseconds.
//
// Threads. Functions that take a table or a transaction are for one thread at a time, the writer's, unless
// they say "any thread". A reader is for one thread at a time, beside the writer and other readers.
//
// Ownership. Everything passed in is copied. Texts that functions return are never to be freed.
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

// The longest text of an error, with the zero at its end.
#define FINGERPOST_ERROR_BYTES 512

enum {
    FINGERPOST_OK = 0,
    FINGERPOST_OUT_OF_MEMORY = 1, // an allocation failed
    FINGERPOST_CAPACITY = 2,      // the scheme cannot hold this table
    FINGERPOST_UNSUPPORTED = 3,   // this scheme, this policy or this table cannot do what was asked
    FINGERPOST_INVALID = 4,       // an argument breaks what its function asks for
    FINGERPOST_NOT_FOUND = 5,     // no such prefix, match, scheme or instruction set
    FINGERPOST_SYSTEM = 6,        // the operating system refused to read or to write a file
    FINGERPOST_NOT_AN_IMAGE = 7,  // a file of another kind
    FINGERPOST_OTHER_IMAGE = 8,   // an image of another version, byte order, width or scheme
    FINGERPOST_DAMAGED = 9        // an image that has been cut or changed
};

// Some functions take FINGERPOST_BOTH, where they say so.
enum { FINGERPOST_BOTH = 0, FINGERPOST_IPV4 = 4, FINGERPOST_IPV6 = 6 };

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

// Why a call failed. `text` is a whole message: "an octet is larger than 255 at column 9", "table.image: byte
// 4160: a section has another checksum"; of a path that is too long for it the end stays.
typedef struct fingerpost_error {
    int code;         // FINGERPOST_OK: nothing has failed
    int system_error; // errno with FINGERPOST_SYSTEM, else 0
    uint64_t offset;  // where in a file, in bytes; 0 when that says nothing
    unsigned column;  // where in a text, from 1; 0 when no text is at fault
    char text[FINGERPOST_ERROR_BYTES];
} fingerpost_error;

// Of `address`, IPv4 has the first 4 bytes; the others are ignored and written as zeros. Bits past `length`
// are taken as zeros. `length` is at most 32 or 128. `family` is FINGERPOST_IPV4 or FINGERPOST_IPV6.
typedef struct fingerpost_prefix {
    uint8_t address[16];
    uint8_t length;
    uint8_t family;
} fingerpost_prefix;

// `next_hop` is a number that only you understand. Number yours densely from 0: few distinct ones make
// tables small. In a table of bytes it is the table's number for them.
typedef struct fingerpost_route {
    fingerpost_prefix prefix;
    uint32_t next_hop;
} fingerpost_route;

// All zeros are the defaults.
typedef struct fingerpost_family_options {
    const char* scheme; // null: the default one
    int policy;         // FINGERPOST_AUTOMATIC, ...
} fingerpost_family_options;

// All zeros are the defaults. What is reserved must be zero.
typedef struct fingerpost_options {
    fingerpost_family_options ipv4;
    fingerpost_family_options ipv6;
    const char* isa;  // null: what FINGERPOST_ISA names in the environment, else the best of this CPU
    int keep_bytes;   // not 0: routes have bytes instead of next hops
    int hold_commits; // not 0: commits wait for fingerpost_publish()
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
    size_t fib;     // the published structures; of an image its file, which all programs share
    size_t old;     // left-right's second ones, and those that readers hold
    size_t updates; // what is to be applied, and the readers' lines
    size_t values;  // of a table of bytes without those that are longer than 15; of an image its texts
} fingerpost_memory_parts;

// Readers that keep old versions from being freed.
typedef struct fingerpost_stall {
    size_t versions;       // replaced structures that are still held
    size_t readers;        // readers pinned to something older than the newest version
    uint64_t publications; // how many publications the furthest of them is behind
    size_t bytes;          // memory of those structures
} fingerpost_stall;

// The version of the library that runs, "0.1.0"; the macros above are that of the header. Any thread.
const char* fingerpost_version(void);
// What failed last in the calling thread; calls that succeed leave it as it is. Never null, and valid until
// the thread ends. Only functions that return one of the codes write to it, and fingerpost_value().
const fingerpost_error* fingerpost_last_error(void);
// What a code means, in English; a text for unknown codes too. Any thread.
const char* fingerpost_error_text(int code);

// Schemes of a family by number, from 0, the default first; null past the end and for no family. Any thread.
const char* fingerpost_scheme_name(int family, size_t index);
// What a scheme is, in a line; null when there is none of that name. Any thread.
const char* fingerpost_scheme_summary(int family, const char* scheme);
// The policies that a scheme can be updated by, as the sum of 1 << policy; 0 when there is no such scheme.
// Any thread.
unsigned fingerpost_scheme_policies(int family, const char* scheme);
// Instruction sets that this CPU runs, by number, from 0, slowest first; null past the end. Any thread.
const char* fingerpost_isa_name(size_t index);

// Reads a text such as "192.0.2.1" or "2001:db8::1", as inet_pton() does, and writes 4 or 16 bytes in network
// order; have room for 16. FINGERPOST_INVALID with a column: it is not an address. Any thread.
int fingerpost_parse_address(const char* text, int* family, void* address);
// Reads "192.0.2.0/24"; an address alone is the prefix of that address. Bits past the length are cleared.
// FINGERPOST_INVALID with a column: it is not a prefix. Any thread.
int fingerpost_parse_prefix(const char* text, fingerpost_prefix* prefix);
// Writes the text of an address, as RFC 5952 has it, and a zero. FINGERPOST_TEXT_BYTES suffice for `size`;
// FINGERPOST_INVALID when it does not. Any thread.
int fingerpost_format_address(int family, const void* address, char* text, size_t size);
// The same for a prefix, "192.0.2.0/24".
int fingerpost_format_prefix(const fingerpost_prefix* prefix, char* text, size_t size);

// Makes an empty table; null options are the defaults. FINGERPOST_NOT_FOUND: no scheme of this name, or an
// instruction set that this CPU does not run. FINGERPOST_UNSUPPORTED: the scheme does not serve the family,
// or cannot be updated by this policy; tables of bytes cannot be updated in place. Any thread. Give the table
// back to fingerpost_destroy().
int fingerpost_create(const fingerpost_options* options, fingerpost_table** table);
// FINGERPOST_INVALID, and nothing is freed, while it has readers or transactions. Null is fine.
int fingerpost_destroy(fingerpost_table* table);

// Replaces the whole table by these routes of both families, in any order; of equal prefixes the last one
// counts. The new table is built beside the old one and published at once. `routes` may be null when `count`
// is 0, `result` may be null. FINGERPOST_INVALID: FINGERPOST_NO_ROUTE as a next hop. Changes of a table that
// was opened from a file are FINGERPOST_UNSUPPORTED, as are next hops for a table of bytes.
int fingerpost_load(fingerpost_table* table, const fingerpost_route* routes, size_t count,
                    fingerpost_result* result);
// The same with the routes of another table. A table of bytes takes those of another one, or the only column,
// or the one called `value`, of an image; FINGERPOST_UNSUPPORTED when there is no such column.
int fingerpost_load_table(fingerpost_table* table, const fingerpost_table* from, fingerpost_result* result);
// fingerpost_load() as one transaction of what differs; a table that does not differ publishes nothing.
// `difference` and `result` may be null.
int fingerpost_replace_all(fingerpost_table* table, const fingerpost_route* routes, size_t count,
                           fingerpost_difference* difference, fingerpost_result* result);
// Adds a route or gives it another next hop: a transaction of its own.
int fingerpost_announce(fingerpost_table* table, const fingerpost_prefix* prefix, uint32_t next_hop);
int fingerpost_announce_text(fingerpost_table* table, const char* prefix, uint32_t next_hop);
// The same in a table of bytes; FINGERPOST_UNSUPPORTED in another one. Equal bytes are stored once. `bytes`
// may be null when `size` is 0.
int fingerpost_announce_bytes(fingerpost_table* table, const fingerpost_prefix* prefix, const void* bytes,
                              size_t size);
// FINGERPOST_NOT_FOUND when there is no such route.
int fingerpost_withdraw(fingerpost_table* table, const fingerpost_prefix* prefix);
int fingerpost_withdraw_text(fingerpost_table* table, const char* prefix);

// Begins a transaction: changes in both families that readers see all at once, or not at all (in place: each
// by itself). Of several changes of one prefix the last one counts.
int fingerpost_begin(fingerpost_table* table, fingerpost_transaction** transaction);
// Notes a change; errors as of the functions above.
int fingerpost_transaction_announce(fingerpost_transaction* transaction, const fingerpost_prefix* prefix,
                                    uint32_t next_hop);
int fingerpost_transaction_announce_bytes(fingerpost_transaction* transaction,
                                          const fingerpost_prefix* prefix, const void* bytes, size_t size);
// FINGERPOST_NOT_FOUND when neither the table nor the transaction has the route.
int fingerpost_transaction_withdraw(fingerpost_transaction* transaction, const fingerpost_prefix* prefix);
// Notes many changes, in this order; FINGERPOST_NO_ROUTE as the next hop withdraws. Faster than one by one,
// as it waits for memory for many of one family at a time. Ends before the first that the functions above
// would refuse, with their code; `taken`, which may be null, becomes the number of those noted. `changes` may
// be null when `count` is 0.
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

// The policy in use, never FINGERPOST_AUTOMATIC; 0 for a table that was opened from a file, for no family and
// for null. Any thread.
int fingerpost_policy(const fingerpost_table* table, int family);
// Null for no family, for null, and for a family that the opened file does not have. Any thread.
const char* fingerpost_scheme(const fingerpost_table* table, int family);
// Null for null. Any thread.
const char* fingerpost_isa(const fingerpost_table* table);
// The newest version; they are numbered from 1, the empty table. 0 for null. Any thread.
uint64_t fingerpost_table_version(const fingerpost_table* table);

// Questions about the routes that are committed, published or not. All of these are for any thread: they take
// a lock that readers never touch and that the writer holds only for moments. However many threads ask, the
// writer waits for one question of each at most. Not for the fast path.

// How many routes there are, also of FINGERPOST_BOTH; 0 for null.
size_t fingerpost_count(const fingerpost_table* table, int family);
// The next hop of exactly this prefix; FINGERPOST_NOT_FOUND when it has no route of its own.
int fingerpost_get(const fingerpost_table* table, const fingerpost_prefix* prefix, uint32_t* next_hop);
// The longest match of an address with its prefix; FINGERPOST_NOT_FOUND when none matches. Also answers
// ::ffff:192.0.2.1 by the IPv4 route of 192.0.2.1, and without an IPv4 route 192.0.2.1 by an IPv6 route
// within
// ::ffff:0:0/96; docs/use/library.md, "Mapped addresses", has the rule. All other functions look among the
// routes of the address's family alone.
int fingerpost_match(const fingerpost_table* table, int family, const void* address, fingerpost_route* route);
// The longest route that is shorter than `prefix` and covers it; FINGERPOST_NOT_FOUND when there is none.
int fingerpost_cover(const fingerpost_table* table, const fingerpost_prefix* prefix, fingerpost_route* route);

// Called for each route; `route` is good until it returns. Anything but 0 ends the walk. It holds no lock, so
// it may call every function here; it must return (neither longjmp nor an exception leaves it).
typedef int (*fingerpost_visit)(const fingerpost_route* route, void* context);

// All routes of a family or of FINGERPOST_BOTH, IPv4 first: by address, a prefix before those it covers.
// Copies those of each family first, as they are at one moment, without holding the writer up; so it can fail
// with FINGERPOST_OUT_OF_MEMORY. FINGERPOST_OK when `visit` ended it too.
int fingerpost_for_each(const fingerpost_table* table, int family, fingerpost_visit visit, void* context);
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

// The next hop of one address, of 4 or 16 bytes; FINGERPOST_NO_ROUTE when none matches, for no family and for
// null. Pins for the one lookup if the reader is not pinned, which costs some ten nanoseconds. Wait-free.
uint32_t fingerpost_lookup(fingerpost_reader* reader, int family, const void* address);
// The same for the text of an address of either family; `family`, which may be null, becomes that one.
// `next_hop` becomes FINGERPOST_NO_ROUTE when none matches. FINGERPOST_INVALID with a column: it is no
// address. Wait-free.
int fingerpost_lookup_text(fingerpost_reader* reader, const char* address, uint32_t* next_hop, int* family);
// The next hops of `count` addresses in network order, one after the other, 4 or 16 bytes each, all from one
// version; the fastest way from 16 addresses on. Any count, also 0, with which pointers may be null.
// `next_hops` must not overlap `addresses`. Wait-free.
int fingerpost_lookup_batch(fingerpost_reader* reader, int family, const void* addresses, size_t count,
                            uint32_t* next_hops);
// The same for IPv4 addresses as numbers in host order: 192.0.2.1 is 0xc0000201.
int fingerpost_lookup_ipv4(fingerpost_reader* reader, const uint32_t* addresses, size_t count,
                           uint32_t* next_hops);
// The same for the first 64 bits of IPv6 addresses as numbers in host order: 2001:db8:0:1::5 is
// 0x20010db800000001. The fastest form of IPv6 for large batches, while no route is longer than /64.
// FINGERPOST_UNSUPPORTED, and nothing is written, when the version that it finds has a longer one, or in
// place has had one since its structure was built: fingerpost_lookup_halves() answers then.
int fingerpost_lookup_first64(fingerpost_reader* reader, const uint64_t* first, size_t count,
                              uint32_t* next_hops);
// The same for every table, with the last 64 bits of each address in `low`.
int fingerpost_lookup_halves(fingerpost_reader* reader, const uint64_t* first, const uint64_t* low,
                             size_t count, uint32_t* next_hops);

// Values: what next hops stand for. A table of bytes has one column, `value`. An image may have a row of
// named columns of text for each next hop of a family, as `fingerpost image save` writes them; next hop 3
// stands for row 3.

// The value of a next hop that a lookup of the reader gave; null for FINGERPOST_NO_ROUTE and when there is no
// such column or row. It ends with a zero, as "%s" needs it; it may hold zeros of its own, so `size`, which
// may be null, becomes its size in bytes without the zero. Values of an image live until it is destroyed. Of
// a table of bytes the reader must be pinned; a value lives until the reader is pinned again, unpinned or
// destroyed, and next hops that the pinned version does not have must not be given. The writer's thread may
// also give those that the questions above found, until it changes the table. Wait-free.
const char* fingerpost_value(const fingerpost_reader* reader, int family, uint32_t next_hop, size_t column,
                             size_t* size);
// How many columns and rows a family has; 0 without values, for no family and for null; rows of an image
// alone. Any thread.
size_t fingerpost_columns(const fingerpost_table* table, int family);
size_t fingerpost_rows(const fingerpost_table* table, int family);
// The name of a column, by number from 0; null past the end. `size` as above. Any thread.
const char* fingerpost_column_name(const fingerpost_table* table, int family, size_t column, size_t* size);

// Writes the routes that are committed, published or not, and structures to look them up in as one file, an
// image (docs/inside/image_format.md), of the families that have routes, each as it is at one moment.
// Replaces a file that is there as a whole, by renaming, and keeps its mode, and its owner and group where
// the system permits. Symbolic links are followed. FINGERPOST_NOT_AN_IMAGE: the path names a pipe, a device
// or a socket, which are never replaced; a folder is FINGERPOST_SYSTEM with EISDIR. When it fails the old
// file is as it was, but for one case, which the text of the error tells: the new one is in place, but its
// folder could not be brought to the disk. FINGERPOST_CAPACITY: the table does not fit the structure. Any
// thread.
int fingerpost_save(const fingerpost_table* table, const char* path);
// Opens an image as a table that does not change, mapped read-only: programs that have it open share its
// memory. Checks all of it, so that no file makes a lookup go astray, but reads no further than the header of
// what is not an image. While it is open let nothing but fingerpost_save() write to its path, which puts
// another file there. A family that the file does not have has no routes. `isa` as in fingerpost_options,
// null too; FINGERPOST_NOT_FOUND when this CPU does not run it. FINGERPOST_OTHER_IMAGE too for a version that
// is too old; others that are old may take more memory. Any thread.
int fingerpost_open(const char* path, const char* isa, fingerpost_table** table);

#ifdef __cplusplus
}
#endif

#endif
