// Feeds bytes to the finder of addresses in text: every result must be a separate address, and results must
// be in order.
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/enrich/rows/addresses.hpp"
#include "fuzz/require.hpp"

namespace {

using namespace fingerpost;
using namespace fingerpost::cli::enrich;

bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::size_t from = 0;
    while (const auto found = find_address(text, from)) {
        require(found->offset >= from && found->size != 0 && found->offset + found->size <= size);
        const std::string_view address = text.substr(found->offset, found->size);
        const auto parsed = parse_field(address);
        require(parsed && *parsed == found->what);
        require(parse_address<ipv4_address>(address) || parse_address<ipv6_address>(address));
        from = found->offset + found->size;
        require(found->offset == 0 || !is_word(text[found->offset - 1]));
        require(from == size || !is_word(text[from]));
    }
    if (const auto whole = parse_field(text))
        require(size >= 2);
    return 0;
}
