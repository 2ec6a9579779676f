// C interface of fingerpost: longest-prefix match for IPv4 and IPv6 in a table that changes while it is read.
//
// A table holds the routes of both families. It has one writer and any number of readers. The writer loads,
// announces and withdraws routes. Each commit publishes a new version. Readers look up addresses and never
// wait. A table can be saved as an image, a file that other programs open as a read-only table.
//
// Errors. Functions that can fail return FINGERPOST_OK (0) or one of the positive codes below.
// fingerpost_last_error() returns the reason as text. A call that fails changes nothing and does not write to
// its output arguments. FINGERPOST_INVALID is returned for a null pointer where none is allowed, for a family
// other than 4 and 6, and for a prefix longer than an address. No function prints, exits or throws.
//
// Byte order. Addresses are bytes in network order, 4 for IPv4 and 16 for IPv6, as in struct in_addr and
// struct in6_addr. They need no alignment. Only fingerpost_lookup_ipv4(), fingerpost_lookup_first64() and
// fingerpost_lookup_halves() take addresses as numbers in host order. Next hops, counts and lengths are in
// host order. Lengths are in bits, memory is in bytes and time is in nanoseconds.
//
// Threads. Functions that take a table or a transaction must be called by one thread at a time, the writer,
// unless their comment ends with "Any thread". A reader must be used by one thread at a time. Readers work
// concurrently with the writer and with each other.
//
// Ownership. The library copies everything that is passed in. Never free a text that a function returned.
//
// Versions. A change that breaks existing programs changes the name of the shared library. New functions do
// not. docs/use/c.md has examples.
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

// Result of a lookup when no route matches. Every other number is valid as the next hop of a route.
#define FINGERPOST_NO_ROUTE UINT32_MAX

// Size of the longest text of an address or prefix, with its terminating zero.
#define FINGERPOST_TEXT_BYTES 44

// Size of the longest error text, with its terminating zero.
#define FINGERPOST_ERROR_BYTES 512

enum {
    FINGERPOST_OK = 0,
    FINGERPOST_OUT_OF_MEMORY = 1, // an allocation failed
    FINGERPOST_CAPACITY = 2,      // the scheme cannot hold this table
    FINGERPOST_UNSUPPORTED = 3,   // this scheme, policy or table does not support the operation
    FINGERPOST_INVALID = 4,       // an argument is not valid for the function
    FINGERPOST_NOT_FOUND = 5,     // no such prefix, match, scheme or instruction set
    FINGERPOST_SYSTEM = 6,        // the operating system could not read or write a file
    FINGERPOST_NOT_AN_IMAGE = 7,  // the file is not an image
    FINGERPOST_OTHER_IMAGE = 8,   // an image of another version, byte order, width or scheme
    FINGERPOST_DAMAGED = 9        // an image that was truncated or modified
};

// FINGERPOST_BOTH is accepted only where the comment of a function mentions it.
enum { FINGERPOST_BOTH = 0, FINGERPOST_IPV4 = 4, FINGERPOST_IPV6 = 6 };

// How changes reach readers. docs/inside/live_table.md compares the policies.
enum {
    FINGERPOST_AUTOMATIC = 0,  // left-right if the scheme can be patched, else rebuild
    FINGERPOST_REBUILD = 1,    // every commit builds a new structure
    FINGERPOST_LEFT_RIGHT = 2, // two structures, patched in turn
    FINGERPOST_IN_PLACE = 3    // one structure; readers may see each route of a transaction separately
};

// Result of a commit.
enum {
    FINGERPOST_PUBLISHED = 0, // readers see the change
    FINGERPOST_UNCHANGED = 1, // the table already was like this
    FINGERPOST_PUT_OFF = 2    // committed but not published: readers stall, or hold_commits is set
};

typedef struct fingerpost_table fingerpost_table;
typedef struct fingerpost_reader fingerpost_reader;
typedef struct fingerpost_transaction fingerpost_transaction;

// Reason why a call failed. `text` is a complete message: "an octet is larger than 255 at column 9",
// "table.image: byte 4160: a section has the wrong checksum". If a path is too long, only its end is kept.
typedef struct fingerpost_error {
    int code;         // FINGERPOST_OK if nothing has failed
    int system_error; // errno for FINGERPOST_SYSTEM, else 0
    uint64_t offset;  // byte position in the file; 0 if it has no meaning
    unsigned column;  // position in the text, from 1; 0 if no text was parsed
    char text[FINGERPOST_ERROR_BYTES];
} fingerpost_error;

// IPv4 uses the first 4 bytes of `address`. The others are ignored on input and zero on output. Bits past
// `length` are treated as zero. `length` is at most 32 or 128. `family` is FINGERPOST_IPV4 or
// FINGERPOST_IPV6.
typedef struct fingerpost_prefix {
    uint8_t address[16];
    uint8_t length;
    uint8_t family;
} fingerpost_prefix;

// The caller decides what the number `next_hop` means. Number your next hops densely from 0, because tables
// with few distinct ones are small. In a table of bytes, `next_hop` is the table's number for the bytes.
typedef struct fingerpost_route {
    fingerpost_prefix prefix;
    uint32_t next_hop;
} fingerpost_route;

// A structure of zeros selects the defaults.
typedef struct fingerpost_family_options {
    const char* scheme; // null: the default scheme
    int policy;         // FINGERPOST_AUTOMATIC, ...
} fingerpost_family_options;

// A structure of zeros selects the defaults. Reserved members must be zero.
typedef struct fingerpost_options {
    fingerpost_family_options ipv4;
    fingerpost_family_options ipv6;
    const char* isa;  // null: the instruction set in the environment's FINGERPOST_ISA, else the best of this
                      // CPU
    int keep_bytes;   // not 0: routes have bytes instead of next hops
    int hold_commits; // not 0: commits wait for fingerpost_publish()
    // Number of replaced versions that are kept for stalled readers before publication is deferred. 0 means
    // 4, SIZE_MAX means no limit. The limit has no cost until readers stall.
    size_t most_old_versions;
    // How long left-right waits for readers of the standby structure before it builds a third one, in
    // nanoseconds. 0 means the time that a build takes.
    uint64_t patience;
    uint64_t reserved[4];
} fingerpost_options;

typedef struct fingerpost_result {
    uint64_t version; // the newest version that readers see
    size_t changes;   // number of prefixes with a changed next hop
    int state;        // FINGERPOST_PUBLISHED, ...
} fingerpost_result;

typedef struct fingerpost_difference {
    size_t added;
    size_t removed;
    size_t replaced; // prefixes with another next hop
} fingerpost_difference;

// Sizes in bytes.
typedef struct fingerpost_memory_parts {
    size_t rib;     // the routes themselves
    size_t fib;     // published structures; for an image, its file, which all programs share
    size_t old;     // standby structures of left-right, and old versions that readers hold
    size_t updates; // pending changes, and the data of readers
    size_t values;  // table of bytes: values, except those longer than 15 bytes; image: texts
} fingerpost_memory_parts;

// Readers that keep old versions from being freed.
typedef struct fingerpost_stall {
    size_t versions;       // old structures that are still held
    size_t readers;        // readers pinned to an old version
    uint64_t publications; // number of publications since the oldest pinned version
    size_t bytes;          // memory of the old structures
} fingerpost_stall;

// Version of the library in use, such as "0.1.0". The macros above are the version of the header. Any thread.
const char* fingerpost_version(void);
// Last error of the calling thread. Calls that succeed do not change it. Never null, and valid until the
// thread ends. Only functions that return an error code and fingerpost_value() set it.
const fingerpost_error* fingerpost_last_error(void);
// Text in English for a code. Unknown codes have a text too. Any thread.
const char* fingerpost_error_text(int code);

// Name of a scheme by its index from 0, the default first. Returns null past the end and for an invalid
// family. Any thread.
const char* fingerpost_scheme_name(int family, size_t index);
// Summary of a scheme in one line. Returns null if there is no scheme with this name. Any thread.
const char* fingerpost_scheme_summary(int family, const char* scheme);
// Update policies of a scheme, as the sum of 1 << policy. Returns 0 if there is no such scheme. Any thread.
unsigned fingerpost_scheme_policies(int family, const char* scheme);
// Name of an instruction set of this CPU by index from 0, slowest first. Returns null past the end. Any
// thread.
const char* fingerpost_isa_name(size_t index);

// Parses text such as "192.0.2.1" or "2001:db8::1" like inet_pton(), and writes 4 or 16 bytes in network
// order. `address` needs room for 16 bytes. Returns FINGERPOST_INVALID, with a column, if the text is not an
// address. Any thread.
int fingerpost_parse_address(const char* text, int* family, void* address);
// Parses text such as "192.0.2.0/24". A plain address is a prefix of full length. Bits past the length are
// cleared. Returns FINGERPOST_INVALID, with a column, if the text is not a prefix. Any thread.
int fingerpost_parse_prefix(const char* text, fingerpost_prefix* prefix);
// Writes an address as text (RFC 5952) with a terminating zero. A `size` of FINGERPOST_TEXT_BYTES is always
// enough. Returns FINGERPOST_INVALID if the text does not fit. Any thread.
int fingerpost_format_address(int family, const void* address, char* text, size_t size);
// Writes a prefix as text, such as "192.0.2.0/24", like fingerpost_format_address(). Any thread.
int fingerpost_format_prefix(const fingerpost_prefix* prefix, char* text, size_t size);

// Creates an empty table. Null options select the defaults. Returns FINGERPOST_NOT_FOUND if there is no
// scheme with this name or the CPU does not have the instruction set. Returns FINGERPOST_UNSUPPORTED if the
// scheme does not support the family or the policy, or if a table of bytes is to be updated in place. Free
// the table with fingerpost_destroy(). Any thread.
int fingerpost_create(const fingerpost_options* options, fingerpost_table** table);
// Frees a table, or returns FINGERPOST_INVALID while it has readers or transactions. Null is allowed.
int fingerpost_destroy(fingerpost_table* table);

// Replaces the whole table by these routes of both families, in any order. If a prefix occurs several times,
// the last occurrence counts. The new table is built while readers use the old one, and is then published.
// `routes` may be null if `count` is 0. `result` may be null. Returns FINGERPOST_INVALID if a next hop is
// FINGERPOST_NO_ROUTE, and FINGERPOST_UNSUPPORTED for a table of bytes. This and all other functions that
// change a table return FINGERPOST_UNSUPPORTED for a table that was opened from a file.
int fingerpost_load(fingerpost_table* table, const fingerpost_route* routes, size_t count,
                    fingerpost_result* result);
// Replaces the whole table by the routes of another table. A table of bytes accepts another table of bytes,
// or an image that has a single column or a column named `value`. Returns FINGERPOST_UNSUPPORTED if the image
// has no such column.
int fingerpost_load_table(fingerpost_table* table, const fingerpost_table* from, fingerpost_result* result);
// Makes the table equal to these routes, like fingerpost_load(), but in one transaction with only the
// differences. Publishes nothing if there are none. `difference` and `result` may be null.
int fingerpost_replace_all(fingerpost_table* table, const fingerpost_route* routes, size_t count,
                           fingerpost_difference* difference, fingerpost_result* result);
// Adds a route or changes its next hop, as a transaction with one change.
int fingerpost_announce(fingerpost_table* table, const fingerpost_prefix* prefix, uint32_t next_hop);
int fingerpost_announce_text(fingerpost_table* table, const char* prefix, uint32_t next_hop);
// Adds a route or changes its bytes in a table of bytes. Returns FINGERPOST_UNSUPPORTED for other tables.
// Equal bytes are stored once. `bytes` may be null if `size` is 0.
int fingerpost_announce_bytes(fingerpost_table* table, const fingerpost_prefix* prefix, const void* bytes,
                              size_t size);
// Removes a route. Returns FINGERPOST_NOT_FOUND if there is no such route.
int fingerpost_withdraw(fingerpost_table* table, const fingerpost_prefix* prefix);
int fingerpost_withdraw_text(fingerpost_table* table, const char* prefix);

// Begins a transaction: a list of changes in both families. Readers see all of them or none, except in place,
// where they may see each change separately. If a prefix is changed several times, the last change counts.
int fingerpost_begin(fingerpost_table* table, fingerpost_transaction** transaction);
// Add a change to the transaction. Errors are those of fingerpost_announce() and fingerpost_announce_bytes().
int fingerpost_transaction_announce(fingerpost_transaction* transaction, const fingerpost_prefix* prefix,
                                    uint32_t next_hop);
int fingerpost_transaction_announce_bytes(fingerpost_transaction* transaction,
                                          const fingerpost_prefix* prefix, const void* bytes, size_t size);
// Returns FINGERPOST_NOT_FOUND if neither the table nor the transaction has the route.
int fingerpost_transaction_withdraw(fingerpost_transaction* transaction, const fingerpost_prefix* prefix);
// Adds many changes in this order. A next hop of FINGERPOST_NO_ROUTE withdraws the route. This is faster than
// single calls, because the memory accesses of many changes of one family overlap. Stops before the first
// change that the functions above would refuse, and returns their error. `added`, which may be null, is set
// to the number of changes that were added. `changes` may be null if `count` is 0.
int fingerpost_transaction_change(fingerpost_transaction* transaction, const fingerpost_route* changes,
                                  size_t count, size_t* added);
// Applies the changes and frees the transaction. On failure nothing has changed and the transaction remains
// valid: commit it again or roll it back. `result` may be null.
int fingerpost_commit(fingerpost_transaction* transaction, fingerpost_result* result);
// Discards the changes and frees the transaction. Null is allowed.
void fingerpost_rollback(fingerpost_transaction* transaction);

// Publishes commits that were deferred or held. `result` may be null.
int fingerpost_publish(fingerpost_table* table, fingerpost_result* result);
// At least this many prefixes have committed changes that readers do not see yet. Returns 0 for null.
size_t fingerpost_pending(const fingerpost_table* table);
// Frees old versions that readers no longer hold. Every commit does this too. Null is allowed.
void fingerpost_reclaim(fingerpost_table* table);
// Reports stalled readers. All counts are 0 if there are none.
int fingerpost_stalled(const fingerpost_table* table, fingerpost_stall* stall);
// Returns the total memory of a table, and writes its parts if `parts` is not null. Returns 0 for null.
size_t fingerpost_memory(const fingerpost_table* table, fingerpost_memory_parts* parts);

// Update policy in use, never FINGERPOST_AUTOMATIC. Returns 0 for a table that was opened from a file, for an
// invalid family and for null. Any thread.
int fingerpost_policy(const fingerpost_table* table, int family);
// Name of the scheme. Returns null for an invalid family, for null, and for a family that the opened file
// does not have. Any thread.
const char* fingerpost_scheme(const fingerpost_table* table, int family);
// Name of the instruction set in use. Returns null for null. Any thread.
const char* fingerpost_isa(const fingerpost_table* table);
// Newest version. Version 1 is the empty table. Returns 0 for null. Any thread.
uint64_t fingerpost_table_version(const fingerpost_table* table);

// Queries for routes. They use the committed routes, published or not, and may be called by any thread. They
// take a lock that readers never take and that the writer holds only briefly. The writer waits for at most
// one query of each thread. Do not use them in the fast path.

// Number of routes of a family or of FINGERPOST_BOTH. Returns 0 for null.
size_t fingerpost_count(const fingerpost_table* table, int family);
// Next hop of exactly this prefix. Returns FINGERPOST_NOT_FOUND if there is no such route.
int fingerpost_get(const fingerpost_table* table, const fingerpost_prefix* prefix, uint32_t* next_hop);
// Longest match of an address, with its prefix. Returns FINGERPOST_NOT_FOUND if no route matches. Mapped
// addresses match in both families: ::ffff:192.0.2.1 can match an IPv4 route, and 192.0.2.1 without an IPv4
// route can match an IPv6 route within ::ffff:0:0/96. docs/use/library.md, "Mapped addresses", has the rule.
// All other functions search only the routes of the address's family.
int fingerpost_match(const fingerpost_table* table, int family, const void* address, fingerpost_route* route);
// Longest route that covers `prefix` and is shorter than it. Returns FINGERPOST_NOT_FOUND if there is none.
int fingerpost_cover(const fingerpost_table* table, const fingerpost_prefix* prefix, fingerpost_route* route);

// Called for each route. `route` is valid until the function returns. A result other than 0 ends the walk. No
// lock is held, so it may call every function of this header. It must not leave by longjmp() or an exception.
typedef int (*fingerpost_visit)(const fingerpost_route* route, void* context);

// Visits all routes of a family or of FINGERPOST_BOTH, IPv4 first, ordered by address, with a prefix before
// those that it covers. The routes of each family are first copied at one moment, without blocking the
// writer. This can fail with FINGERPOST_OUT_OF_MEMORY. Returns FINGERPOST_OK if `visit` ended the walk.
int fingerpost_for_each(const fingerpost_table* table, int family, fingerpost_visit visit, void* context);
// Visits the routes that cover `prefix` and are shorter than it, shortest first.
int fingerpost_for_each_covering(const fingerpost_table* table, const fingerpost_prefix* prefix,
                                 fingerpost_visit visit, void* context);
// Visits the routes that `prefix` covers, including its own, in the order of fingerpost_for_each().
int fingerpost_for_each_covered(const fingerpost_table* table, const fingerpost_prefix* prefix,
                                fingerpost_visit visit, void* context);

// Creates a reader. Each thread that looks up needs one; keep it as long as the thread looks up. Destroy it
// before the table. Any thread.
int fingerpost_reader_create(fingerpost_table* table, fingerpost_reader** reader);
// Must be called by the thread that last used the reader. Null is allowed.
void fingerpost_reader_destroy(fingerpost_reader* reader);
// Pins the newest version: until fingerpost_reader_unpin(), all lookups use this version and are faster. A
// repeated call moves to the newest version. Pin again or unpin between batches, because a pinned version
// keeps its memory. Returns the version, or 0 for null. Wait-free.
uint64_t fingerpost_reader_pin(fingerpost_reader* reader);
// Releases the pinned version. Does nothing for null or if the reader is not pinned.
void fingerpost_reader_unpin(fingerpost_reader* reader);

// Next hop of one address of 4 or 16 bytes. Returns FINGERPOST_NO_ROUTE if no route matches, for an invalid
// family and for null. A reader that is not pinned is pinned for this lookup, which takes 10 ns. Wait-free.
uint32_t fingerpost_lookup(fingerpost_reader* reader, int family, const void* address);
// Looks up an address of either family, given as text, and sets `family`, which may be null. `next_hop` is
// set to FINGERPOST_NO_ROUTE if no route matches. Returns FINGERPOST_INVALID, with a column, if the text is
// not an address. Wait-free.
int fingerpost_lookup_text(fingerpost_reader* reader, const char* address, uint32_t* next_hop, int* family);
// Next hops of `count` consecutive addresses in network order, of 4 or 16 bytes each, all from one version.
// The fastest way to look up 16 or more addresses. `count` may be 0; then pointers may be null. `next_hops`
// must not overlap `addresses`. Wait-free.
int fingerpost_lookup_batch(fingerpost_reader* reader, int family, const void* addresses, size_t count,
                            uint32_t* next_hops);
// Looks up a batch of IPv4 addresses as numbers in host order: 192.0.2.1 is 0xc0000201.
int fingerpost_lookup_ipv4(fingerpost_reader* reader, const uint32_t* addresses, size_t count,
                           uint32_t* next_hops);
// Looks up a batch of IPv6 addresses by their first 64 bits as numbers in host order: 2001:db8:0:1::5 is
// 0x20010db800000001. The fastest form for large IPv6 batches in tables without routes longer than /64.
// Returns FINGERPOST_UNSUPPORTED, and writes nothing, if the version has a longer route, or if an in-place
// table has had one since its structure was built. Use fingerpost_lookup_halves() then.
int fingerpost_lookup_first64(fingerpost_reader* reader, const uint64_t* first, size_t count,
                              uint32_t* next_hops);
// Looks up a batch of IPv6 addresses as two numbers each. `low` has the last 64 bits. For every table.
int fingerpost_lookup_halves(fingerpost_reader* reader, const uint64_t* first, const uint64_t* low,
                             size_t count, uint32_t* next_hops);

// Values that next hops stand for. A table of bytes has one column, `value`. An image may have a row of named
// text columns for each next hop of a family, as written by `fingerpost image save`: next hop 3 is row 3.

// Value of a next hop that a lookup with this reader returned. Returns null for FINGERPOST_NO_ROUTE and if
// there is no such column or row. The value ends with a zero, as "%s" expects. It may contain zeros, so
// `size`, which may be null, is set to its size in bytes without the terminating zero. Values of an image are
// valid until the image is destroyed. For a table of bytes, the reader must be pinned, and a value is valid
// until the reader is pinned again, unpinned or destroyed. The next hop must be one of the pinned version.
// The writer's thread may also pass next hops from the queries above, until it changes the table. Wait-free.
const char* fingerpost_value(const fingerpost_reader* reader, int family, uint32_t next_hop, size_t column,
                             size_t* size);
// Number of columns and of rows of a family. Only images have rows. Returns 0 without values, for an invalid
// family and for null. Any thread.
size_t fingerpost_columns(const fingerpost_table* table, int family);
size_t fingerpost_rows(const fingerpost_table* table, int family);
// Name of a column by index from 0, or null past the end. `size` is as for fingerpost_value(). Any thread.
const char* fingerpost_column_name(const fingerpost_table* table, int family, size_t column, size_t* size);

// Saves the committed routes, published or not, with structures for lookups, as one file, an image
// (docs/inside/image_format.md). It contains the families that have routes, each as it is at one moment. An
// existing file is replaced as a whole, by renaming, and keeps its mode, and its owner and group if the
// system permits it. Symbolic links are followed. Returns FINGERPOST_NOT_AN_IMAGE if the path is a pipe, a
// device or a socket, which are never replaced, and FINGERPOST_SYSTEM with EISDIR if it is a directory. On
// failure the old file is unchanged, with one exception, which the error text reports: the new file is in
// place, but its directory could not be written to the disk. Returns FINGERPOST_CAPACITY if the table does
// not fit the structure. Any thread.
int fingerpost_save(const fingerpost_table* table, const char* path);
// Opens an image as a read-only table. The file is mapped, so all programs that open it share its memory. The
// whole file is checked, so that lookups are safe even with a malicious file. If the file is not an image,
// only its header is read. While the image is open, only fingerpost_save(), which puts a new file in place,
// may write to its path. A family that the file does not have has no routes. `isa` is as in
// fingerpost_options and may be null. Returns FINGERPOST_NOT_FOUND if this CPU does not have it, and
// FINGERPOST_OTHER_IMAGE for another format or a version that is too old. Other old versions may need more
// memory. Any thread.
int fingerpost_open(const char* path, const char* isa, fingerpost_table** table);

#ifdef __cplusplus
}
#endif

#endif
