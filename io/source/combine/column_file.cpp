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
        : line_reader(std::move(file), "a file of columns", host_bits::mask), key_name_(key) {}

    bool feed(std::string_view chunk) {
        return feed_lines(chunk, [this](std::string_view line) { return take(line); });
    }
    expected<column_file, input_error> finish() && {
        auto error = finish_lines([this](std::string_view line) { return take(line); });
        if (!error && result_.names_.empty()) {
            fail({}, "no header");
            error = take_error();
        }
        if (error)
            return unexpected{std::move(*error)};
        const std::vector<common_types> types = result_.cells_.common();
        for (std::size_t i = 0; i < types.size(); ++i)
            result_.cells_.set_type(i, types[i].narrowest());
        return std::move(result_);
    }

  private:
    bool take(std::string_view line) {
        if (has_return(line))
            return refuse(line, return_in_line);
        if (trimmed(line).empty())
            return true;
        const bool is_header = result_.names_.empty();
        if (is_header)
            separator_ = csv_separator(line);
        if (!row_.cut(line, separator_))
            return refuse(line, "text after a closing quote");
        if (ends_in_quotes(line, separator_, false))
            return refuse(line, "a quote is not closed on its line");
        return is_header ? take_header(line) : take_row(line);
    }

    bool take_header(std::string_view line) {
        const auto& fields = row_.fields();
        std::vector<std::string> names;
        for (const std::string_view field : fields)
            names.emplace_back(trimmed(field));
        name_all(names);
        const auto column = find_column(names, key_name_);
        if (!column)
            return fail({}, no_such_column(names, key_name_));
        if (names.size() == 1)
            return fail(line, "no column besides the key");
        key_column_ = *column;
        width_ = names.size();
        result_.key_ = names[key_column_];
        names.erase(names.begin() + static_cast<std::ptrdiff_t>(key_column_));
        result_.names_ = std::move(names);
        result_.cells_ = value_rows(views(result_.names_));
        return true;
    }

    bool take_row(std::string_view line) {
        const auto& fields = row_.fields();
        if (fields.size() != width_)
            return refuse(line, std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields") +
                                    ", but the header has " + std::to_string(width_));
        const std::string_view key = trimmed(fields[key_column_]);
        if (key.empty())
            return refuse(line, "the " + result_.key_ + " is empty");
        cells_.assign(fields.begin(), fields.end());
        for (std::string_view& cell : cells_)
            if (cell.empty() && !row_.has_quotes())
                cell = missing_cell;
        cells_.erase(cells_.begin() + static_cast<std::ptrdiff_t>(key_column_));
        const next_hop row = result_.cells_.intern(cells_);
        const auto [entry, is_new] =
            result_.rows_.try_emplace(std::string(key), column_file::place{row, lines_read()});
        return is_new ||
               refuse(key, "line " + std::to_string(entry->second.line) + " has the same " + result_.key_);
    }

    std::string key_name_;
    char separator_ = ',';
    std::size_t width_ = 0;
    std::size_t key_column_ = 0;
    csv_row row_;
    std::vector<std::string_view> cells_;
    column_file result_;
};

expected<column_file, input_error> column_file::read(const std::string& path, std::string_view key) {
    return read_all(path, [&](std::string name) { return column_file_reader(std::move(name), key); });
}

std::optional<next_hop> column_file::find(std::string_view key) const {
    const auto match = rows_.find(key);
    if (match == rows_.end())
        return std::nullopt;
    return match->second.row;
}

} // namespace fingerpost::io
