// How a name gets its number.
#include "io/format/names.hpp"

namespace fingerpost::io {

next_hop next_hop_names::intern(std::string_view name) {
    if (last_ != next_hop::none && (*this)[last_] == name)
        return last_;
    index_.grow(size(), [this](const hash_key& key, std::uint32_t place) {
        return key.hash((*this)[next_hop{place}]);
    });
    std::uint32_t& id = index_.slot(index_.key().hash(name),
                                    [&](std::uint32_t place) { return (*this)[next_hop{place}] == name; });
    if (id == hash_index::none) {
        bytes_ += name;
        ends_.push_back(bytes_.size());
        id = static_cast<std::uint32_t>(size() - 1);
    }
    last_ = next_hop{id};
    return last_;
}

} // namespace fingerpost::io
