// Reads the segments of AS paths.
#include "io/format/mrt/as_path.hpp"

namespace fingerpost::io::mrt {
namespace {

enum segment : std::uint8_t { as_set = 1, as_sequence = 2, confed_sequence = 3, confed_set = 4 };

} // namespace

std::optional<path_summary> summarise_path(bytes path, unsigned width) noexcept {
    path_summary found;
    byte_reader in(path);
    while (in.left() != 0) {
        const std::uint8_t kind = in.u8();
        const std::size_t count = in.u8();
        const bytes numbers = in.take(count * width);
        if (!in.ok() || kind < as_set || kind > confed_set)
            return std::nullopt;
        if (count == 0 || kind == confed_sequence || kind == confed_set)
            continue;
        const bool is_set = kind == as_set;
        found.length += is_set ? 1 : static_cast<std::uint32_t>(count);
        found.origin = {is_set ? numbers : numbers.last(width), width, is_set};
    }
    return found;
}

} // namespace fingerpost::io::mrt
