// Times route lookups in the running kernel: an XDP program that calls bpf_fib_lookup(), started with
// BPF_PROG_TEST_RUN.
//
//     kernel_lookup 4|6 IFINDEX TRACE EXPECTED ROUNDS SECONDS
//
// It does not need a BPF compiler, because it assembles the program itself, and runs in the network namespace
// that contains the routes. TRACE has 16 bytes per address in network order (for IPv4 the first four count);
// the number of addresses is a power of two. EXPECTED has a 32-bit number for each: the last 32 bits (IPv6)
// or 24 bits (IPv4) of the gateway of the expected route, or 2^32 - 1 for no route. Every answer is compared
// after each round. It runs at least five and at most ROUNDS rounds, and starts no round after SECONDS.
// Prints one JSON object. Exit codes: 0; 1 for a failure; 3 when the kernel refuses bpf().
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    lookups_per_run = 64,
    least_lookups = 1 << 16,
    least_rounds = 5,
    exit_failure = 1,
    exit_refused = 3,
    no_gateway = -1
};

// The only value of the array map, which the program and this process share. A run starts at the cursor and
// advances it.
struct slot {
    unsigned char address[16];
    uint32_t code;    // result of bpf_fib_lookup()
    uint32_t gateway; // in network order; for IPv6 the last four bytes
    uint64_t unused;
};
struct shared {
    uint64_t cursor;
    uint64_t unused[7];
    struct slot slots[];
};

enum way { way_nothing, way_table, way_rules, ways };
static const char* const way_names[ways] = {"nothing", "table", "rules"};

static long bpf(int command, union bpf_attr* attributes) {
    return syscall(__NR_bpf, command, attributes, sizeof *attributes);
}

static void fail(const char* what) {
    const int reason = errno;
    fprintf(stderr, "kernel_lookup: %s: %s\n", what, strerror(reason));
    exit(reason == EPERM || reason == EACCES || reason == ENOSYS ? exit_refused : exit_failure);
}

static struct bpf_insn program[64];
static int length;

static void emit(uint8_t code, uint8_t to, uint8_t from, int16_t offset, int32_t number) {
    struct bpf_insn* const next = &program[length++];
    next->code = code;
    next->dst_reg = to & 15;
    next->src_reg = from & 15;
    next->off = offset;
    next->imm = number;
}

static void copy(uint8_t to, uint8_t from) {
    emit(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}
static void set(uint8_t to, int32_t number) {
    emit(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number);
}
static void compute(uint8_t operation, uint8_t to, int32_t number) {
    emit(BPF_ALU64 | operation | BPF_K, to, 0, 0, number);
}
static void load(uint8_t size, uint8_t to, uint8_t base, size_t offset) {
    emit((uint8_t)(BPF_LDX | BPF_MEM | size), to, base, (int16_t)offset, 0);
}
static void store(uint8_t size, uint8_t base, int offset, uint8_t from) {
    emit((uint8_t)(BPF_STX | BPF_MEM | size), base, from, (int16_t)offset, 0);
}
static void store_number(uint8_t size, uint8_t base, int offset, int32_t number) {
    emit(BPF_ST | BPF_MEM | size, base, 0, (int16_t)offset, number);
}

// The parameters of the call are on top of the stack, below them the pointer to the slot.
enum { parameters = -(int)sizeof(struct bpf_fib_lookup), slot_pointer = parameters - 8 };
#define FIELD(name) (parameters + (int)__builtin_offsetof(struct bpf_fib_lookup, name))

// Registers: 6 the context, 7 the shared memory, 8 the cursor, 9 the number of lookups in this run, 10 the
// frame.
static void assemble(int family, int ifindex, int map, uint32_t slots, enum way how) {
    length = 0;
    copy(6, 1);
    emit(BPF_LD | BPF_DW | BPF_IMM, 7, BPF_PSEUDO_MAP_VALUE, 0, map);
    emit(0, 0, 0, 0, 0);
    load(BPF_DW, 8, 7, __builtin_offsetof(struct shared, cursor));
    set(9, 0);
    const int again = length;
    // The number of slots is a power of two. This mask proves to the kernel that all accesses are in bounds.
    compute(BPF_AND, 8, (int32_t)(slots - 1));
    copy(1, 8);
    compute(BPF_MUL, 1, sizeof(struct slot));
    emit(BPF_ALU64 | BPF_ADD | BPF_X, 1, 7, 0, 0);
    compute(BPF_ADD, 1, __builtin_offsetof(struct shared, slots));
    store(BPF_DW, 10, slot_pointer, 1);
    for (int offset = parameters; offset < 0; offset += 8)
        store_number(BPF_DW, 10, offset, 0);
    store_number(BPF_B, 10, FIELD(family), family == 4 ? AF_INET : AF_INET6);
    store_number(BPF_W, 10, FIELD(ifindex), ifindex);
    for (int offset = 0; offset < (family == 4 ? 4 : 16); offset += 4) {
        load(BPF_W, 2, 1, (size_t)offset);
        store(BPF_W, 10, FIELD(ipv6_dst) + offset, 2);
    }
    set(0, 0);
    if (how != way_nothing) {
        copy(1, 6);
        copy(2, 10);
        compute(BPF_ADD, 2, parameters);
        set(3, sizeof(struct bpf_fib_lookup));
        // The gateways do not exist, so there are no neighbour entries.
        set(4, BPF_FIB_LOOKUP_SKIP_NEIGH | (how == way_table ? BPF_FIB_LOOKUP_DIRECT : 0));
        emit(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_fib_lookup);
    }
    load(BPF_DW, 1, 10, (size_t)slot_pointer);
    store(BPF_W, 1, __builtin_offsetof(struct slot, code), 0);
    load(BPF_W, 2, 10, (size_t)(FIELD(ipv6_dst) + (family == 4 ? 0 : 12)));
    store(BPF_W, 1, __builtin_offsetof(struct slot, gateway), 2);
    compute(BPF_ADD, 8, 1);
    compute(BPF_ADD, 9, 1);
    emit(BPF_JMP | BPF_JLT | BPF_K, 9, 0, (int16_t)(again - length - 1), lookups_per_run);
    store(BPF_DW, 7, __builtin_offsetof(struct shared, cursor), 8);
    set(0, XDP_PASS);
    emit(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static int load_program(void) {
    static char log[1 << 16];
    union bpf_attr load;
    memset(&load, 0, sizeof load);
    load.prog_type = BPF_PROG_TYPE_XDP;
    load.insns = (uintptr_t)program;
    load.insn_cnt = (uint32_t)length;
    load.license = (uintptr_t) "GPL";
    long descriptor = bpf(BPF_PROG_LOAD, &load);
    if (descriptor < 0 && errno != EPERM && errno != ENOSYS) {
        load.log_buf = (uintptr_t)log;
        load.log_size = sizeof log;
        load.log_level = 1;
        descriptor = bpf(BPF_PROG_LOAD, &load);
        fputs(log, stderr);
    }
    if (descriptor < 0)
        fail("the program is not loaded");
    return (int)descriptor;
}

// Looks up all addresses, small sets repeatedly so that starting the program does not count. Returns the CPU
// time of this thread per lookup in nanoseconds.
static double time_all(int loaded, uint32_t slots) {
    const uint32_t lookups = slots < least_lookups ? least_lookups : slots;
    char frame[64] = {0};
    union bpf_attr test;
    memset(&test, 0, sizeof test);
    test.test.prog_fd = (uint32_t)loaded;
    test.test.data_in = (uintptr_t)frame;
    test.test.data_size_in = sizeof frame;
    test.test.repeat = lookups / lookups_per_run;
    struct timespec begun, ended;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
    if (bpf(BPF_PROG_TEST_RUN, &test) != 0)
        fail("the program is not run");
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
    const double seconds =
        (double)(ended.tv_sec - begun.tv_sec) + (double)(ended.tv_nsec - begun.tv_nsec) * 1e-9;
    return seconds * 1e9 / lookups;
}

static uint32_t count_wrong(const struct shared* memory, const uint32_t* expected, uint32_t slots,
                            int family) {
    const uint32_t mask = family == 4 ? 0xffffff : 0xffffffff;
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < slots; ++i) {
        const struct slot* const one = &memory->slots[i];
        const int right =
            expected[i] == (uint32_t)no_gateway
                ? one->code == BPF_FIB_LKUP_RET_NOT_FWDED
                : one->code == BPF_FIB_LKUP_RET_SUCCESS && (ntohl(one->gateway) & mask) == expected[i];
        wrong += !right;
    }
    return wrong;
}

static struct shared* make_map(uint32_t slots, int* map) {
    const size_t bytes = sizeof(struct shared) + slots * sizeof(struct slot);
    const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    // Kernels before 5.11 count maps as locked memory. If raising the limit fails, creating the map reports
    // the error.
    (void)setrlimit(RLIMIT_MEMLOCK, &unlimited);
    union bpf_attr create;
    memset(&create, 0, sizeof create);
    create.map_type = BPF_MAP_TYPE_ARRAY;
    create.key_size = 4;
    create.value_size = (uint32_t)bytes;
    create.max_entries = 1;
    create.map_flags = BPF_F_MMAPABLE;
    *map = (int)bpf(BPF_MAP_CREATE, &create);
    if (*map < 0)
        fail("the map is not created");
    void* const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *map, 0);
    if (memory == MAP_FAILED)
        fail("the map is not mapped");
    return memory;
}

static void* read_file(const char* path, size_t* bytes) {
    FILE* const file = fopen(path, "rb");
    struct stat facts;
    if (file == NULL || fstat(fileno(file), &facts) != 0)
        fail(path);
    *bytes = (size_t)facts.st_size;
    void* const read = malloc(*bytes + 1);
    if (read == NULL || fread(read, 1, *bytes, file) != *bytes)
        fail(path);
    fclose(file);
    return read;
}

static int compare(const void* a, const void* b) {
    const double left = *(const double*)a, right = *(const double*)b;
    return (left > right) - (left < right);
}

static void print_quartiles(const char* name, double* rounds, uint32_t count) {
    qsort(rounds, count, sizeof *rounds, compare);
    printf("\"%s\": [%.2f, %.2f, %.2f]", name, rounds[count / 4], rounds[count / 2], rounds[count * 3 / 4]);
}

int main(int count, char** words) {
    if (count != 7) {
        fputs("usage: kernel_lookup 4|6 IFINDEX TRACE EXPECTED ROUNDS SECONDS\n", stderr);
        return exit_failure;
    }
    const int family = atoi(words[1]), ifindex = atoi(words[2]);
    const double seconds = atof(words[6]);
    uint32_t rounds = (uint32_t)atoi(words[5]);
    size_t trace_bytes, expected_bytes;
    const unsigned char* const trace = read_file(words[3], &trace_bytes);
    const uint32_t* const expected = read_file(words[4], &expected_bytes);
    const uint32_t slots = (uint32_t)(trace_bytes / 16);
    if (slots < lookups_per_run || (slots & (slots - 1)) != 0 || expected_bytes != slots * sizeof *expected ||
        (family != 4 && family != 6)) {
        fputs("kernel_lookup: the family, or the size of a file, is wrong\n", stderr);
        return exit_failure;
    }
    rounds = rounds < least_rounds ? least_rounds : rounds;

    int map;
    struct shared* const memory = make_map(slots, &map);
    for (uint32_t i = 0; i < slots; ++i)
        memcpy(memory->slots[i].address, trace + (size_t)i * 16, 16);
    int loaded[ways];
    for (int how = 0; how < ways; ++how) {
        assemble(family, ifindex, map, slots, (enum way)how);
        loaded[how] = load_program();
    }

    double* ns[ways];
    uint64_t wrong[ways] = {0};
    for (int how = 0; how < ways; ++how)
        if ((ns[how] = calloc(rounds, sizeof **ns)) == NULL)
            fail("memory");
    const time_t begun = time(NULL);
    uint32_t done = 0;
    // The first pass warms up: its time is not counted, but its answers are checked.
    for (uint32_t pass = 0; pass <= rounds && (done < least_rounds || difftime(time(NULL), begun) < seconds);
         ++pass) {
        double spent[ways];
        for (int how = 0; how < ways; ++how) {
            for (uint32_t i = 0; i < slots; ++i)
                memory->slots[i].code = UINT32_MAX;
            spent[how] = time_all(loaded[how], slots);
            if (how != way_nothing)
                wrong[how] += count_wrong(memory, expected, slots, family);
        }
        done = pass;
        if (pass > 0)
            for (int how = 0; how < ways; ++how)
                ns[how][pass - 1] = spent[how] - (how == way_nothing ? 0 : spent[way_nothing]);
    }
    printf("{\"rounds\": %u, \"checked\": %llu, ", done, (unsigned long long)slots * (done + 1));
    print_quartiles("loop_ns", ns[way_nothing], done);
    for (int how = way_table; how < ways; ++how) {
        printf(", \"%s\": {\"wrong\": %llu, ", way_names[how], (unsigned long long)wrong[how]);
        print_quartiles("ns", ns[how], done);
        putchar('}');
    }
    puts("}");
    return 0;
}
