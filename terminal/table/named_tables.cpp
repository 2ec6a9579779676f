// Handles names of tables, their files, and the columns that are joined to them.
#include "terminal/table/named_tables.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <utility>
#include <variant>

#include "io/format/parts/table_columns.hpp"
#include "io/source/combine/column_join.hpp"
#include "terminal/console.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// Returns a name for a table: that of its file up to the first dot.
std::string name_after(const std::string& path) {
    std::string name = path == "-" ? "stdin" : std::filesystem::path(path).stem().string();
    name.resize(std::min(name.find('.', 1), name.size()));
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !is_name_character(c); }, '_');
    return name;
}

table_choice of_file(const table_choice& choice, const std::string& path) {
    table_choice result = choice;
    result.files = {{.name = {}, .path = path}};
    result.path = path;
    return result;
}

io::both_tables copied(io::found_tables tables, const table_choice& choice) {
    if (auto* const images = std::get_if<both_images>(&tables))
        return copy_tables(*images, choice);
    return std::get<io::both_tables>(std::move(tables));
}

bool is_empty(const io::both_tables& tables) {
    return tables.ipv4.routes.empty() && tables.ipv6.routes.empty();
}

std::vector<std::string> sorted_columns(const io::both_tables& tables) {
    std::vector<std::string> names = io::names_of(tables.ipv4.values);
    std::sort(names.begin(), names.end());
    return names;
}

// Refuses files with different columns. Their values probably have different meanings, and most cells of a
// joined table would be missing.
void refuse_other_columns(const file_group& group, const std::vector<io::both_tables>& parts) {
    const auto first = std::find_if_not(parts.begin(), parts.end(), is_empty);
    const auto other = std::find_if(first, parts.end(), [&](const io::both_tables& tables) {
        return !is_empty(tables) && sorted_columns(tables) != sorted_columns(*first);
    });
    if (!group.name.empty() || other == parts.end())
        return;
    const std::string& one_path = group.paths[static_cast<std::size_t>(first - parts.begin())];
    const std::string& other_path = group.paths[static_cast<std::size_t>(other - parts.begin())];
    throw failure(
        fmt::format("{} has the columns {}, but {} has {}; name the tables to keep both: -t {}={} -t {}={}",
                    one_path, fmt::join(io::names_of(first->ipv4.values), ", "), other_path,
                    fmt::join(io::names_of(other->ipv4.values), ", "), name_after(one_path), one_path,
                    name_after(other_path), other_path));
}

io::found_tables find_group(const file_group& group, const table_choice& choice) {
    if (group.paths.size() == 1)
        return find_file(of_file(choice, group.paths.front()));
    std::vector<io::both_tables> parts;
    for (const std::string& path : group.paths) {
        const table_choice file_choice = of_file(choice, path);
        parts.push_back(copied(find_file(file_choice), file_choice));
    }
    refuse_other_columns(group, parts);
    // An empty file has no columns, not even the default one.
    if (!std::all_of(parts.begin(), parts.end(), is_empty))
        std::erase_if(parts, is_empty);
    io::joined_tables joined = io::join_tables(std::move(parts));
    if (joined.replaced != 0)
        report(fmt::format("{} of earlier files replaced by later ones",
                           joined.replaced == 1 ? "1 route" : fmt::format("{} routes", joined.replaced)));
    return std::move(joined.tables);
}

void join_files(std::vector<found_table>& tables, const table_choice& choice) {
    for (found_table& entry : tables)
        entry.tables = copied(std::move(entry.tables), choice);
    for (const column_join& join : choice.joins) {
        const auto file = io::column_file::read(join.path, join.file_key);
        if (!file)
            throw failure(io::message(file.error()));
        bool is_joined = false;
        for (found_table& entry : tables) {
            const auto joined =
                io::join_columns(std::get<io::both_tables>(entry.tables), join.table_key, *file);
            if (!joined)
                throw failure(fmt::format("{}: {}", join.path, joined.error()));
            is_joined = is_joined || *joined;
        }
        if (!is_joined)
            throw failure(fmt::format("--on: no table has a column {}", io::quoted(join.table_key)));
    }
    for (found_table& entry : tables) {
        auto selected = io::keep_columns(std::get<io::both_tables>(std::move(entry.tables)), choice.values,
                                         entry.name.empty() ? name_of(choice) : entry.name);
        if (!selected)
            throw failure(io::message(selected.error()));
        entry.tables = std::move(*selected);
    }
}

void fix_types(std::vector<found_table>& tables, const table_choice& choice) {
    for (const io::typed_column& type : choice.types) {
        bool has_column = false;
        for (found_table& entry : tables) {
            entry.tables = copied(std::move(entry.tables), choice);
            auto& both = std::get<io::both_tables>(entry.tables);
            if (!io::find_column(io::names_of(both.ipv4.values), type.name))
                continue;
            has_column = true;
            if (const std::string reason = io::fix_types(both, std::span(&type, 1)); !reason.empty())
                throw failure(fmt::format("--type: {}", reason));
        }
        if (!has_column)
            throw failure(fmt::format("--type: no table has a column {}", io::quoted(type.name)));
    }
}

} // namespace

table_file cut_table(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos && equals != 0 && equals + 1 != text.size() &&
        std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals), is_name_character))
        return {text.substr(0, equals), text.substr(equals + 1)};
    return {{}, text};
}

std::vector<file_group> group_files(const std::vector<table_file>& files) {
    const auto has_name = [](const table_file& file) { return !file.name.empty(); };
    const auto nameless = std::find_if_not(files.begin(), files.end(), has_name);
    if (nameless != files.end() && std::any_of(files.begin(), files.end(), has_name))
        throw usage_error(
            fmt::format("--table: either all tables or none have names: write NAME={}", nameless->path));
    std::vector<file_group> groups;
    for (const table_file& file : files) {
        const auto group = std::find_if(groups.begin(), groups.end(),
                                        [&](const file_group& g) { return g.name == file.name; });
        if (group == groups.end())
            groups.push_back({file.name, {file.path}});
        else
            group->paths.push_back(file.path);
    }
    return groups;
}

std::vector<found_table> find_groups(const std::vector<file_group>& groups, const table_choice& choice) {
    std::vector<found_table> tables;
    for (const file_group& group : groups)
        tables.push_back({group.name, find_group(group, choice)});
    if (!choice.joins.empty())
        join_files(tables, choice);
    fix_types(tables, choice);
    return tables;
}

} // namespace fingerpost::cli
