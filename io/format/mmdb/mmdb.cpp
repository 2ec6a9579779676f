// Opens the file after it was collected, and adds its networks to a table.
#include "io/format/mmdb/mmdb.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/printable.hpp"
#include "io/format/parts/table_columns.hpp"
#if FINGERPOST_HAVE_MAXMINDDB
#include "io/format/mmdb/fields.hpp"
#include "io/format/mmdb/networks.hpp"
#endif

namespace fingerpost::io {

mmdb_reader::mmdb_reader(std::string file, const table_options& options)
    : faults_(std::move(file)), options_(options) {
    for (const std::string& column : options_.network)
        if (!is_network_name(column)) {
            fail(column, "a MaxMind DB has no network columns to choose from");
            return;
        }
    for (auto name = options_.values.begin(); name != options_.values.end(); ++name)
        if (std::find(options_.values.begin(), name, *name) != name) {
            fail({}, named_twice(*name));
            return;
        }
}

// Faults of a file without lines are never skipped.
bool mmdb_reader::fail(std::string_view text, std::string reason) {
    return faults_.fail(0, text, std::move(reason));
}

#if FINGERPOST_HAVE_MAXMINDDB

namespace {

class open_database {
  public:
    explicit open_database(const std::string& path)
        : fault_(MMDB_open(path.c_str(), MMDB_MODE_MMAP, &base_)) {}
    open_database(const open_database&) = delete;
    open_database& operator=(const open_database&) = delete;
    ~open_database() {
        if (fault_ == MMDB_SUCCESS)
            MMDB_close(&base_);
    }
    int fault() const noexcept { return fault_; }
    const MMDB_s& operator*() const noexcept { return base_; }
    const MMDB_s* operator->() const noexcept { return &base_; }

  private:
    MMDB_s base_{};
    int fault_;
};

// Adds the routes of a family. Returns the fault of the first route that is refused.
template <class A>
std::optional<input_error> add_networks(table_builder& builder, mmdb_fields& fields, std::size_t records,
                                        const std::vector<mmdb_network<A>>& networks) {
    std::vector<next_hop> rows(records, next_hop::none);
    for (const mmdb_network<A>& network : networks) {
        const auto choice = builder.choose(family_of<A>);
        if (choice == table_builder::choice::refuse)
            return input_error{{}, 0, to_string(network.where), builder.refusal(family_of<A>)};
        if (choice == table_builder::choice::skip)
            continue;
        next_hop& row = rows[network.record];
        if (row == next_hop::none)
            row = builder.row_of<A>(fields.row(network.record));
        builder.add(network.where, row);
    }
    return std::nullopt;
}

} // namespace

bool mmdb_reader::feed(std::string_view chunk) {
    if (faults_.failed())
        return false;
    return bytes_.append(chunk) ||
           fail({}, "cannot keep the file in memory: " + std::system_category().message(errno));
}

std::optional<input_error> mmdb_reader::complete(table_builder& builder) {
    if (faults_.failed())
        return faults_.take_error();
    const auto failed = [&](std::string_view text, std::string reason) {
        fail(text, std::move(reason));
        return faults_.take_error();
    };
    if (bytes_.size() == 0)
        return failed({}, "the file is empty");
    const open_database database(bytes_.path());
    if (database.fault() != MMDB_SUCCESS)
        return failed({}, std::string("cannot read the MaxMind DB: ") + MMDB_strerror(database.fault()));
    if (options_.on_understood)
        options_.on_understood("a MaxMind DB, " + printable(database->metadata.database_type));
    auto networks = networks_of(*database, options_.aliases ? mmdb_aliases::repeat : mmdb_aliases::note);
    if (!networks)
        return failed({}, std::move(networks.error()));
    builder.set_aliases(std::move(networks->aliases));
    mmdb_fields fields(options_.values);
    for (const MMDB_entry_s& record : networks->records)
        if (auto fault = fields.add(record))
            return failed({}, std::move(*fault));
    if (const auto missing = fields.missing())
        return failed(*missing, "no network has this field");
    const std::vector<std::string> columns = fields.columns();
    builder.set_columns(views(columns));
    builder.set_types(fields.types());
    auto refused = add_networks(builder, fields, networks->records.size(), networks->ipv4);
    if (!refused)
        refused = add_networks(builder, fields, networks->records.size(), networks->ipv6);
    return refused ? failed(refused->text, refused->reason) : std::nullopt;
}

#else

bool mmdb_reader::feed(std::string_view) {
    return !faults_.failed() &&
           fail({}, "this build cannot read MaxMind DBs: it was built without libmaxminddb");
}

std::optional<input_error> mmdb_reader::complete(table_builder&) {
    (void)feed({});
    return faults_.take_error();
}

#endif

expected<both_tables, input_error> mmdb_reader::finish_both() && {
    table_builder builder(options_);
    if (auto error = complete(builder))
        return unexpected{std::move(*error)};
    return std::move(builder).finish_both(0);
}

expected<one_table, input_error> mmdb_reader::finish() && {
    table_builder builder(options_);
    if (auto error = complete(builder))
        return unexpected{std::move(*error)};
    return std::move(builder).finish(0);
}

namespace {

// Writers usually number the nodes from the root, so the file begins with the number 1 of the next node, in
// 24, 28 or 32 bits. io/source recognises other files by their end.
bool is_mmdb(std::string_view start) {
    using namespace std::string_view_literals;
    return start.size() >= 12 && (start.starts_with("\0\0\1"sv) || start.starts_with("\0\0\0\1"sv));
}

} // namespace

extern const format_entry mmdb_format;
constinit const format_entry mmdb_format{.name = "mmdb",
                                         .summary = "a MaxMind DB, such as GeoLite2 and GeoIP2",
                                         .has_magic = is_mmdb,
                                         .open = open_reader<mmdb_reader>};

} // namespace fingerpost::io
