// Selects the decoder of each record.
#include "io/format/mrt/mrt_decoder.hpp"

#include <utility>

#include "io/format/mrt/messages.hpp"
#include "io/format/mrt/tables.hpp"
#include "io/format/mrt/types.hpp"

namespace fingerpost::io::mrt {
namespace {

bool is_peer_table(const record& whole) {
    return whole.type == type::table_dump_v2 && whole.subtype == table_dump_v2_subtype::peer_index_table;
}

fault set_peers(const record& whole, shared_peers& peers) {
    auto read = read_peers(whole.body);
    // Peer indices of later entries must not refer to an earlier table.
    peers = read ? std::make_shared<const peer_table>(std::move(*read)) : nullptr;
    return read ? fault{} : read.error();
}

} // namespace

void follow_peers(const record& whole, shared_peers& peers) {
    if (is_peer_table(whole))
        (void)set_peers(whole, peers);
}

fault decoder::read_table_dump_v2(const record& whole) {
    using namespace table_dump_v2_subtype;
    if (is_peer_table(whole))
        return set_peers(whole, peers_);
    if (whole.subtype >= rib_ipv4_unicast && whole.subtype <= rib_ipv6_multicast_addpath &&
        whole.subtype != rib_generic && whole.subtype != geo_peer_table) {
        static const peer_table no_peers;
        return read_rib(whole, peers_ ? *peers_ : no_peers, entries_);
    }
    counted_.skip(whole.subtype == geo_peer_table ? skipped::geo_peers
                  : whole.subtype == rib_generic || whole.subtype == rib_generic_addpath
                      ? skipped::rib_generic
                      : skipped::other_record);
    return {};
}

fault decoder::read(const record& whole) {
    switch (whole.type) {
    case type::bgp:
        return read_bgp(whole, entries_, counted_);
    case type::table_dump:
        if (whole.subtype == afi_ipv4 || whole.subtype == afi_ipv6)
            return read_table_dump(whole, entries_);
        break;
    case type::table_dump_v2:
        return read_table_dump_v2(whole);
    case type::bgp4mp:
    case type::bgp4mp_et:
        return read_bgp4mp(whole, entries_, counted_);
    default:
        break;
    }
    counted_.skip(skipped::other_record);
    return {};
}

outcome decoder::decode(const record& whole) {
    entries_.clear();
    ++counted_.records;
    const fault damage = read(whole);
    if (!damage.empty()) {
        entries_.clear();
        ++counted_.damaged;
        counted_.damaged_bytes += header_bytes + whole.body.size();
    }
    counted_.entries += entries_.size();
    return {entries_, damage};
}

void decoder::count_gap(const damage& gap) noexcept {
    ++counted_.damaged;
    counted_.damaged_bytes += gap.size;
}

} // namespace fingerpost::io::mrt
