// Passes every route of a table to the MRT writer.
#include "cli/writers/table_to_mrt.hpp"

#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/input_error.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

// Finds the values that MRT routes are written with.
class value_columns {
  public:
    explicit value_columns(const value_rows& values)
        : values_(values), next_hop_(values.view().find("next_hop")),
          origin_as_(values.view().find("origin_as")) {
        if (!next_hop_ && origin_as_ != std::size_t{0})
            next_hop_ = 0;
    }

    io::mrt::written_values of(next_hop row) const {
        return {next_hop_ ? values_.cell(row, *next_hop_) : std::string_view(),
                origin_as_ ? values_.cell(row, *origin_as_) : std::string_view()};
    }

  private:
    const value_rows& values_;
    std::optional<std::size_t> next_hop_;
    std::optional<std::size_t> origin_as_;
};

// MRT routes hold a next hop and an origin AS. The user must exclude other columns explicitly.
void check_columns(const value_rows& values) {
    const std::size_t hop = values.view().find("next_hop").value_or(0);
    std::string others;
    for (std::size_t i = 0; i < values.columns(); ++i)
        if (i != hop && values.name(i) != "origin_as")
            others.append(others.empty() ? "" : ", ").append(values.name(i));
    if (!others.empty())
        throw failure(
            fmt::format("MRT cannot hold the columns {}; choose --columns next_hop,origin_as", others));
}

// Readers would accept an incomplete file without complaint.
template <class A>
void check(const io::loaded_table<A>& table, const io::mrt::writer_options& options) {
    io::mrt::table_writer writer(options);
    const value_columns columns(table.values);
    std::vector<bool> is_checked(table.values.size());
    std::string scratch;
    for (const route<A>& r : table.routes) {
        if (is_checked[r.hop.id])
            continue;
        is_checked[r.hop.id] = true;
        scratch.clear();
        const auto values = columns.of(r.hop);
        if (const std::string reason = writer.add(r.where, values, scratch); !reason.empty())
            throw failure(fmt::format("{} {} cannot be written as MRT: {}", to_string(r.where),
                                      io::quoted(values.next_hop), reason));
    }
}

template <class A>
void write(const io::loaded_table<A>& table, io::mrt::table_writer& writer, output& out) {
    const value_columns columns(table.values);
    for (const route<A>& r : table.routes) {
        (void)writer.add(r.where, columns.of(r.hop), out.text());
        out.spill();
    }
}

} // namespace

void table_to_mrt(const io::both_tables& tables, const io::mrt::writer_options& options, output& out) {
    check_columns(tables.ipv4.values);
    check(tables.ipv4, options);
    check(tables.ipv6, options);
    io::mrt::table_writer writer(options);
    writer.begin(out.text());
    write(tables.ipv4, writer, out);
    write(tables.ipv6, writer, out);
    if (writer.substituted() != 0)
        report(fmt::format("{} routes got the address of --next-hop", writer.substituted()));
}

} // namespace fingerpost::cli
