// Parses prefixes and collects updates.
#include "io/format/updates/updates.hpp"

#include <utility>

namespace fingerpost::io {
template <class A>
update_reader<A>::update_reader(std::string file, host_bits policy)
    : line_reader(std::move(file), "a list of updates", policy) {}

template <class A>
bool update_reader<A>::feed(std::string_view chunk) {
    return feed_lines(chunk, [this](std::string_view line) { return take_line(line); });
}

template <class A>
bool update_reader<A>::take_line(std::string_view line) {
    const auto cut = cutter_.cut(line);
    if (!cut)
        return refuse(line, cut.error());
    if (*cut == update_cutter::line_kind::update)
        return take_update(cutter_.update());
    if (*cut == update_cutter::line_kind::header && read_.updates.empty()) {
        const std::vector<std::string_view> names(cutter_.columns().begin(), cutter_.columns().end());
        read_.values = value_rows(names);
    }
    return true;
}

template <class A>
bool update_reader<A>::take_update(const update_line& line) {
    const auto detected = detect_family(line.where);
    if (detected && *detected != family_of<A>) {
        ++read_.counts.other_family;
        return true;
    }
    const auto p = take_prefix<A>(line.where);
    if (!p)
        return false;
    ++(line.announced ? read_.counts.announced : read_.counts.withdrawn);
    read_.updates.push_back({*p, line.announced ? read_.values.intern(line.cells) : next_hop::none});
    return true;
}

template <class A>
expected<loaded_updates<A>, input_error> update_reader<A>::finish() && {
    if (auto error = finish_lines([this](std::string_view line) { return take_line(line); }))
        return unexpected{std::move(*error)};
    read_.counts.lines = lines_read();
    read_.counts.masked = masked();
    return std::move(read_);
}

template class update_reader<ipv4_address>;
template class update_reader<ipv6_address>;

} // namespace fingerpost::io
