// Feeds bytes to the reader of updates as text, and to the one that collects them: both give the same updates
// up to the first line that is refused.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.hpp"
#include "io/format/updates/update_line.hpp"
#include "io/format/updates/updates.hpp"

namespace {

using namespace fingerpost;
using namespace fingerpost::io;

// For any line: prefixes lie within the line, each column has a text, and an update that is written is read
// as the same.
void check_line(update_cutter& cutter, std::string_view line) {
    const auto cut = cutter.cut(line);
    if (!cut || *cut != update_cutter::line_kind::update)
        return;
    const update_line& read = cutter.update();
    require(!read.where.empty() && read.where.find_first_of(" \t,") == std::string_view::npos);
    require(read.where.data() >= line.data() &&
            read.where.data() + read.where.size() <= line.data() + line.size());
    require(!read.announced || read.cells.size() == cutter.columns().size());
    if (!read.announced || update_refusal(read.cells) != nullptr)
        return;
    const std::vector<std::string> cells(read.cells.begin(), read.cells.end());
    const std::string where(read.where);
    std::string written;
    append_announcement(where, read.cells, written);
    require(written.ends_with('\n'));
    const std::string_view again = std::string_view(written).substr(0, written.size() - 1);
    const auto cut_again = cutter.cut(again);
    require(cut_again && *cut_again == update_cutter::line_kind::update && cutter.update().where == where);
    require(
        std::equal(cells.begin(), cells.end(), cutter.update().cells.begin(), cutter.update().cells.end()));
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
    update_cutter cutter;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        check_line(cutter, rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    check_all<ipv4_address>(text, std::size_t{1} + data[0]);
    check_all<ipv6_address>(text, std::size_t{1} + data[0]);
    return 0;
}
