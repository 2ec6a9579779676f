// Feeds bytes to the reader of TOML settings. Keys have values and lines within the file, in the order of the
// lines, and an error has a place.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.hpp"
#include "terminal/config/config_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fingerpost;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    const auto keys = cli::parse_config(text, "fuzz.toml");
    if (!keys) {
        require(keys.error().starts_with("fuzz.toml:"));
        return 0;
    }
    std::size_t before = 1;
    for (const cli::config_key& key : *keys) {
        require(key.line >= before && key.line <= lines);
        require(key.is_list || key.values.size() == 1);
        for (const cli::config_value& value : key.values) {
            require(value.line >= key.line && value.line <= lines);
            require(value.kind != cli::config_kind::truth || value.text == "true" || value.text == "false");
            require(value.kind != cli::config_kind::number || !value.text.empty());
        }
        before = key.line;
    }
    return 0;
}
