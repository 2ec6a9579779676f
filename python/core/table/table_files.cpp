// Reads and writes files: images, and all table formats that the library reads.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "fingerpost/base/reason.hpp"
#include "io/source/any_table.hpp"
#include "python/core/module_lock.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"
#include "python/core/table/table_source.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

// Notes about a file that was read, for the report.
struct findings {
    std::string understood{};
    std::vector<io::table_note> notes{};
    std::string first_bad{};
    std::string left_out{};

    void add_counts(const io::table_counts& counts) {
        // An omitted set without entries counts as one.
        const std::uint64_t count = left_out.empty() ? 0 : std::max<std::uint64_t>(counts.left_out, 1);
        add({{"left_out", count, "left out " + (count == 0 ? "nothing" : left_out)}});
        add(io::notes_of(counts));
    }
    void add(std::vector<io::table_note> more) {
        for (io::table_note& note : more) {
            if (note.name == "bad" && !first_bad.empty())
                note.words += "; the first: " + first_bad;
            notes.push_back(std::move(note));
        }
    }
    // Warns, and returns a fingerpost.TableReport.
    nb::object report(const std::string& file) const {
        nb::list list;
        for (const io::table_note& note : notes)
            list.append(nb::make_tuple(nb::cast(std::string(note.name)), note.count, shown_text(note.words)));
        return nb::module_::import_("fingerpost._reports")
            .attr("report")(shown_text(file), shown_text(understood), list);
    }
};

struct reading {
    io::read_options options{};
    std::vector<io::typed_column> types{}; // chosen by the caller
    std::string scheme{};
};

// Whether the file contains only white space, like a truncated file. It is then shorter than the peek.
expected<bool, io::input_error> is_blank(io::file_source& source) {
    constexpr std::size_t enough = 4096;
    const auto start = source.peek(enough);
    if (!start)
        return unexpected{start.error()};
    return start->size() < enough && start->find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Needs no GIL.
expected<io::found_tables, io::input_error> find_tables(const table_source& from,
                                                        const io::read_options& how) {
    auto input = from.open(how);
    if (!input)
        return unexpected{input.error()};
    const auto blank = is_blank(input->source());
    if (!blank)
        return unexpected{blank.error()};
    if (*blank)
        return unexpected{io::input_error{input->source().name(), 0, {}, "it is empty"}};
    return std::move(*input).find(how);
}

// Number of routes whose family was not chosen.
std::uint64_t routes_left_out(const both_images& of, std::optional<family> only) {
    const auto count = [&]<class A>(const std::optional<image<A>>& image) -> std::uint64_t {
        return image && only.value_or(family_of<A>) != family_of<A> ? image->size() : 0;
    };
    return count(of.ipv4) + count(of.ipv6);
}

// Sets the types that the caller chose.
std::shared_ptr<shared_table> typed_table(io::both_tables tables, const reading& how,
                                          const std::string& name) {
    if (const std::string reason = io::fix_types(tables, how.types); !reason.empty())
        raise_input_error(io::message(io::input_error{name, 0, {}, reason}));
    return table_of(std::move(tables), how.scheme);
}

// Values of an image that are integers stay integers.
std::shared_ptr<shared_table> copy_image(both_images images, const reading& how, const std::string& name) {
    const io::table_options& options = how.options.table;
    if (options.values.empty() && how.types.empty())
        return copy_of({shared_table::make(std::move(images), name)}, options.only, how.scheme);
    auto tables = io::copy_tables(images, options, name);
    if (!tables)
        raise_input_error(io::message(tables.error()));
    return typed_table(std::move(*tables), how, name);
}

table_object load(nb::handle path, reading how) {
    const table_source from(path);
    findings notes;
    io::table_options& options = how.options.table;
    options.advice = {.family = "choose one with family=",
                      .network = "name one with network=",
                      .format = "choose one with from_csv, from_text or similar",
                      .routing_table = "choose one with routing_table="};
    options.on_skip = [&](const io::input_error& error) {
        if (notes.first_bad.empty())
            notes.first_bad = io::message(error);
    };
    options.on_understood = [&](const std::string& words) { notes.understood = words; };
    options.on_left_out = [&](const std::string& words) { notes.left_out = words; };
    how.options.on_recorded = [&](const io::mrt_report& counts) {
        notes.add(
            {io::note_of("damaged", counts.counted.damaged, "damaged record", "damaged records", "skipped")});
        notes.add(io::notes_of(counts));
    };
    std::optional<expected<io::found_tables, io::input_error>> result;
    errc failure = errc::ok;
    {
        const nb::gil_scoped_release free;
        failure = or_reason([&] { return result.emplace(find_tables(from, how.options)), errc::ok; });
    }
    if (failure != errc::ok)
        raise_errc(failure);
    if (!*result)
        raise_input_error(io::message(result->error()));
    if (auto* const images = std::get_if<both_images>(&**result)) {
        notes.add_counts({.other_family = routes_left_out(*images, options.only)});
        auto table = copy_image(std::move(*images), how, from.name());
        return {std::move(table), notes.report(from.name())};
    }
    auto& tables = std::get<io::both_tables>(**result);
    notes.add_counts(io::counts_of(tables));
    auto table = typed_table(std::move(tables), how, from.name());
    return {std::move(table), notes.report(from.name())};
}

std::uint64_t skip_argument(nb::handle skip_bad) {
    if (!PyIndex_Check(skip_bad.ptr()))
        raise(PyExc_TypeError, "skip_bad must be a number of rows, not " + shown(skip_bad.ptr()));
    const nb::object number = nb::steal(PyNumber_Index(skip_bad.ptr()));
    const unsigned long long count = number.is_valid() ? PyLong_AsUnsignedLongLong(number.ptr()) : 0;
    if (PyErr_Occurred())
        raise_current();
    return count;
}

io::peer_choice peer_argument(nb::handle peer) {
    if (peer.is_none())
        return {};
    const nb::object text = nb::steal(PyObject_Str(peer.ptr()));
    if (!text.is_valid())
        raise_current();
    const auto parsed = io::parse_peer(text_of(text.ptr()).value_or(std::string_view()));
    if (!parsed)
        raise(PyExc_ValueError, shown(peer.ptr()) +
                                    ": a peer must be an address, an AS such as 'AS64500', or " +
                                    "its number in the file");
    return *parsed;
}

bool bool_argument(nb::handle value, const char* argument) {
    if (!PyBool_Check(value.ptr()))
        raise(PyExc_TypeError, std::string(argument) + " must be True or False, not " + shown(value.ptr()));
    return value.ptr() == Py_True;
}

using chosen_scheme = const std::optional<std::string>&;

// Converts the arguments common to all readers of files.
reading reading_of(std::optional<io::table_format> format, nb::handle skip_bad, nb::handle strict,
                   nb::handle only, chosen_scheme scheme) {
    reading how;
    how.options.format = format;
    how.options.table.skip_bad = skip_argument(skip_bad);
    how.options.table.policy = bool_argument(strict, "strict") ? host_bits::refuse : host_bits::mask;
    how.options.table.only = family_argument(only.ptr());
    how.scheme = scheme.value_or(std::string());
    return how;
}

reading with_columns(reading how, nb::handle network, nb::handle columns, nb::handle types) {
    if (!types.is_none())
        how.types = typed_columns(types, "types");
    how.options.table.network = names_argument(network, "network");
    how.options.table.values = names_argument(columns, "columns");
    return how;
}

// Stores objects, which must all be str, as cells of a single column.
template <class A>
void use_texts(const shared_table& table, std::vector<route<A>>& routes, value_rows& to) {
    for (route<A>& entry : routes) {
        PyObject* const object = table.values().objects()[entry.hop];
        const auto text = PyUnicode_Check(object) ? text_of(object) : std::nullopt;
        if (!text)
            raise(PyExc_TypeError, "values of an image must be text or integers, not " + shown(object) +
                                       "; create the table with values=int or with columns");
        entry.hop = to.intern(*text);
    }
}

// Returns the rows of the routes of a family, and renumbers the routes.
template <class A>
value_rows rows_to_save(const shared_table& table, std::vector<route<A>>& routes) {
    if (table.kind() == value_kind::object) {
        constexpr std::string_view column = "value";
        value_rows rows(std::span(&column, 1));
        use_texts(table, routes, rows);
        return rows;
    }
    const std::vector<std::string_view> columns(table.columns().begin(), table.columns().end());
    value_rows rows(columns);
    rows.set_types(table.types());
    renumber(routes, rows_of<A>(table), rows);
    return rows;
}

image_error save_routes(const std::string& path, std::vector<route<ipv4_address>> ipv4, const value_view& of4,
                        std::vector<route<ipv6_address>> ipv6, const value_view& of6) {
    const bool only_ipv4 = ipv6.empty() && !ipv4.empty();
    const bool only_ipv6 = ipv4.empty() && !ipv6.empty();
    const routes<ipv4_address> four(std::move(ipv4));
    const routes<ipv6_address> six(std::move(ipv6));
    if (only_ipv4)
        return ipv4_image::save(path, four, of4);
    if (only_ipv6)
        return ipv6_image::save(path, six, of6);
    return save_both_images(path, four, of4, six, of6);
}

// Defines a reader of files. The common arguments follow its own.
template <class F, class... Extra>
void bind_reader(nb::class_<table_object>& to, const char* name, F read, const char* docstring,
                 Extra... extra) {
    to.def_static(name, read, nb::arg("path").none(), nb::kw_only(), extra..., nb::arg("skip_bad").none() = 0,
                  nb::arg("strict").none() = false, nb::arg("family") = nb::none(),
                  nb::arg("scheme") = nb::none(), docstring);
}

void bind_readers(nb::class_<table_object>& to) {
    bind_reader(
        to, "from_file",
        [](nb::handle path, nb::handle network, nb::handle columns, nb::handle types,
           const std::optional<std::string>& routing_table, nb::handle aliases, nb::handle skip_bad,
           nb::handle strict, nb::handle only, chosen_scheme scheme) {
            reading how =
                with_columns(reading_of({}, skip_bad, strict, only, scheme), network, columns, types);
            how.options.table.routing_table = routing_table.value_or(std::string());
            how.options.table.aliases = bool_argument(aliases, "aliases");
            return load(path, std::move(how));
        },
        "Reads a table in any format that the program `fingerpost` reads, and detects the format and the "
        "compression from the content: text, CSV, TSV, JSON, MRT, output of `ip route`, `bgpdump`, router "
        "shells, `ipset save` and `nft list`, registry statistics, or an image. Values are rows. path: a "
        "file name, or a stream of text or bytes, which is read to its end. types: a mapping of columns to "
        "str, int, float or bool; by default the types of the file, or types inferred from the values. "
        "routing_table: which table to read from router output with several routing tables; by default the "
        "main one. aliases: for a MaxMind DB, also add the IPv4 networks as routes of the IPv6 blocks that "
        "refer to them, several times as many routes; lookups match these blocks in any case. strict: reject "
        "prefixes with host bits set instead of masking them. family: read only routes of this family, 4 or "
        "6. scheme: see Table. Issues fingerpost.TableWarning if routes were replaced, changed or left out, "
        "or a header is missing. `report` of the table has all counts.",
        nb::arg("network") = nb::none(), nb::arg("columns") = nb::none(), nb::arg("types") = nb::none(),
        nb::arg("routing_table") = nb::none(), nb::arg("aliases").none() = false);
    bind_reader(
        to, "from_csv",
        [](nb::handle path, nb::handle network, nb::handle columns, nb::handle types, nb::handle skip_bad,
           nb::handle strict, nb::handle only, chosen_scheme scheme) {
            return load(path, with_columns(reading_of(io::table_format::csv, skip_bad, strict, only, scheme),
                                           network, columns, types));
        },
        "Reads CSV with a header. network: the column of prefixes, or two columns of first and last "
        "addresses; by default detected by name. columns: the columns to keep as values; by default all. "
        "skip_bad: maximum number of invalid rows to skip, with one TableWarning. types, strict, family, "
        "scheme: see from_file. Raises fingerpost.Error with file, line and reason.",
        nb::arg("network") = nb::none(), nb::arg("columns") = nb::none(), nb::arg("types") = nb::none());
    bind_reader(
        to, "from_text",
        [](nb::handle path, nb::handle skip_bad, nb::handle strict, nb::handle only, chosen_scheme scheme) {
            return load(path, reading_of(io::table_format::text, skip_bad, strict, only, scheme));
        },
        "Reads lines with a prefix, a blank and its value, as rows with one column. skip_bad: see from_csv. "
        "strict, family, scheme: see from_file.");
    bind_reader(
        to, "from_mrt",
        [](nb::handle path, nb::handle peer, nb::handle skip_bad, nb::handle strict, nb::handle only,
           chosen_scheme scheme) {
            reading how = reading_of(io::table_format::mrt, skip_bad, strict, only, scheme);
            how.options.mrt.peer = peer_argument(peer);
            return load(path, std::move(how));
        },
        "Reads a table dump of a route collector (MRT), with the columns next_hop, peer_address, peer_as and "
        "origin_as. peer: use only routes of this peer, an address, 'AS64500' or a number; by default the "
        "best route of all peers. Damaged records are skipped, with one TableWarning. skip_bad: see "
        "from_csv. strict, family, scheme: see from_file.",
        nb::arg("peer") = nb::none());
}

} // namespace

void save(const table_object& of, nb::handle path) {
    const std::string name = path_of(path);
    const shared_table& table = *of.shared;
    const kept_values values_guard(of.shared);
    auto ipv4 = table.copy_routes<ipv4_address>();
    auto ipv6 = table.copy_routes<ipv6_address>();
    std::optional<value_rows> rows4;
    std::optional<value_rows> rows6;
    if (table.kind() != value_kind::integer) {
        rows4.emplace(rows_to_save(table, ipv4));
        rows6.emplace(rows_to_save(table, ipv6));
    }
    image_error error;
    {
        const nb::gil_scoped_release free;
        error = save_routes(name, std::move(ipv4), rows4 ? rows4->view() : value_view(), std::move(ipv6),
                            rows6 ? rows6->view() : value_view());
    }
    if (error.failed())
        raise_image_error(error, name);
}

std::shared_ptr<shared_table> open_image(nb::handle path) {
    const std::string name = path_of(path);
    check_readable(name, path);
    std::optional<both_images> images;
    image_error error;
    {
        const nb::gil_scoped_release free;
        auto opened = open_both_images(name);
        if (opened)
            images.emplace(std::move(*opened));
        else
            error = opened.error();
    }
    if (!images)
        raise_image_error(error, name);
    return shared_table::make(std::move(*images), name);
}

void bind_files(nb::class_<table_object>& to) {
    to.def(
        "save", &save, nb::arg("path").none(),
        "Saves the table as an image. An existing file is replaced only on success. Integers are saved as "
        "integers, rows with their columns, objects that are all str as one column `value`. Raises TypeError "
        "for other objects, and OSError if the file cannot be written.",
        locked());
    to.def_static(
        "open", [](nb::handle path) { return table_object{open_image(path)}; }, nb::arg("path").none(),
        "Maps a saved image as a read-only table. This takes milliseconds, and all processes that map it "
        "share its memory. Raises fingerpost.Error if the file is not an image or is damaged, and OSError if "
        "it cannot be opened.");
    bind_readers(to);
}

} // namespace fingerpost::python
