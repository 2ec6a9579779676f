// Base of the readers of lines with fixed columns: their columns, the first error, and the end of the input.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/fixed/fixed_columns.hpp"
#include "io/format/parts/line_reader.hpp"
#include "io/format/parts/routing_tables.hpp"

namespace fingerpost::io {

// A Reader derives from fixed_reader<Reader> and defines these functions, which fixed_reader calls:
//
//     bool take_line(std::string_view line);    returns false if the line was refused and reading must stop
//     bool take_end();                          is called once after the last line; returns like take_line()
template <class Reader>
class fixed_reader : protected line_reader {
  public:
    bool feed(std::string_view chunk) {
        return feed_lines(chunk, [this](std::string_view line) { return give(line); });
    }
    expected<both_tables, input_error> finish_both() && {
        if (auto error = complete())
            return unexpected{std::move(*error)};
        return std::move(*tables_).finish_both(lines_read(), skipped());
    }
    expected<one_table, input_error> finish() && {
        if (auto error = complete())
            return unexpected{std::move(*error)};
        return std::move(*tables_).finish(lines_read(), skipped());
    }

  protected:
    // `kind`: description of such an input for messages. `main_tables`: the names that the program gives its
    // main routing table, if it has several tables.
    fixed_reader(std::string file, const table_options& options, const char* kind, const fixed_names& names,
                 std::span<const std::string_view> main_tables = {})
        : line_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), kind, options.policy) {
        auto columns = fixed_columns::make(options, names);
        if (columns)
            tables_.emplace(std::move(*columns), options, main_tables);
        else
            fail({}, columns.error());
    }

    // Reports how the input is read.
    void report_format(const std::string& description) {
        if (tables_ && tables_->table().options().on_understood)
            tables_->table().options().on_understood(description);
    }
    fixed_columns& table() noexcept { return tables_->table(); }
    // Returns where to add a route of the routing table `name`; nullptr if the route is left out.
    fixed_columns* table_for(std::string_view name, std::string_view where) {
        return tables_->table_for(name, detect_family(where));
    }
    left_out& others() noexcept { return tables_->others(); }
    bool add(std::string_view where, std::span<const std::string_view> cells) {
        return check(table().add(where, cells));
    }
    // Refuses the current line if there is a fault.
    bool check(const std::optional<route_fault>& fault) {
        return !fault || refuse(fault->text, fault->reason);
    }
    bool check_at(std::uint64_t line, const std::optional<route_fault>& fault) {
        return !fault || refuse_at(line, fault->text, fault->reason);
    }

  private:
    bool give(std::string_view line) {
        if (has_return(line))
            return refuse(line, return_in_line);
        if (line.find('\0') != std::string_view::npos)
            return refuse(line, "there is a NUL byte in the line");
        return static_cast<Reader*>(this)->take_line(line);
    }
    std::optional<input_error> complete() {
        auto error = finish_lines([this](std::string_view line) { return give(line); });
        if (error)
            return error;
        if (static_cast<Reader*>(this)->take_end())
            if (auto fault = tables_->settle())
                fail({}, std::move(*fault));
        return take_error();
    }

    std::optional<routing_tables<fixed_columns>> tables_;
};

} // namespace fingerpost::io
