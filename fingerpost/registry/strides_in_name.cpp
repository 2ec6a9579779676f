// Parses strides in the name of a scheme.
#include "fingerpost/registry/strides_in_name.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace fingerpost {

expected<std::vector<std::uint8_t>, std::string> read_strides(std::string_view text, unsigned width) {
    const auto refuse = [](std::string why) { return unexpected{std::move(why)}; };
    const std::string range = "from 1 to " + std::to_string(widest_stride);
    std::vector<std::uint8_t> strides;
    unsigned bits = 0;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('-', begin), text.size());
        unsigned stride = 0;
        const auto [rest, fault] = std::from_chars(text.data() + begin, text.data() + end, stride);
        if (fault != std::errc{} || rest != text.data() + end || stride == 0 || stride > widest_stride)
            return refuse("stride '" + std::string(text.substr(begin, end - begin)) + "' is not a number " +
                          range);
        if (bits >= width)
            return refuse("strides " + std::string(text) + " exceed the " + std::to_string(width) +
                          " bits of an address");
        strides.push_back(static_cast<std::uint8_t>(std::min(stride, width - bits)));
        bits += stride;
        begin = end + 1;
    }
    if (bits < width)
        return refuse("strides " + std::string(text) + " add up to " + std::to_string(bits) + " of the " +
                      std::to_string(width) + " bits of an address");
    return strides;
}

} // namespace fingerpost
