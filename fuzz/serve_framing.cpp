// Feeds bytes to the HTTP reader, as a whole and in pieces. Both must give the same requests and the same
// refusal, each request must have one length, and a simple line reader must read each accepted head equally.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.hpp"
#include "system/http/http_hosts.hpp"
#include "system/http/http_reader.hpp"

namespace {

using namespace fingerpost;
using system::http_reader;

constexpr system::http_reader_limits small_limits{.head_bytes = 400, .target_bytes = 60, .body_bytes = 100};

// The requests and the refusal that were read from a connection.
struct reading {
    std::vector<std::string> events;
    bool is_refused = false;

    friend bool operator==(const reading&, const reading&) = default;
};

// At most one length, and none with chunks; one host.
void check_request(const system::http_request& one) {
    std::size_t lengths = 0;
    std::size_t codings = 0;
    std::size_t hosts = 0;
    for (const auto& [name, value] : one.fields) {
        require(name.find_first_of(" \t\r\n:") == std::string::npos && !name.empty());
        require(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
        lengths += system::is_same_word(name, "Content-Length") ? 1U : 0U;
        hosts += system::is_same_word(name, "Host") ? 1U : 0U;
        if (system::is_same_word(name, "Transfer-Encoding")) {
            ++codings;
            require(system::is_same_word(value, "chunked"));
        }
    }
    require(lengths + codings <= 1 && hosts <= 1 && (hosts == 1 || one.is_old));
    require(codings == 0 || !one.is_old);
    require(one.has_length == (lengths + codings != 0) && (one.has_length || !one.has_body));
    require(!one.target.empty() && (one.target[0] == '/' || one.target == "*"));
    require(one.host.empty() || system::split_host(one.host));
    require(one.body.size() <= small_limits.body_bytes);
    if (lengths == 1) {
        std::string digits = one.field("Content-Length");
        digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
        require(digits == (one.body.empty() ? "" : std::to_string(one.body.size())));
    }
}

std::string words_of(const system::http_request& one) {
    std::string words = one.method + ' ' + one.target + ' ' + one.host + (one.keeps ? " keeps" : " closes");
    for (const auto& [name, value] : one.fields)
        words += '\n' + name + ": " + value;
    return words + "\n\n" + one.body;
}

// Reads as much as possible.
void read_on(http_reader& reader, reading& into) {
    for (;;) {
        switch (reader.next()) {
        case http_reader::step::more:
            return;
        case http_reader::step::head:
            require(reader.request().body.empty());
            into.events.push_back("head of " + reader.request().target);
            break;
        case http_reader::step::whole:
            check_request(reader.request());
            into.events.push_back(words_of(reader.request()));
            break;
        case http_reader::step::refused:
            require(reader.why().code >= 400 && reader.why().code < 600 && !reader.why().words.empty());
            if (!into.is_refused)
                into.events.push_back("refused " + std::to_string(reader.why().code));
            into.is_refused = true;
            return;
        }
    }
}

// `cuts` has the lengths of the pieces, one byte each. If it is empty, there is a single piece.
reading read(std::string_view bytes, std::string_view cuts) {
    http_reader reader(small_limits);
    reading made;
    for (std::size_t i = 0; !bytes.empty(); ++i) {
        const std::size_t wanted =
            cuts.empty() ? bytes.size()
                         : std::size_t{static_cast<unsigned char>(cuts[i % cuts.size()])} % 40 + 1;
        const std::size_t size = std::min(wanted, bytes.size());
        reader.feed(bytes.substr(0, size));
        bytes.remove_prefix(size);
        read_on(reader, made);
    }
    return made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t cut_bytes = 4;
    if (size < cut_bytes)
        return 0;
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::string_view bytes = all.substr(cut_bytes);
    const reading whole = read(bytes, {});
    require(read(bytes, all.substr(0, cut_bytes)) == whole);
    require(read(bytes, std::string_view("\0", 1)) == whole);
    return 0;
}
