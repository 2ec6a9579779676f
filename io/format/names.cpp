// The hash table behind next_hop_names.
#include "io/format/names.hpp"

#include <functional>

namespace fingerpost::io {

// The slot that holds the name, or the free one where it belongs.
std::size_t next_hop_names::find(std::string_view name, std::uint32_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].id_plus_one != 0) {
        if (slots_[at].hash == hash && (*this)[next_hop{slots_[at].id_plus_one - 1}] == name)
            break;
        at = (at + 1) & mask;
    }
    return at;
}

void next_hop_names::grow() {
    std::vector<slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const slot& s : old) {
        if (s.id_plus_one == 0)
            continue;
        std::size_t at = s.hash & mask;
        while (slots_[at].id_plus_one != 0)
            at = (at + 1) & mask;
        slots_[at] = s;
    }
}

next_hop next_hop_names::intern(std::string_view name) {
    if (last_ != next_hop::none && (*this)[last_] == name)
        return last_;
    // Never more than half full, so that a probe ends soon.
    if (2 * (size() + 1) > slots_.size())
        grow();
    const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>{}(name));
    slot& found = slots_[find(name, hash)];
    if (found.id_plus_one == 0) {
        bytes_ += name;
        ends_.push_back(bytes_.size());
        found = {hash, static_cast<std::uint32_t>(size())};
    }
    last_ = next_hop{found.id_plus_one - 1};
    return last_;
}

} // namespace fingerpost::io
