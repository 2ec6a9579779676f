// Cuts lines into fields, and stores each row by its key.
#include "io/source/combine/column_file.hpp"

#include <utility>

#include "io/format/csv/csv.hpp"
#include "io/format/csv/csv_start.hpp"
#include "io/format/parts/line_reader.hpp"
#include "io/format/parts/table_columns.hpp"
#include "io/format/parts/words.hpp"
#include "io/source/feed.hpp"

namespace fingerpost::io {

class column_file_reader : private line_reader {
  public:
    column_file_reader(std::string file, std::string_view key)
        : line_reader(std::move(file), "a file of columns", host_bits::mask), wanted_key_(key) {}

    bool feed(std::string_view chunk) {
        return feed_lines(chunk, [this](std::string_view line) { return take(line); });
    }
    expected<column_file, input_error> finish() && {
        auto error = finish_lines([this](std::string_view line) { return take(line); });
        if (!error && made_.names_.empty()) {
            fail({}, "no header");
            error = take_error();
        }
        if (error)
            return unexpected{std::move(*error)};
        const std::vector<common_types> types = made_.cells_.common();
        for (std::size_t i = 0; i < types.size(); ++i)
            made_.cells_.set_type(i, types[i].narrowest());
        return std::move(made_);
    }

  private:
    bool take(std::string_view line) {
        if (has_return(line))
            return refuse(line, return_in_line);
        if (trimmed(line).empty())
            return true;
        const bool is_header = made_.names_.empty();
        if (is_header)
            separator_ = csv_separator(line);
        if (!row_.cut(line, separator_))
            return refuse(line, "text after a closing quote");
        if (ends_in_quotes(line, separator_, false))
            return refuse(line, "a quote is not closed in its line");
        return is_header ? take_header(line) : take_row(line);
    }

    bool take_header(std::string_view line) {
        const auto& fields = row_.fields();
        std::vector<std::string> names;
        for (const std::string_view field : fields)
            names.emplace_back(trimmed(field));
        name_all(names);
        const auto column = find_column(names, wanted_key_);
        if (!column)
            return fail({}, no_such_column(names, wanted_key_));
        if (names.size() == 1)
            return fail(line, "no column besides the key");
        key_column_ = *column;
        width_ = names.size();
        made_.key_ = names[key_column_];
        names.erase(names.begin() + static_cast<std::ptrdiff_t>(key_column_));
        made_.names_ = std::move(names);
        made_.cells_ = value_rows(views(made_.names_));
        return true;
    }

    bool take_row(std::string_view line) {
        const auto& fields = row_.fields();
        if (fields.size() != width_)
            return refuse(line, std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields") +
                                    ", but the header has " + std::to_string(width_));
        const std::string_view key = trimmed(fields[key_column_]);
        if (key.empty())
            return refuse(line, "no " + made_.key_);
        cells_.assign(fields.begin(), fields.end());
        for (std::string_view& cell : cells_)
            if (cell.empty() && !row_.has_quotes())
                cell = missing_cell;
        cells_.erase(cells_.begin() + static_cast<std::ptrdiff_t>(key_column_));
        const next_hop row = made_.cells_.intern(cells_);
        const auto [known, is_new] =
            made_.found_.try_emplace(std::string(key), column_file::place{row, lines_read()});
        return is_new ||
               refuse(key, "line " + std::to_string(known->second.line) + " has this " + made_.key_ + " too");
    }

    std::string wanted_key_;
    char separator_ = ',';
    std::size_t width_ = 0;
    std::size_t key_column_ = 0;
    csv_row row_;
    std::vector<std::string_view> cells_;
    column_file made_;
};

expected<column_file, input_error> column_file::read(const std::string& path, std::string_view key) {
    return read_all(path, [&](std::string name) { return column_file_reader(std::move(name), key); });
}

std::optional<next_hop> column_file::find(std::string_view key) const {
    const auto found = found_.find(key);
    if (found == found_.end())
        return std::nullopt;
    return found->second.row;
}

} // namespace fingerpost::io
