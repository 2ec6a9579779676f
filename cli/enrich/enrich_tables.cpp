// Names of tables, and their files.
#include "cli/enrich/enrich_tables.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "terminal/failure.hpp"

namespace fingerpost::cli::enrich {
namespace {

// `NAME=FILE`, where the name is a word; anything else is a file, whose name up to the first dot is its name.
std::pair<std::string, std::string> cut_table(const std::string& text) {
    const std::size_t equals = text.find('=');
    const auto is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-';
    };
    if (equals != std::string::npos && equals != 0 && equals + 1 != text.size() &&
        std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals), is_word))
        return {text.substr(0, equals), text.substr(equals + 1)};
    std::string name = std::filesystem::path(text).filename();
    if (text == "-")
        name = "stdin";
    return {name.substr(0, std::max<std::size_t>(name.find('.'), 1)), text};
}

void refuse_two_readers(const enrich_options& options) {
    auto from_stdin = std::count(options.files.begin(), options.files.end(), "-");
    for (const std::string& text : options.tables)
        from_stdin += cut_table(text).second == "-" ? 1 : 0;
    if (from_stdin > 1)
        throw usage_error("enrich: only one of the tables and the inputs can come from stdin");
}

} // namespace

open_tables load_tables(const enrich_options& options) {
    refuse_two_readers(options);
    open_tables made;
    for (const std::string& text : options.tables) {
        const auto [name, path] = cut_table(text);
        for (const named_table& other : made.named)
            if (other.name == name)
                throw usage_error(
                    fmt::format("--table: two tables are called '{}'; name them: NAME={}", name, path));
        table_choice choice = options.table;
        choice.path = path;
        made.owned.push_back(std::make_unique<answer_table>(find_tables(choice), choice, options.scheme));
        made.named.push_back({name, made.owned.back().get()});
    }
    return made;
}

} // namespace fingerpost::cli::enrich
