// Feeds bytes to the reader of updates as text, and to the one that collects them: the same updates up to the
// first line that is refused.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/format/update_line.hpp"
#include "io/format/updates.hpp"
#include "io/format/words.hpp"

namespace {

using namespace fingerpost;
using namespace fingerpost::io;

void require(bool holds) {
    if (!holds)
        std::abort();
}

// Whatever the line is, its words lie within it and are words.
void check_line(std::string_view line) {
    const auto cut = cut_update(line);
    if (!cut || !*cut)
        return;
    const update_line& read = **cut;
    require(!read.where.empty() && read.where.find_first_of(" \t,") == std::string_view::npos);
    require(std::none_of(read.next_hop.begin(), read.next_hop.end(), is_control));
    for (const std::string_view word : {read.where, read.next_hop})
        require(word.empty() ||
                (word.data() >= line.data() && word.data() + word.size() <= line.data() + line.size()));
}

template <class A>
expected<loaded_updates<A>, input_error> read(std::string_view text, std::size_t chunk) {
    update_reader<A> reader("fuzz");
    for (std::size_t at = 0; at < text.size() && reader.feed(text.substr(at, chunk)); at += chunk) {
    }
    return std::move(reader).finish();
}

template <class A>
void check_all(std::string_view text, std::size_t chunk) {
    const auto whole = read<A>(text, text.size());
    const auto pieces = read<A>(text, chunk);
    require(static_cast<bool>(whole) == static_cast<bool>(pieces));
    if (!whole) {
        require(message(whole.error()) == message(pieces.error()));
        return;
    }
    require(whole->updates == pieces->updates);
    require(whole->updates.size() == whole->counts.announced + whole->counts.withdrawn);
    for (const route<A>& one : whole->updates)
        require(prefix<A>::is_canonical(one.where.base, one.where.length) && one.where.length <= A::bits);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2)
        return 0;
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        check_line(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    check_all<ipv4_address>(text, std::size_t{1} + data[0]);
    check_all<ipv6_address>(text, std::size_t{1} + data[0]);
    return 0;
}
