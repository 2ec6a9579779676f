// Adapts DPDK's tables to the scheme interface.
#include "lab/competitors/linked/dpdk.hpp"

#include <rte_lpm6.h>

#include "fingerpost/fib/make_entry.hpp"
#include "lab/competitors/linked/dpdk_fib.hpp"

namespace fingerpost::bench {
namespace {

struct lpm6_free {
    void operator()(rte_lpm6* lpm) const noexcept { rte_lpm6_free(lpm); }
};

// rte_lpm6, which has one lookup function: entries of 4 bytes, next hops of 21 bits.
class dpdk_lpm6 {
  public:
    static expected<dpdk_lpm6> build(const routes<ipv6_address>& table, const build_options&) {
        const dealt_routes<ipv6_address> dealt(table.sorted());
        const group_counts counts = count_groups(dealt.rest);
        const std::size_t groups = counts.used + spare_groups;
        if (groups > most || dealt.greatest >= most)
            return unexpected{errc::capacity};
        dpdk_lpm6 result;
        result.fallback_ = dealt.fallback;
        result.bytes_ = (first_table + 256 * counts.used) * entry_bytes;
        if (const errc fault = result.fill(dealt, groups); fault != errc::ok)
            return unexpected{fault};
        return result;
    }

    next_hop lookup(ipv6_address a) const noexcept {
        network_bytes turned = network_order(a);
        std::uint32_t answer;
        return rte_lpm6_lookup(lpm_.get(), turned.bytes, &answer) == 0 ? next_hop{answer} : fallback_;
    }
    void lookup(std::span<const ipv6_address> in, std::span<next_hop> out) const noexcept {
        alignas(64) std::array<network_bytes, chunk> turned;
        alignas(64) std::array<std::int32_t, chunk> answers;
        for (std::size_t start = 0; start < in.size(); start += chunk) {
            const std::size_t count = std::min(chunk, in.size() - start);
            turn_round(in.subspan(start, count), turned.data());
            rte_lpm6_lookup_bulk_func(lpm_.get(), reinterpret_cast<ipv6_rows>(turned.data()), answers.data(),
                                      static_cast<unsigned>(count));
            for (std::size_t i = 0; i < count; ++i)
                out[start + i] = {answers[i] < 0 ? fallback_.id : static_cast<std::uint32_t>(answers[i])};
        }
    }
    std::size_t memory_bytes() const noexcept { return bytes_; }

  private:
    static constexpr std::size_t most = std::size_t{1} << 21;
    static constexpr std::size_t entry_bytes = 4;

    errc fill(const dealt_routes<ipv6_address>& dealt, std::size_t groups) {
        // A group has an index in a pool and a header of 12 bytes.
        auto heap = dpdk_heap::make((first_table + 256 * groups) * entry_bytes + 16 * groups +
                                    bytes_beside(dealt.rest.size()));
        if (!heap)
            return heap.error();
        heap_ = std::move(*heap);
        rte_lpm6_config conf{};
        conf.max_rules = static_cast<std::uint32_t>(dealt.count());
        conf.number_tbl8s = static_cast<std::uint32_t>(groups);
        lpm_.reset(rte_lpm6_create(heap_->name().c_str(), heap_->socket(), &conf));
        if (!lpm_)
            return errc::out_of_memory;
        for (const route<ipv6_address>& entry : dealt.rest)
            if (rte_lpm6_add(lpm_.get(), network_order(entry.where.base).bytes, entry.where.length,
                             entry.hop.id) != 0)
                return errc::capacity;
        return errc::ok;
    }

    // The table is destroyed before its memory.
    std::unique_ptr<dpdk_heap> heap_;
    std::unique_ptr<rte_lpm6, lpm6_free> lpm_;
    next_hop fallback_;
    std::size_t bytes_ = 0;
};

template <class A, scheme<A> S>
competitor<A> named(const char* name, const char* isa) {
    return {name, isa, [](const routes<A>& table) -> expected<fib_pointer<A>> {
                auto built = S::build(table, {});
                if (!built)
                    return unexpected{built.error()};
                fib_pointer<A> erased = erase_type<A>(std::move(*built));
                erased->set_long_routes(table.longer_than(first_half));
                return erased;
            }};
}

} // namespace

template <>
std::vector<competitor<ipv4_address>> dpdk_competitors() {
    using a = ipv4_address;
    return {
        named<a, dpdk_fib<dir24_8, RTE_FIB_LOOKUP_DIR24_8_VECTOR_AVX512>>("dpdk_fib", "avx512"),
        named<a, dpdk_fib<dir24_8, RTE_FIB_LOOKUP_DIR24_8_SCALAR_MACRO>>("dpdk_fib_macro", "scalar"),
        named<a, dpdk_fib<dir24_8, RTE_FIB_LOOKUP_DIR24_8_SCALAR_INLINE>>("dpdk_fib_inline", "scalar"),
        named<a, dpdk_fib<dir24_8, RTE_FIB_LOOKUP_DIR24_8_SCALAR_UNI>>("dpdk_fib_uni", "scalar"),
    };
}

template <>
std::vector<competitor<ipv6_address>> dpdk_competitors() {
    using a = ipv6_address;
    return {
        named<a, dpdk_fib<trie, RTE_FIB6_LOOKUP_TRIE_VECTOR_AVX512>>("dpdk_fib6", "avx512"),
        named<a, dpdk_fib<trie, RTE_FIB6_LOOKUP_TRIE_SCALAR>>("dpdk_fib6", "scalar"),
        named<a, dpdk_lpm6>("dpdk_lpm6", "scalar"),
    };
}

} // namespace fingerpost::bench
