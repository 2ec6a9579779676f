// Walks the tree from the lowest address to the highest.
#include "fingerpost/base/cxx20.hpp"
#if FINGERPOST_HAVE_MAXMINDDB
#include "io/format/mmdb/networks.hpp"

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/net/mapped.hpp"

namespace fingerpost::io {
namespace {

// Valid files point to a node from a few places. A damaged tree could do that at every node, and would then
// have more networks than fit in memory.
constexpr std::uint64_t max_visits_per_node = 16;

constexpr unsigned length_of_ipv4 = ipv6_address::bits - ipv4_address::bits;

struct place {
    std::uint32_t node;
    unsigned depth;
    u128 base; // right-aligned in the width of the tree
};

class tree_walk {
  public:
    tree_walk(const MMDB_s& database, mmdb_aliases aliases)
        : database_(database), repeats_(aliases == mmdb_aliases::repeat),
          width_(database.depth == 32 ? ipv4_address::bits : ipv6_address::bits),
          visits_(std::uint64_t{database.metadata.node_count} * max_visits_per_node) {}

    expected<mmdb_networks, std::string> run() && {
        if (auto fault = visit({0, 0, 0}))
            return unexpected{std::move(*fault)};
        const bool has_ipv4_block = width_ == ipv6_address::bits && !networks_.ipv4.empty() &&
                                    database_.ipv4_start_node.netmask == length_of_ipv4;
        if (has_ipv4_block && !repeats_)
            networks_.aliases.insert(networks_.aliases.begin(), ipv6_prefix::make({}, length_of_ipv4));
        return std::move(networks_);
    }

  private:
    // Takes all networks below a node. Returns the fault of a damaged tree. Recurses at most once per bit.
    std::optional<std::string> visit(const place& at) {
        const auto fault = [&](std::string_view reason) {
            const std::uint64_t byte = std::uint64_t{at.node} * database_.full_record_byte_size;
            return "node " + std::to_string(at.node) + " at byte " + std::to_string(byte) + ": " +
                   std::string(reason);
        };
        MMDB_search_node_s node;
        if (MMDB_read_node(&database_, at.node, &node) != MMDB_SUCCESS)
            return fault("the tree has no such node");
        if (visits_ == 0)
            return fault("too many networks lead to the same nodes");
        --visits_;
        const auto follow = [&](bool is_right, std::uint64_t value, unsigned kind,
                                const MMDB_entry_s& entry) -> std::optional<std::string> {
            const place to{static_cast<std::uint32_t>(value), at.depth + 1,
                           at.base | u128{is_right} << (width_ - 1 - at.depth)};
            if (kind == MMDB_RECORD_TYPE_DATA)
                add(to, entry);
            else if (kind == MMDB_RECORD_TYPE_SEARCH_NODE && to.depth == width_)
                return fault("the tree is deeper than the address length");
            else if (kind == MMDB_RECORD_TYPE_SEARCH_NODE && (repeats_ || !is_alias(to)))
                return visit(to);
            else if (kind == MMDB_RECORD_TYPE_SEARCH_NODE)
                add_alias(to);
            else if (kind == MMDB_RECORD_TYPE_INVALID)
                return fault("a record points outside of the data");
            return std::nullopt;
        };
        if (auto error = follow(false, node.left_record, node.left_record_type, node.left_record_entry))
            return error;
        return follow(true, node.right_record, node.right_record_type, node.right_record_entry);
    }

    bool is_alias(const place& to) const {
        return width_ == ipv6_address::bits && to.node == database_.ipv4_start_node.node_value &&
               to.depth <= length_of_ipv4 && !(to.depth == length_of_ipv4 && to.base == 0);
    }

    // Mapped addresses are answered by IPv4 routes in any case (net/mapped.hpp).
    void add_alias(const place& at) {
        const auto block = ipv6_prefix::make(ipv6_address{at.base}, at.depth);
        if (block != mapped_block)
            networks_.aliases.push_back(block);
    }

    void add(const place& at, const MMDB_entry_s& entry) {
        const auto next = to_u32(networks_.records.size(), "records");
        const auto [known, is_new] = numbers_.try_emplace(entry.offset, next);
        if (is_new)
            networks_.records.push_back(entry);
        const std::uint32_t record = known->second;
        const auto add_ipv4 = [&](unsigned length) {
            const ipv4_address base{static_cast<std::uint32_t>(at.base)};
            networks_.ipv4.push_back({prefix<ipv4_address>::make(base, length), record});
        };
        if (width_ == ipv4_address::bits)
            return add_ipv4(at.depth);
        const bool is_ipv4 = at.base >> ipv4_address::bits == 0 && at.depth >= length_of_ipv4;
        if (is_ipv4)
            add_ipv4(at.depth - length_of_ipv4);
        if (is_ipv4 && !repeats_)
            return;
        // A network that contains ::/96 contains all IPv4 addresses.
        if (!is_ipv4 && at.base == 0)
            add_ipv4(0);
        networks_.ipv6.push_back({prefix<ipv6_address>::make(ipv6_address{at.base}, at.depth), record});
    }

    const MMDB_s& database_;
    bool repeats_; // keep IPv4 networks as the IPv6 networks that point to them, too
    unsigned width_;
    std::uint64_t visits_; // visits left
    mmdb_networks networks_;
    std::unordered_map<std::uint32_t, std::uint32_t> numbers_; // of records, by offset
};

} // namespace

expected<mmdb_networks, std::string> networks_of(const MMDB_s& database, mmdb_aliases aliases) {
    if (database.metadata.node_count == 0)
        return mmdb_networks();
    return tree_walk(database, aliases).run();
}

} // namespace fingerpost::io

#endif
