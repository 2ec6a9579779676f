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
    const bytes given = in.take((length + 7) / 8);
    if (!in.ok())
        return prefix_cut_short;
    std::byte base[A::bits / 8] = {};
    if (!given.empty())
        std::memcpy(base, given.data(), given.size());
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
        if (const fault wrong = read_prefix(in, kind, where); !wrong.empty())
            return wrong;
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
    const fault wrong = append_each(list, kind, ids, like, out);
    if (wrong.empty())
        return {};
    out.resize(before);
    if (ids == path_ids::absent && append_each(list, kind, path_ids::present, like, out).empty()) {
        ++guessed;
        return {};
    }
    out.resize(before);
    return wrong;
}

} // namespace fingerpost::io::mrt
