// Writes routes line by line, and images as a whole.
#include "cli/writers/table_writer.hpp"

#include <cstddef>
#include <ctime>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "cli/writers/table_rows.hpp"
#include "cli/writers/table_to_firewall.hpp"
#include "cli/writers/table_to_mrt.hpp"
#include "cli/writers/table_to_proxy.hpp"
#include "fingerpost/image/any_image.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

// Readers would accept an incomplete table without complaint.
template <class A>
void check(const io::loaded_table<A>& table, const table_rows& rows) {
    std::vector<bool> is_checked(table.values.size());
    const auto refuse = [](const route<A>& r, const std::string& reason) {
        if (!reason.empty())
            throw failure(fmt::format("{}: the value {}", to_string(r.where), reason));
    };
    for (const route<A>& r : table.routes) {
        if (rows.has_lengths())
            refuse(r, rows.refusal(to_string(r.where), table.values, r.hop));
        if (is_checked[r.hop.id])
            continue;
        is_checked[r.hop.id] = true;
        refuse(r, rows.refusal(table.values, r.hop));
    }
}

template <class A>
void write_routes(const io::loaded_table<A>& table, table_rows& rows, output& out) {
    char where[max_prefix_text<A>];
    for (const route<A>& r : table.routes) {
        const char* const end = format(r.where, where);
        rows.add(std::string_view(where, static_cast<std::size_t>(end - where)), table.values, r.hop,
                 out.text());
        out.spill();
    }
}

void write_rows(row_kind kind, const io::both_tables& tables, const table_writing& how, output& out) {
    table_rows rows(kind, tables.ipv4.values, how.networks_only);
    check(tables.ipv4, rows);
    check(tables.ipv6, rows);
    rows.begin(out.text());
    write_routes(tables.ipv4, rows, out);
    write_routes(tables.ipv6, rows, out);
}

} // namespace

void table_to_text(io::both_tables& tables, const table_writing& how, output& out) {
    write_rows(row_kind::text, tables, how, out);
}

void table_to_csv(io::both_tables& tables, const table_writing& how, output& out) {
    write_rows(row_kind::csv, tables, how, out);
}

void table_to_ndjson(io::both_tables& tables, const table_writing& how, output& out) {
    write_rows(row_kind::ndjson, tables, how, out);
}

void table_to_image(io::both_tables& tables, const table_writing& how, output& out) {
    const auto write = [&](const expected<aligned_array<std::byte>>& image) {
        if (!image)
            throw failure(fmt::format("{}: {}", out.name(), message(image.error())));
        out.write({reinterpret_cast<const char*>(image->span().data()), image->span().size()});
    };
    if (!tables.ipv4.routes.empty() && !tables.ipv6.routes.empty())
        return write(compose_both_images(routes(tables.ipv4.routes), tables.ipv4.values.view(),
                                         routes(tables.ipv6.routes), tables.ipv6.values.view()));
    for_each_family(tables, how.choice, [&]<class A>(const io::loaded_table<A>& table) {
        write(image<A>::compose(routes<A>(table.routes), {}, table.values.view()));
    });
}

namespace {

void write_mrt(const io::both_tables& tables, const table_writing& how, io::mrt::reach_form reach,
               output& out) {
    io::mrt::writer_options options;
    options.seconds = static_cast<std::uint32_t>(std::time(nullptr));
    options.reach = reach;
    options.ipv4_substitute = how.ipv4_next_hop;
    options.ipv6_substitute = how.ipv6_next_hop;
    table_to_mrt(tables, options, out);
}

} // namespace

void table_to_mrt(io::both_tables& tables, const table_writing& how, output& out) {
    write_mrt(tables, how, io::mrt::reach_form::next_hop, out);
}

void table_to_whole_mrt(io::both_tables& tables, const table_writing& how, output& out) {
    write_mrt(tables, how, io::mrt::reach_form::whole, out);
}

void table_to_ipset(io::both_tables& tables, const table_writing& how, output& out) {
    table_to_ipset(tables, std::string_view(how.set_name), out);
}

void table_to_nft(io::both_tables& tables, const table_writing& how, output& out) {
    table_to_nft(tables, how.set_name, how.nft_table, out);
}

void table_to_nginx_geo(io::both_tables& tables, const table_writing& how, output& out) {
    table_to_nginx_geo(tables, std::string_view(how.set_name.empty() ? "fingerpost" : how.set_name), out);
}

void table_to_haproxy_map(io::both_tables& tables, const table_writing&, output& out) {
    table_to_haproxy_map(tables, out);
}

void write_tables(io::both_tables& tables, const table_writing& how, table_form form, output& out) {
    if (form == table_form::automatic)
        form = tables.ipv4.values.columns() == 1 ? table_form::text : table_form::csv;
    switch (form) {
    case table_form::automatic:
    case table_form::text:
        return table_to_text(tables, how, out);
    case table_form::csv:
        return table_to_csv(tables, how, out);
    case table_form::ndjson:
        return table_to_ndjson(tables, how, out);
    case table_form::image:
        return table_to_image(tables, how, out);
    }
}

option& add_table_form(command& to, std::string name, table_form& form) {
    option& form_option =
        add_choice<table_form>(to, std::move(name), form,
                               {{"auto", table_form::automatic},
                                {"text", table_form::text},
                                {"csv", table_form::csv},
                                {"ndjson", table_form::ndjson},
                                {"image", table_form::image}},
                               "Format of the resulting table; auto is text for one column of values, "
                               "CSV for several");
    return form_option;
}

} // namespace fingerpost::cli
