// rte_fib and rte_fib6 as schemes: DPDK's tables of 24 bits and then 8 and 8, built from our routes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include <rte_config.h>

#include <rte_fib.h>
#include <rte_fib6.h>

#include "fingerpost/fib/scheme.hpp"
#include "lab/competitors/linked/dpdk_groups.hpp"
#include "lab/competitors/linked/dpdk_heap.hpp"

namespace fingerpost::bench {

// The number of addresses that are byte-swapped and looked up together: as many as the largest batch of the
// benchmark, twice what DPDK's AVX-512 code takes at once.
inline constexpr std::size_t chunk = 64;

// Besides its tables DPDK keeps a RIB or a hash of the rules, and a few small objects.
constexpr std::size_t bytes_beside(std::size_t routes) {
    return routes * 768 + (std::size_t{16} << 20);
}
// Inserting a route temporarily takes groups that are given back at once.
inline constexpr std::size_t spare_groups = 64;
inline constexpr std::size_t first_table = std::size_t{1} << 24;

struct network_bytes {
    std::uint8_t bytes[16];
};

inline network_bytes network_order(ipv6_address a) noexcept {
    const std::uint64_t halves[2] = {__builtin_bswap64(top64(a)), __builtin_bswap64(bottom64(a))};
    network_bytes turned;
    std::memcpy(&turned, halves, sizeof turned);
    return turned;
}

#ifdef __x86_64__
using byte_vector = char __attribute__((vector_size(16)));
// Safe: DPDK does not start on a processor without SSSE3.
__attribute__((target("ssse3"))) inline void turn_round(std::span<const ipv6_address> in,
                                                        network_bytes* out) noexcept {
    constexpr byte_vector reversed = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    for (std::size_t i = 0; i < in.size(); ++i) {
        byte_vector v;
        std::memcpy(&v, &in[i], sizeof v);
        v = __builtin_ia32_pshufb128(v, reversed);
        std::memcpy(&out[i], &v, sizeof v);
    }
}
#else
inline void turn_round(std::span<const ipv6_address> in, network_bytes* out) noexcept {
    for (std::size_t i = 0; i < in.size(); ++i)
        out[i] = network_order(in[i]);
}
#endif

// The addresses in the type of DPDK's IPv6 bulk functions, which do not write to them although the type would
// allow it.
using ipv6_rows = std::uint8_t (*)[16];

// The differences between rte_fib and rte_fib6. `entry_logs` are log2 of the bytes of an entry, the narrowest
// first.
struct dir24_8 {
    using address_type = ipv4_address;
    using handle = rte_fib;
    using settings = rte_fib_conf;
    using lookup_type = rte_fib_lookup_type;
    static constexpr std::array<unsigned, 3> entry_logs = {RTE_FIB_DIR24_8_1B, RTE_FIB_DIR24_8_2B,
                                                           RTE_FIB_DIR24_8_4B};

    static std::size_t groups_to_reserve(group_counts counts) { return counts.used; }
    static void shape(settings& conf, unsigned entry_log, std::uint32_t groups) {
        conf.type = RTE_FIB_DIR24_8;
        conf.dir24_8.nh_sz = static_cast<rte_fib_dir24_8_nh_sz>(entry_log);
        conf.dir24_8.num_tbl8 = groups;
    }
    static constexpr auto create = rte_fib_create;
    static void free(handle* fib) { rte_fib_free(fib); }
    static int add(handle* fib, const ipv4_prefix& where, std::uint64_t hop) {
        return rte_fib_add(fib, where.base.value, where.length, hop);
    }
    static int select(handle* fib, lookup_type type) { return rte_fib_select_lookup(fib, type); }
    using native = ipv4_address;
    static void lookup(handle* fib, std::span<const ipv4_address> in, std::uint64_t* out) noexcept {
        // Our array of addresses is an array of numbers in host order; DPDK only reads it.
        auto* const numbers = const_cast<std::uint32_t*>(reinterpret_cast<const std::uint32_t*>(in.data()));
        rte_fib_lookup_bulk(fib, numbers, out, static_cast<int>(in.size()));
    }
};

struct trie {
    using address_type = ipv6_address;
    using handle = rte_fib6;
    using settings = rte_fib6_conf;
    using lookup_type = rte_fib6_lookup_type;
    static constexpr std::array<unsigned, 2> entry_logs = {RTE_FIB6_TRIE_2B, RTE_FIB6_TRIE_4B};

    static std::size_t groups_to_reserve(group_counts counts) {
        return std::max(counts.used, counts.reserved);
    }
    static void shape(settings& conf, unsigned entry_log, std::uint32_t groups) {
        conf.type = RTE_FIB6_TRIE;
        conf.trie.nh_sz = static_cast<rte_fib_trie_nh_sz>(entry_log);
        conf.trie.num_tbl8 = groups;
    }
    static constexpr auto create = rte_fib6_create;
    static void free(handle* fib) { rte_fib6_free(fib); }
    static int add(handle* fib, const ipv6_prefix& where, std::uint64_t hop) {
        return rte_fib6_add(fib, network_order(where.base).bytes, where.length, hop);
    }
    static int select(handle* fib, lookup_type type) { return rte_fib6_select_lookup(fib, type); }
    using native = network_bytes;
    static void lookup(handle* fib, std::span<const network_bytes> in, std::uint64_t* out) noexcept {
        auto* const rows = reinterpret_cast<ipv6_rows>(const_cast<network_bytes*>(in.data()));
        rte_fib6_lookup_bulk(fib, rows, out, static_cast<int>(in.size()));
    }
    static void lookup(handle* fib, std::span<const ipv6_address> in, std::uint64_t* out) noexcept {
        alignas(64) std::array<network_bytes, chunk> turned;
        turn_round(in, turned.data());
        lookup(fib, std::span<const network_bytes>(turned.data(), in.size()), out);
    }
};

// The routes in DPDK's form: those to add, and the answer for addresses without a match.
template <class A>
struct dealt_routes {
    explicit dealt_routes(std::span<const route<A>> sorted) : rest(sorted) {
        if (!sorted.empty() && sorted.front().where.length == 0) {
            fallback = sorted.front().hop;
            rest = sorted.subspan(1);
        }
        for (const route<A>& entry : sorted)
            greatest = std::max(greatest, entry.hop.id);
    }
    int count() const { return static_cast<int>(std::max<std::size_t>(rest.size(), 1)); }

    std::span<const route<A>> rest;
    next_hop fallback = next_hop::none;
    std::uint32_t greatest = 0;
};

template <class F>
struct fib_free {
    void operator()(typename F::handle* fib) const noexcept { F::free(fib); }
};

// rte_fib or rte_fib6 with one of its lookup functions.
template <class F, auto Lookup>
class dpdk_fib {
  public:
    using address_type = typename F::address_type;

    static expected<dpdk_fib> build(const routes<address_type>& table, const build_options&) {
        const dealt_routes<address_type> dealt(table.sorted());
        const group_counts counts = count_groups(dealt.rest);
        const std::size_t groups = F::groups_to_reserve(counts) + spare_groups;
        for (const unsigned log : F::entry_logs) {
            // One bit of an entry distinguishes groups from next hops; the greatest next hop means none.
            const std::uint64_t miss = (std::uint64_t{1} << ((8U << log) - 1)) - 1;
            if (dealt.greatest >= miss || groups > miss)
                continue;
            dpdk_fib result;
            result.miss_ = miss;
            result.bytes_ = (first_table + 256 * counts.used) << log;
            if (const errc fault = result.fill(dealt, log, groups); fault != errc::ok)
                return unexpected{fault};
            return result;
        }
        return unexpected{errc::capacity};
    }

    next_hop lookup(address_type a) const noexcept {
        next_hop answer;
        lookup(std::span(&a, 1), std::span(&answer, 1));
        return answer;
    }
    void lookup(std::span<const address_type> in, std::span<next_hop> out) const noexcept {
        alignas(64) std::array<std::uint64_t, chunk> wide;
        for (std::size_t start = 0; start < in.size(); start += chunk) {
            const std::size_t count = std::min(chunk, in.size() - start);
            F::lookup(fib_.get(), in.subspan(start, count), wide.data());
            for (std::size_t i = 0; i < count; ++i)
                out[start + i] = {wide[i] == miss_ ? next_hop::none.id : static_cast<std::uint32_t>(wide[i])};
        }
    }
    // Takes addresses in DPDK's form (IPv6 in network order), at most a chunk of them, and returns next hops
    // in DPDK's form: an address without a match gets the id of the /0, or a number of DPDK's own if there is
    // no /0.
    using native = typename F::native;
    void lookup_native(std::span<const native> in, std::uint64_t* out) const noexcept {
        F::lookup(fib_.get(), in, out);
    }
    std::size_t memory_bytes() const noexcept { return bytes_; }

  private:
    errc fill(const dealt_routes<address_type>& dealt, unsigned log, std::size_t groups) {
        auto heap = dpdk_heap::make(((first_table + 256 * groups) << log) + 8 * groups +
                                    bytes_beside(dealt.rest.size()));
        if (!heap)
            return heap.error();
        heap_ = std::move(*heap);
        typename F::settings conf{};
        conf.default_nh = dealt.fallback == next_hop::none ? miss_ : dealt.fallback.id;
        conf.max_routes = dealt.count();
        F::shape(conf, log, static_cast<std::uint32_t>(groups));
        fib_.reset(F::create(heap_->name().c_str(), heap_->socket(), &conf));
        if (!fib_)
            return errc::out_of_memory;
        if (F::select(fib_.get(), Lookup) != 0)
            return errc::unsupported;
        for (const route<address_type>& entry : dealt.rest)
            if (F::add(fib_.get(), entry.where, entry.hop.id) != 0)
                return errc::capacity;
        return errc::ok;
    }

    // The table is destroyed before its memory.
    std::unique_ptr<dpdk_heap> heap_;
    std::unique_ptr<typename F::handle, fib_free<F>> fib_;
    std::uint64_t miss_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace fingerpost::bench
