// Lays out rows when all are known.
#include "terminal/columns.hpp"

#include <algorithm>
#include <utility>

#include "io/format/parts/printable.hpp"

namespace fingerpost::cli {
std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

columns::columns(std::vector<head> heads) : heads_(std::move(heads)), widths_(heads_.size()) {
    std::vector<std::string> titles;
    for (const head& column : heads_)
        titles.push_back(column.title);
    add(std::move(titles));
}

void columns::add(std::vector<std::string> cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        cells[i] = io::printable(cells[i]);
        widths_[i] = std::max(widths_[i], characters(cells[i]));
    }
    rows_.push_back(std::move(cells));
}

std::string columns::text() const {
    std::string out;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string gap(widths_[i] - characters(row[i]), ' ');
            line += i == 0 ? "" : "  ";
            line += heads_[i].is_number ? gap + row[i] : row[i] + gap;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

} // namespace fingerpost::cli
