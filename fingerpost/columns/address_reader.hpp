// The interface through which blocks of rows are looked up: a live table, an image, or a FIB, of both
// families.
#pragma once

#include <cstdint>
#include <exception>
#include <span>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/mapped.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost::columns {

// Looks up addresses for one thread. `out` is at least as long as `in`; next_hop::none means no match. A
// batch uses one version of the table, the newest. Batches should have a few thousand addresses, because
// writers may wait for the end of a batch.
class address_reader {
  public:
    address_reader() = default;
    address_reader(const address_reader&) = delete;
    address_reader& operator=(const address_reader&) = delete;
    virtual ~address_reader() = default;

    // Throws std::bad_alloc.
    virtual void lookup(std::span<const ipv4_address> in, std::span<next_hop> out) = 0;
    virtual void lookup(std::span<const ipv6_address> in, std::span<next_hop> out) = 0;
    // IPv6 addresses as first and low halves. Throws long_routes if `low` is empty and the table has routes
    // longer than /64.
    virtual void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                               std::span<next_hop> out) = 0;
    // The next hops of the longest routes that cover prefixes. Throws std::bad_alloc.
    virtual void match_prefixes(std::span<const ipv4_prefix> in, std::span<next_hop> out) = 0;
    virtual void match_prefixes(std::span<const ipv6_prefix> in, std::span<next_hop> out) = 0;
    // Arguments of in_answering_form() (net/mapped.hpp): whether addresses of a family may match in the form
    // of the other family, the length of the longest match (0 without one), and the aliases.
    virtual bool may_answer(ipv4_address) const noexcept = 0;
    virtual bool may_answer(ipv6_address) const noexcept = 0;
    virtual unsigned match_length(ipv6_address a) = 0;
    virtual ipv4_aliases aliases() const noexcept = 0;
};
struct long_routes : std::exception {
    const char* what() const noexcept override { return "the table has routes longer than /64"; }
};

// Looks up halves in a snapshot, an image or a FIB, for address_reader::lookup_halves().
template <class Fib>
void look_up_halves(const Fib& in, std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                    std::span<next_hop> out) {
    if (!low.empty())
        in.lookup_halves(first, low, out);
    else if (in.lookup_first64(first, out) != errc::ok)
        throw long_routes();
}

} // namespace fingerpost::columns
