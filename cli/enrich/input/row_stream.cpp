// Cuts files into blocks of rows, and removes their headers.
#include "cli/enrich/input/row_stream.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "cli/enrich/rows/csv_rows.hpp"
#include "io/format/parts/printable.hpp"
#include "io/format/parts/words.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli::enrich {
namespace {

std::string_view without_line_end(std::string_view row) {
    if (row.ends_with('\n'))
        row.remove_suffix(1);
    return io::without_return(row);
}

} // namespace

row_stream::row_stream(row_files files, const row_layout& layout, std::size_t most_bytes)
    : files_(std::move(files)), layout_(layout), most_bytes_(most_bytes), header_due_(layout.has_header) {
    first_.has_mark = files_.has_mark();
    const auto keep = [this](row_block&& block) {
        early_.push_back(std::move(block));
        return true;
    };
    while (has_columns(layout_.kind) && first_.width == 0 && read_more(keep)) {
    }
    if (error_)
        throw failure(*error_);
}

bool row_stream::fail(std::string words) {
    error_ = std::move(words);
    return false;
}

bool row_stream::next(const row_cutter::receiver& to) {
    if (early_.empty())
        return read_more(to);
    row_block block = std::move(early_.front());
    early_.pop_front();
    return to(std::move(block));
}

// Returns whether there is more to read.
bool row_stream::read_more(const row_cutter::receiver& to) {
    if (!files_.is_open()) {
        if (!files_.open_next())
            return files_.error() && fail(*files_.error());
        header_due_ = layout_.has_header;
    }
    if (!cutter_ && !documents_) {
        if (layout_.kind == row_kind::json)
            documents_.emplace(files_.name());
        if (layout_.has_comment_header && !take_comment_header())
            return false;
        const bool has_lines = !has_columns(layout_.kind) || layout_.dialect.has_blanks();
        if (!documents_)
            cutter_.emplace(files_.name(), has_lines ? nullptr : &layout_.dialect, comment_lines_ + 1);
    }
    const auto bytes = files_.read();
    if (!bytes)
        return fail(*files_.error());
    return bytes->empty() ? finish_file(to) : feed(*bytes, to);
}

bool row_stream::feed(std::string_view bytes, const row_cutter::receiver& to) {
    const auto receiver = [&](row_block&& block) { return take(std::move(block), to); };
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), most_bytes_))) {
        const std::string_view part = bytes.substr(0, most_bytes_);
        if (documents_ ? !feed_document(part, receiver) : !cutter_->feed(part, receiver))
            return false;
    }
    return true;
}

bool row_stream::feed_document(std::string_view bytes, const row_cutter::receiver& to) {
    const bool more = bytes.empty() ? documents_->finish(to) : documents_->feed(bytes, to);
    return documents_->error().empty() ? more : fail(documents_->error());
}

bool row_stream::finish_file(const row_cutter::receiver& to) {
    const auto receiver = [&](row_block&& block) { return take(std::move(block), to); };
    const bool more = documents_ ? feed_document({}, receiver) : cutter_->finish(receiver);
    cutter_.reset();
    documents_.reset();
    files_.close();
    return more;
}

bool row_stream::take(row_block&& block, const row_cutter::receiver& to) {
    if (header_due_ && !block.bytes.empty() && !take_header(block))
        return false;
    if (has_columns(layout_.kind) && first_.width == 0)
        measure(block);
    return block.bytes.empty() || to(std::move(block));
}

// Takes the width from the first row that is not empty.
void row_stream::measure(const row_block& block) {
    const char* at = block.bytes.data();
    const char* const end = at + block.bytes.size();
    while (first_.width == 0 && at != end && !block.is_too_long) {
        const bool by_line = !block.by_line.empty() && block.by_line.front().begin == 0;
        const csv_row row =
            read_csv_row(at, by_line ? std::find(at, end, '\n') : end, layout_.dialect, {}, {});
        if (row.end != at && !(by_line && has_open_quote({at, row.end}, layout_.dialect)))
            first_.width = row.columns;
        at = row.next;
        at += by_line && at != end ? 1 : 0;
    }
}

// Returns false if the file has rows but no header, or if its header differs from that of earlier files.
bool row_stream::take_comment_header() {
    comment_lines_ = 0;
    if (files_.beginning().empty())
        return true;
    auto header = files_.take_comment_header();
    if (!header)
        return fail(fmt::format("{}: no #fields or #Fields: line before the first row",
                                io::printable(files_.name())));
    header_due_ = false;
    comment_lines_ = static_cast<std::uint64_t>(std::count(header->lines.begin(), header->lines.end(), '\n'));
    if (!first_.comments) {
        first_.width = header->names.size();
        first_.comments = std::move(*header);
        header_file_ = files_.name();
    } else if (header->names != first_.comments->names ||
               header->layout.dialect.delimiter != layout_.dialect.delimiter) {
        return fail(fmt::format("{}: the header differs from that of {}", io::printable(files_.name()),
                                io::printable(header_file_)));
    }
    return true;
}

bool row_stream::take_header(row_block& block) {
    const std::string_view bytes = block.bytes;
    if (block.is_too_long)
        return fail(
            fmt::format("{}:1: the header has more than {} bytes", io::printable(block.file), max_row_bytes));
    if (!block.by_line.empty() && block.by_line.front().begin == 0)
        return fail(fmt::format("{}:1: a quote in the header is not closed", io::printable(block.file)));
    header_due_ = false;
    const csv_row row = read_csv_row(bytes.data(), bytes.data() + bytes.size(), layout_.dialect, {}, {});
    const auto size = static_cast<std::size_t>(row.next - bytes.data());
    std::string header(bytes.substr(0, size));
    if (first_.header && without_line_end(header) != without_line_end(*first_.header))
        return fail(fmt::format("{}:1: the header differs from that of {}", io::printable(block.file),
                                io::printable(header_file_)));
    block.first_line += static_cast<std::uint64_t>(std::count(header.begin(), header.end(), '\n'));
    block.bytes.erase(0, size);
    for (line_region& region : block.by_line)
        region = {region.begin - size, region.end - size};
    if (!first_.header) {
        if (row.end == bytes.data())
            return fail(fmt::format("{}:1: the header is empty", io::printable(block.file)));
        first_.width = row.columns;
        first_.header = std::move(header);
        header_file_ = block.file;
    }
    return true;
}

} // namespace fingerpost::cli::enrich
