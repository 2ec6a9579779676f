// Feeds bytes to the finder of members in JSON lines. An accepted line must also be accepted with an added
// member, and the member must be found.
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/json_elements.hpp"
#include "cli/enrich/rows/json_line.hpp"
#include "cli/enrich/rows/json_unescape.hpp"
#include "fuzz/require.hpp"

namespace {

using namespace fingerpost::cli::enrich;

bool same(const json_member& a, const json_member& b) {
    return a.kind == b.kind && a.has_escapes == b.has_escapes && a.text == b.text;
}

// Members that are added in nested objects are found there, whichever of these exist.
void check_nested(const std::string& line) {
    const std::vector<json_path> paths{
        {"a", "b", "added"}, {"a", json_step::at(0), "b"}, {"a", "b", json_step::at(1)}};
    const std::vector<std::string> added{"added"};
    const std::vector<std::string> nest{"a", "b"};
    json_line reader(paths, added, nest);
    std::array<json_member, 3> found;
    require(!reader.read(line, found));
    const json_object object = reader.object();
    require(line[object.closing] == '}' && object.nested <= nest.size());
    if (object.existing != json_object::no_name) {
        require(object.existing == 0 || object.existing == json_object::blocked);
        return;
    }
    const std::array<std::string, 3> members{R"("a":{"b":{"added":"x"}})", R"("b":{"added":"x"})",
                                             R"("added":"x")"};
    std::string more = line;
    more.insert(object.closing, (object.is_empty ? "" : ",") + members[object.nested]);
    std::array<json_member, 3> again;
    require(!reader.read(more, again) && reader.object().existing == 0);
    require(again[0].kind == json_member::what::string && again[0].text == "x");
}

// Members of all elements are in the line, in its order, and arrays have the elements of which they consist.
void check_arrays(const std::string& line) {
    const std::vector<json_path> paths{
        {"a"}, {"a", json_step::every(), "b"}, {"a", json_step::every(), json_step::at(0)}};
    json_line reader(paths);
    std::array<json_member, 3> found;
    require(!reader.read(line, found));
    const char* before = line.data();
    for (const json_line::repeated_member& one : reader.repeated()) {
        require(one.path != 0 && one.member.kind != json_member::what::absent);
        require(one.member.text.data() >= before);
        before = one.member.text.data();
        require(before + one.member.text.size() < line.data() + line.size());
    }
    std::string_view rest = found[0].text;
    if (found[0].kind != json_member::what::other || !rest.starts_with('['))
        return;
    std::size_t count = 0;
    for (json_member one = next_element(rest); one.kind != json_member::what::absent;
         one = next_element(rest))
        ++count;
    // Bytes that are not UTF-8 are not checked here.
    require(rest.size() <= 1);
    require(!nlohmann::json::accept(found[0].text) || count == nlohmann::json::parse(found[0].text).size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string line(reinterpret_cast<const char*>(data), size);
    const std::vector<json_path> paths{{"a"}, {"a", "b"}, {"a", "b", "c"}, {"b"}, {"added"}};
    json_line reader(paths);
    std::array<json_member, 5> found;
    if (const auto fault = reader.read(line, found)) {
        require(fault->offset <= line.size() && *fault->reason != '\0');
        return 0;
    }
    std::string text;
    for (const json_member& member : found) {
        require(member.text.empty() || (member.text.data() >= line.data() &&
                                        member.text.data() + member.text.size() <= line.data() + size));
        if (member.kind != json_member::what::string)
            continue;
        unescape_json(member.text, text);
        require(member.has_escapes || text == member.text);
    }
    const json_object object = reader.object();
    require(line[object.closing] == '}');
    std::string more = line;
    more.insert(object.closing, object.is_empty ? R"("added":"x")" : R"(,"added":"x")");
    std::array<json_member, 5> again;
    require(!reader.read(more, again) && !reader.object().is_empty);
    require(again[4].kind == json_member::what::string && again[4].text == "x");
    for (std::size_t i = 0; i < 4; ++i)
        require(same(found[i], again[i]));
    check_nested(line);
    check_arrays(line);
    return 0;
}
