// The finder of members in JSON lines.
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "cli/enrich/rows/json_elements.hpp"
#include "cli/enrich/rows/json_line.hpp"
#include "cli/enrich/rows/json_unescape.hpp"

namespace fingerpost::cli::enrich {
namespace {

using what = json_member::what;

struct answer {
    what kind;
    std::string text;
    friend bool operator==(const answer&, const answer&) = default;
};

// The answer for one path; the reason when the line is refused.
std::variant<answer, std::string> find(const std::string& line, const std::string& path) {
    const std::vector<json_path> paths{parse_json_path(path).value()};
    json_line reader(paths);
    json_member found;
    if (const auto fault = reader.read(line, {&found, 1}))
        return std::string(fault->reason);
    EXPECT_EQ(line[reader.object().closing], '}');
    std::string text(found.text);
    if (found.has_escapes)
        unescape_json(found.text, text);
    return answer{found.kind, text};
}

void expect(const std::string& line, const std::string& path, what kind, const std::string& text) {
    const auto found = find(line, path);
    ASSERT_TRUE(std::holds_alternative<answer>(found)) << line << ": " << std::get<std::string>(found);
    EXPECT_EQ(std::get<answer>(found), (answer{kind, text})) << line;
}

TEST(enrich_json, finds_members) {
    expect(R"({"a":"x"})", "a", what::string, "x");
    expect(R"( { "a" : "x" , "b" : 1 } )", "a", what::string, "x");
    expect(R"({"b":{"a":"x"}})", "a", what::absent, "");
    expect(R"({"b":{"a":"x"}})", "b.a", what::string, "x");
    expect(R"({"b":[{"a":"x"}]})", "b.a", what::absent, "");
    expect(R"({"b.a":"x"})", "b.a", what::absent, "");
    expect(R"({"b.a":"x"})", "b\\.a", what::string, "x");
    expect(R"({"a":null})", "a", what::null, "null");
    expect(R"({"a":-1.5e+3})", "a", what::other, "-1.5e+3");
    expect(R"({"a":{"b":[1,{}]}})", "a", what::other, R"({"b":[1,{}]})");
    expect("{}", "a", what::absent, "");
    expect(R"({"a":"}\"{"})", "a", what::string, "}\"{");
}

TEST(enrich_json, finds_elements_of_arrays) {
    expect(R"({"a":["x","y"]})", "a[1]", what::string, "y");
    expect(R"({"a":["x","y"]})", "a[2]", what::absent, "");
    expect(R"({"a":[{"b":"x"},{"b":"y"}]})", "a[1].b", what::string, "y");
    expect(R"({"a":[[],["x",[null,"y"]]]})", "a[1][1][1]", what::string, "y");
    expect(R"({"a":[["x"]],"b":["z"]})", "a[0]", what::other, R"(["x"])");
    expect(R"({"a":{"0":"x"}})", "a[0]", what::absent, "");
    expect(R"({"a":["x"],"a":[]})", "a[0]", what::absent, "");
    expect(R"({"a":[{"b":"x","b":"y"}],"b":"z"})", "a[0].b", what::string, "y");
}

// Where `nest` leads: the text before the closing brace, how many of its names there are, and what is taken.
TEST(enrich_json, finds_where_nested_members_go) {
    const std::vector<std::string> added{"x"};
    const std::vector<std::string> nest{"a", "b"};
    json_line reader({}, added, nest);
    const auto place = [&](const std::string& line) {
        EXPECT_FALSE(reader.read(line, {})) << line;
        const json_object& found = reader.object();
        return line.substr(0, found.closing) + " " + std::to_string(found.nested) +
               (found.is_empty ? " empty" : "") +
               (found.existing == json_object::no_name   ? ""
                : found.existing == json_object::blocked ? " blocked"
                                                         : " taken");
    };
    EXPECT_EQ(place("{}"), "{ 0 empty");
    EXPECT_EQ(place(R"({"x":1})"), R"({"x":1 0)");
    EXPECT_EQ(place(R"({"a":{},"c":{}})"), R"({"a":{ 1 empty)");
    EXPECT_EQ(place(R"({"a":{"x":1},"c":1})"), R"({"a":{"x":1 1)");
    EXPECT_EQ(place(R"({"a":{"b":{},"c":{"b":{}}}})"), R"({"a":{"b":{ 2 empty)");
    EXPECT_EQ(place(R"({"a":{"b":{"x":1}}})"), R"({"a":{"b":{"x":1 2 taken)");
    EXPECT_EQ(place(R"({"a":{"b":{"c":{"x":1}}}})"), R"({"a":{"b":{"c":{"x":1} 2)");
    EXPECT_EQ(place(R"({"a":{"b":{"x":1}},"a":{}})"), R"({"a":{"b":{"x":1}},"a":{ 1 empty)");
    EXPECT_EQ(place(R"({"a":{"b":1},"c":2})"), R"({"a":{"b":1 1 blocked)");
    EXPECT_EQ(place(R"({"a":{"b":1,"b":{}}})"), R"({"a":{"b":1,"b":{ 2 empty)");
    EXPECT_EQ(place(R"({"a":[{"b":{}}]})"), R"({"a":[{"b":{}}] 0 blocked)");
}

TEST(enrich_json, takes_the_last_of_equal_names) {
    expect(R"({"a":"x","a":"y"})", "a", what::string, "y");
    expect(R"({"a":{"b":"x"},"a":{}})", "a.b", what::absent, "");
    expect(R"({"a":{"b":"x"},"a":1})", "a.b", what::absent, "");
    expect(R"({"a":1,"a":{"b":"x"}})", "a.b", what::string, "x");
}

TEST(enrich_json, reads_escapes) {
    expect(R"({"\u0061":"x"})", "a", what::string, "x");
    expect(R"({"a":"\u0031\u00e9\ud83d\ude00\/\t"})", "a", what::string, "1\u00e9\U0001f600/\t");
    expect(R"({"a":"\ud83dx\ude00"})", "a", what::string, "\ufffdx\ufffd");
}

TEST(enrich_json, refuses_what_is_no_object) {
    for (const char* const line : {"",
                                   "[]",
                                   "1",
                                   "\"a\"",
                                   "{",
                                   R"({"a")",
                                   R"({"a":)",
                                   R"({"a":1)",
                                   R"({"a":1,})",
                                   R"({"a":1}})",
                                   R"({"a":01})",
                                   R"({"a":1.})",
                                   R"({"a":+1})",
                                   R"({"a":.5})",
                                   R"({"a":1e})",
                                   R"({"a":-})",
                                   R"({"a":tru})",
                                   R"({"a":nul})",
                                   R"({"a":"x})",
                                   "{\"a\":\"\t\"}",
                                   R"({"a":"\x"})",
                                   R"({"a":"\u12g4"})",
                                   R"({"a":"\u12)",
                                   R"({a:1})",
                                   R"({"a" 1})",
                                   R"({"a":[1,]})",
                                   R"({"a":[1 2]})",
                                   R"({"a":[})",
                                   R"({,"a":1})",
                                   R"({"a":1} x)",
                                   R"({"a":'x'})"})
        EXPECT_TRUE(std::holds_alternative<std::string>(find(line, "a"))) << line;
}

TEST(enrich_json, bounds_nesting) {
    const auto nested = [](unsigned depth) {
        return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
    };
    EXPECT_TRUE(std::holds_alternative<answer>(find(nested(max_json_depth - 1), "a")));
    EXPECT_EQ(find(nested(max_json_depth), "a"), (std::variant<answer, std::string>{"is nested too deeply"}));
}

// A string of any length around the eight bytes that are read together.
TEST(enrich_json, ends_strings_anywhere) {
    for (std::size_t size = 0; size < 40; ++size) {
        const std::string text(size, 'x');
        expect("{\"a\":\"" + text + "\"}", "a", what::string, text);
        expect("{\"a\":\"" + text + "\\\\\"}", "a", what::string, text + "\\");
        expect("{\"a\":\"" + text + "\u00e9!\"}", "a", what::string, text + "\u00e9!");
        EXPECT_TRUE(std::holds_alternative<std::string>(find("{\"a\":\"" + text + "\x1f\"}", "a")));
    }
}

TEST(enrich_json, reads_paths) {
    EXPECT_EQ(parse_json_path("a.b"), (json_path{"a", "b"}));
    EXPECT_EQ(parse_json_path("a\\.b\\\\.c"), (json_path{"a.b\\", "c"}));
    EXPECT_EQ(parse_json_path("a[0].b"), (json_path{"a", json_step::at(0), "b"}));
    EXPECT_EQ(parse_json_path("a[10][2]"), (json_path{"a", json_step::at(10), json_step::at(2)}));
    EXPECT_EQ(parse_json_path("a\\[0\\]"), (json_path{"a[0]"}));
    EXPECT_EQ(parse_json_path("a[x].b"), (json_path{"a[x]", "b"}));
    EXPECT_EQ(parse_json_path("a[-1]"), (json_path{"a[-1]"}));
    EXPECT_EQ(parse_json_path("a[].b"), (json_path{"a", json_step::every(), "b"}));
    EXPECT_EQ(parse_json_path("a[][0]"), (json_path{"a", json_step::every(), json_step::at(0)}));
    EXPECT_EQ(parse_json_path("a[0][]"), (json_path{"a", json_step::at(0)}));
    EXPECT_EQ(parse_json_path("a[]"), (json_path{"a"}));
    for (const char* const wrong : {"[0]", "[]", "[].a", "a[0]b", "a[]b", "a[0].", "a.[0]", "a[]."})
        EXPECT_FALSE(parse_json_path(wrong)) << wrong;
    EXPECT_EQ(parse_json_path("a\\b"), (json_path{"a\\b"}));
    for (const char* const wrong : {"", ".", "a.", ".a", "a..b"})
        EXPECT_FALSE(parse_json_path(wrong)) << wrong;
}

TEST(enrich_json, finds_members_of_all_elements) {
    const std::vector<json_path> paths{
        parse_json_path("a[].b").value(), {"c"}, parse_json_path("a[][].d").value()};
    json_line reader(paths);
    std::vector<json_member> found(paths.size());
    const auto read = [&](const std::string& line) {
        EXPECT_FALSE(reader.read(line, found)) << line;
        std::string all;
        for (const json_line::repeated_member& one : reader.repeated())
            all += std::to_string(one.path) + std::string(one.member.text) + ' ';
        return all + std::string(found[1].text);
    };
    EXPECT_EQ(read(R"({"a":[{"b":"1"},{"x":0},7,{"b":[2]},[{"d":"3","b":4}]],"c":"5"})"), "01 0[2] 23 5");
    EXPECT_EQ(read(R"({"a":[],"c":"5"})"), "5");
    EXPECT_EQ(read(R"({"a":{"b":"1"}})"), "");
    // Of equal names the last one counts, in the array and in each element.
    EXPECT_EQ(read(R"({"a":[{"b":"1","b":"2"},{"b":"3"}]})"), "02 03 ");
    EXPECT_EQ(read(R"({"a":[{"b":"1"}],"a":[{"b":"2"}]})"), "02 ");
    EXPECT_EQ(read(R"({"a":[{"b":"1"}],"\u0061":0})"), "");
}

TEST(enrich_json, takes_elements_of_arrays) {
    const auto elements = [](std::string_view array) {
        std::vector<std::string> all;
        for (json_member one = next_element(array); one.kind != what::absent; one = next_element(array))
            all.push_back((one.kind == what::string ? "s"
                           : one.kind == what::null ? "n"
                                                    : "o") +
                          std::string(one.text));
        return all;
    };
    using texts = std::vector<std::string>;
    EXPECT_EQ(elements("[]"), texts{});
    EXPECT_EQ(elements("[ ]"), texts{});
    EXPECT_EQ(elements(R"(["a", "b\"],\\", null ,1e5,{"x":[",",{}]} , [["]"]],true])"),
              (texts{"sa", R"(sb\"],\\)", "nnull", "o1e5", R"(o{"x":[",",{}]})", R"(o[["]"]])", "otrue"}));
}

TEST(enrich_json, finds_many_paths_at_once) {
    std::vector<json_path> paths;
    std::string line = "{";
    for (std::size_t i = 0; i < max_json_paths; ++i) {
        paths.push_back({"n" + std::to_string(i)});
        line += (i == 0 ? "\"n" : ",\"n") + std::to_string(i) + "\":\"" + std::to_string(i * i) + "\"";
    }
    line += '}';
    json_line reader(paths);
    std::vector<json_member> found(paths.size());
    ASSERT_FALSE(reader.read(line, found));
    for (std::size_t i = 0; i < paths.size(); ++i)
        EXPECT_EQ(found[i].text, std::to_string(i * i));
}

} // namespace
} // namespace fingerpost::cli::enrich
