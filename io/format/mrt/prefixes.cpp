// Reads prefixes, and lists of prefixes.
#include "io/format/mrt/prefixes.hpp"

#include <cstring>

namespace fingerpost::io::mrt {
namespace {

template <class A>
fault read_prefix_of(byte_reader& in, any_prefix& out) {
    const unsigned length = in.u8();
    if (length > A::bits)
        return prefix_too_long;
    const bytes base_bytes = in.take((length + 7) / 8);
    if (!in.ok())
        return prefix_cut_short;
    std::byte base[A::bits / 8] = {};
    if (!base_bytes.empty())
        std::memcpy(base, base_bytes.data(), base_bytes.size());
    out = prefix<A>::make(byte_reader(base).address<A>(), length);
    return {};
}

fault append_each(bytes list, family kind, path_ids ids, const entry& like, std::vector<entry>& out) {
    byte_reader in(list);
    while (in.left() != 0) {
        std::optional<std::uint32_t> id;
        if (ids == path_ids::present)
            id = in.u32();
        any_prefix where;
        if (const fault damage = read_prefix(in, kind, where); !damage.empty())
            return damage;
        entry& added = out.emplace_back(like);
        added.path_id = id;
        added.where = where;
    }
    return {};
}

} // namespace

fault read_prefix(byte_reader& in, family kind, any_prefix& out) {
    return kind == family::ipv4 ? read_prefix_of<ipv4_address>(in, out)
                                : read_prefix_of<ipv6_address>(in, out);
}

fault append_prefixes(bytes list, family kind, path_ids ids, const entry& like, std::vector<entry>& out,
                      std::uint64_t& guessed) {
    const std::size_t before = out.size();
    const fault damage = append_each(list, kind, ids, like, out);
    if (damage.empty())
        return {};
    out.resize(before);
    if (ids == path_ids::absent && append_each(list, kind, path_ids::present, like, out).empty()) {
        ++guessed;
        return {};
    }
    out.resize(before);
    return damage;
}

} // namespace fingerpost::io::mrt
