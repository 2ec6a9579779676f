// Pages of cases: inputs with the expected output of each, as text. A page has `>>> NAME` and an input,
// followed by `<<< OPTIONS` and the output for each run over the input. After `>>>\ NAME` the input has
// escapes. FINGERPOST_SAMPLES=write makes a test write the outputs into its page. tests/support/samples.py
// reads such pages too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/files.hpp"

namespace fingerpost::testing {

inline std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream words(text);
    for (std::string part; std::getline(words, part, separator);)
        parts.push_back(part);
    return parts;
}

struct page_case {
    struct run {
        std::string options;
        std::string output; // expected output
    };
    std::string head; // the line that begins with >>>
    std::string text; // as written in the page
    std::vector<run> runs = {};

    // \xHH is a byte; a \ at the end of a line joins it with the next one.
    std::string input() const {
        if (!head.starts_with(">>>\\"))
            return text;
        std::string out;
        for (std::size_t at = 0; at < text.size(); ++at) {
            const std::string_view rest = std::string_view(text).substr(at);
            if (rest.starts_with("\\x")) {
                out += static_cast<char>(std::stoi(std::string(rest.substr(2, 2)), nullptr, 16));
                at += 3;
            } else if (rest.starts_with("\\\n")) {
                ++at;
            } else {
                out += text[at];
            }
        }
        return out;
    }
};

inline std::vector<page_case> cases_of(const std::string& page) {
    std::vector<page_case> cases;
    std::string* part = nullptr;
    for (const std::string& line : split(page, '\n')) {
        if (line.starts_with(">>>")) {
            cases.push_back({line, {}});
            part = &cases.back().text;
        } else if (line.starts_with("<<<")) {
            cases.back().runs.push_back({line.substr(std::min<std::size_t>(4, line.size())), {}});
            part = &cases.back().runs.back().output;
        } else {
            *part += line + "\n";
        }
    }
    return cases;
}

inline bool writes_pages() {
    return std::getenv("FINGERPOST_SAMPLES") != nullptr;
}

// Expects output(input, options) to return the output on the page, for each run. Returns the number of cases.
template <class F>
std::size_t expect_page(const std::filesystem::path& path, F output) {
    std::vector<page_case> cases = cases_of(read_file(path));
    std::string page;
    for (page_case& each : cases) {
        SCOPED_TRACE(path.string() + " " + each.head);
        page += each.head + "\n" + each.text;
        for (page_case::run& run : each.runs) {
            const std::string actual = output(each.input(), run.options);
            if (!writes_pages()) {
                EXPECT_EQ(actual, run.output) << run.options;
            }
            page += "<<<" + (run.options.empty() ? "" : " " + run.options) + "\n" + actual;
        }
    }
    if (writes_pages())
        std::ofstream(path, std::ios::binary) << page;
    return cases.size();
}

} // namespace fingerpost::testing
