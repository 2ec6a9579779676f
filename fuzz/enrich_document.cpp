// Feeds bytes to the cutter of JSON documents, whole and in chunks. Both must give the same positions and
// contain all bytes, and a valid document must never be refused.
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/enrich/rows/record_cutter.hpp"
#include "fuzz/require.hpp"

namespace {

using namespace fingerpost::cli::enrich;

struct cut_document {
    std::string rows{};  // each followed by a zero
    std::string frame{}; // all bytes around the array
    bool is_good = false;
    std::string error{};
};

cut_document cut(std::string_view text, std::size_t chunk) {
    cut_document made;
    std::size_t offset = 0;
    record_cutter cutter("fuzz");
    const auto take = [&](row_block&& block) {
        const std::string_view before = text.substr(0, offset);
        require(text.substr(offset, block.bytes.size()) == block.bytes);
        require(block.first_line ==
                1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')));
        std::size_t at = 0;
        for (const row_place& place : block.places) {
            require(at <= place.begin && place.begin < place.end && place.end <= block.bytes.size());
            const bool is_frame = place.kind == row_place::what::frame;
            require(!is_frame || at == place.begin);
            (is_frame ? made.frame : made.rows).append(block.bytes, place.begin, place.end - place.begin);
            made.rows += is_frame ? "" : std::string(1, '\0');
            at = place.end;
        }
        require(at == block.bytes.size());
        offset += at;
        return true;
    };
    made.is_good = true;
    for (std::size_t at = 0; made.is_good && at < text.size(); at += chunk)
        made.is_good = cutter.feed(text.substr(at, chunk), take);
    made.is_good = made.is_good && cutter.finish(take);
    made.error = cutter.error();
    require(made.is_good == made.error.empty());
    require(!made.is_good || offset == text.size());
    return made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const cut_document whole = cut(text, std::max<std::size_t>(size, 1));
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}}) {
        const cut_document cut_up = cut(text, chunk);
        require(cut_up.is_good == whole.is_good && cut_up.error == whole.error);
        require(!whole.is_good || (cut_up.rows == whole.rows && cut_up.frame == whole.frame));
    }
    if (nlohmann::json::accept(text))
        require(whole.is_good || whole.error.find("no array of objects") != std::string::npos ||
                whole.error.find("is not a JSON object") != std::string::npos);
    return 0;
}
