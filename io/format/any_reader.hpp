// One interface to the readers of all text formats.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "fingerpost/base/expected.hpp"
#include "io/format/bgpdump/bgpdump.hpp"
#include "io/format/csv/csv.hpp"
#include "io/format/ip_route/ip_route.hpp"
#include "io/format/json/json.hpp"
#include "io/format/table_format.hpp"
#include "io/format/text/table_text.hpp"

namespace fingerpost::io {

class any_reader {
  public:
    // `format` must be a text format; MRT files and images have readers of their own.
    any_reader(table_format format, const std::string& file, const table_options& options)
        : reader_(make(format, file, options)) {}

    // False after the first error, which the end will return; then no more input is needed.
    bool feed(std::string_view chunk) {
        return std::visit([&](auto& reader) { return reader.feed(chunk); }, reader_);
    }
    expected<any_table, input_error> finish() && {
        return std::visit([](auto& reader) { return std::move(reader).finish(); }, reader_);
    }
    expected<both_tables, input_error> finish_both() && {
        return std::visit([](auto& reader) { return std::move(reader).finish_both(); }, reader_);
    }

  private:
    using any = std::variant<table_reader, csv_reader, json_reader, bgpdump_reader, ip_route_reader,
                             ip_route_json_reader>;
    static any make(table_format format, const std::string& file, const table_options& options) {
        switch (format) {
        case table_format::csv:
            return csv_reader(file, options);
        case table_format::tsv:
            return csv_reader(file, options, true);
        case table_format::json:
            return json_reader(file, options);
        case table_format::bgpdump:
            return bgpdump_reader(file, options);
        case table_format::ip_route:
            return ip_route_reader(file, options);
        case table_format::ip_route_json:
            return ip_route_json_reader(file, options);
        case table_format::text:
        case table_format::mrt:
        case table_format::image:
            break;
        }
        return table_reader(file, options);
    }

    any reader_;
};

} // namespace fingerpost::io
