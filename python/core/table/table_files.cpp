// Reads tables from files and writes them: images, and every format of tables that the library reads.
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

// A name or a sequence of names; no names for None.
std::vector<std::string> names_of(nb::handle names, const char* argument) {
    std::vector<std::string> found;
    if (names.is_none())
        return found;
    if (PyUnicode_Check(names.ptr()))
        return {nb::cast<std::string>(names)};
    for (const nb::handle name : names) {
        if (!PyUnicode_Check(name.ptr()))
            raise(PyExc_TypeError,
                  std::string(argument) + " has the names of columns, not " + shown(name.ptr()));
        found.push_back(nb::cast<std::string>(name));
    }
    return found;
}

// What there is to say of a file that was read.
struct findings {
    std::string understood{};
    std::vector<io::table_note> notes{};
    std::string first_bad{};
    std::string left_out{};

    void add_counts(const io::table_counts& counts) {
        // A set without entries counts once.
        const std::uint64_t count = left_out.empty() ? 0 : std::max<std::uint64_t>(counts.left_out, 1);
        add({{"left_out", count, "left out " + (count == 0 ? "nothing" : left_out)}});
        add(io::notes_of(counts));
    }
    void add(std::vector<io::table_note> more) {
        for (io::table_note& one : more) {
            if (one.name == "bad" && !first_bad.empty())
                one.words += "; the first: " + first_bad;
            notes.push_back(std::move(one));
        }
    }
    // Warns, and returns a fingerpost.TableReport.
    nb::object report(const std::string& file) const {
        nb::list all;
        for (const io::table_note& one : notes)
            all.append(nb::make_tuple(nb::cast(std::string(one.name)), one.count, shown_text(one.words)));
        return nb::module_::import_("fingerpost._reports")
            .attr("report")(shown_text(file), shown_text(understood), all);
    }
};

struct reading {
    io::read_options options{};
    std::vector<io::typed_column> types{}; // that the caller chose
    std::string scheme{};
};

// Nothing but blanks, as of a file that was cut short; a peek of this size reads all of such a file.
expected<bool, io::input_error> is_blank(io::file_source& source) {
    constexpr std::size_t enough = 4096;
    const auto start = source.peek(enough);
    if (!start)
        return unexpected{start.error()};
    return start->size() < enough && start->find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Without the GIL.
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

// Those of another family than the chosen one.
std::uint64_t routes_left_out(const both_images& of, std::optional<family> only) {
    const auto count = [&]<class A>(const std::optional<image<A>>& one) -> std::uint64_t {
        return one && only.value_or(family_of<A>) != family_of<A> ? one->size() : 0;
    };
    return count(of.ipv4) + count(of.ipv6);
}

// With the types that the caller chose.
std::shared_ptr<shared_table> typed_table(io::both_tables tables, const reading& how,
                                          const std::string& name) {
    if (const std::string reason = io::fix_types(tables, how.types); !reason.empty())
        raise_input_error(io::message(io::input_error{name, 0, {}, reason}));
    return table_of(std::move(tables), how.scheme);
}

// Numbers of an image stay numbers.
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
    findings said;
    io::table_options& options = how.options.table;
    options.advice = {.family = "choose one by family=",
                      .network = "name one by network=",
                      .format = "from_csv, from_text and the like read one of them",
                      .routing_table = "choose one by routing_table="};
    options.on_skip = [&](const io::input_error& error) {
        if (said.first_bad.empty())
            said.first_bad = io::message(error);
    };
    options.on_understood = [&](const std::string& words) { said.understood = words; };
    options.on_left_out = [&](const std::string& words) { said.left_out = words; };
    how.options.on_recorded = [&](const io::mrt_report& found) {
        said.add(
            {io::note_of("damaged", found.counted.damaged, "damaged record", "damaged records", "skipped")});
        said.add(io::notes_of(found));
    };
    std::optional<expected<io::found_tables, io::input_error>> found;
    errc failure = errc::ok;
    {
        const nb::gil_scoped_release free;
        failure = or_reason([&] { return found.emplace(find_tables(from, how.options)), errc::ok; });
    }
    if (failure != errc::ok)
        raise_errc(failure);
    if (!*found)
        raise_input_error(io::message(found->error()));
    if (auto* const images = std::get_if<both_images>(&**found)) {
        said.add_counts({.other_family = routes_left_out(*images, options.only)});
        auto made = copy_image(std::move(*images), how, from.name());
        return {std::move(made), said.report(from.name())};
    }
    auto& tables = std::get<io::both_tables>(**found);
    said.add_counts(io::counts_of(tables));
    auto made = typed_table(std::move(tables), how, from.name());
    return {std::move(made), said.report(from.name())};
}

std::uint64_t skip_argument(nb::handle skip_bad) {
    if (!PyIndex_Check(skip_bad.ptr()))
        raise(PyExc_TypeError, "skip_bad is how many wrong rows are skipped, not " + shown(skip_bad.ptr()));
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
        raise(PyExc_ValueError, shown(peer.ptr()) + ": a peer is its address, its AS as 'AS64500', or its " +
                                    "number in the file");
    return *parsed;
}

bool bool_argument(nb::handle value, const char* argument) {
    if (!PyBool_Check(value.ptr()))
        raise(PyExc_TypeError, std::string(argument) + " is True or False, not " + shown(value.ptr()));
    return value.ptr() == Py_True;
}

using chosen_scheme = const std::optional<std::string>&;

// The arguments that all readers of files have.
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
    how.options.table.network = names_of(network, "network");
    how.options.table.values = names_of(columns, "columns");
    return how;
}

// The only column of a table whose objects are all str.
template <class A>
void use_texts(const shared_table& table, std::vector<route<A>>& routes, value_rows& to) {
    for (route<A>& one : routes) {
        PyObject* const object = table.values().objects()[one.hop];
        const auto text = PyUnicode_Check(object) ? text_of(object) : std::nullopt;
        if (!text)
            raise(PyExc_TypeError, "an image has texts or integers as values, not " + shown(object) +
                                       "; make the table with values=int or with columns");
        one.hop = to.intern(*text);
    }
}

// The rows that routes of a family have.
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

// One reader of files; the common arguments come after its own.
template <class F, class... Extra>
void bind_reader(nb::class_<table_object>& to, const char* name, F read, const char* words, Extra... extra) {
    to.def_static(name, read, nb::arg("path").none(), nb::kw_only(), extra..., nb::arg("skip_bad").none() = 0,
                  nb::arg("strict").none() = false, nb::arg("family") = nb::none(),
                  nb::arg("scheme") = nb::none(), words);
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
        "Reads a table of any format that the program `fingerpost` reads, compressed or not, and "
        "found by its content: text, CSV, TSV, JSON, MRT, output of `ip route`, `bgpdump`, the shells of "
        "routers, `ipset save` and `nft list`, statistics of registries, an image. Values are rows. path: a "
        "name, or a stream of text or of bytes, which is read to its end. "
        "types: a mapping of columns to str, int, float or bool; those of others are those of the file, or "
        "are "
        "decided by their values. "
        "routing_table: of a router's output that shows several routing tables the one of this name, else "
        "the main one. aliases: of a MaxMind DB the IPv4 networks are also routes of the IPv6 blocks that "
        "lead to them, several times as many; lookups answer for these blocks anyway. "
        "strict: prefixes with bits set past their length are refused, not "
        "masked. family: only routes of this one, 4 or 6. scheme: as of Table. fingerpost.TableWarning: "
        "routes were "
        "replaced, changed or left out, or a header is missing; `report` of the table has all counts.",
        nb::arg("network") = nb::none(), nb::arg("columns") = nb::none(), nb::arg("types") = nb::none(),
        nb::arg("routing_table") = nb::none(), nb::arg("aliases").none() = false);
    bind_reader(
        to, "from_csv",
        [](nb::handle path, nb::handle network, nb::handle columns, nb::handle types, nb::handle skip_bad,
           nb::handle strict, nb::handle only, chosen_scheme scheme) {
            return load(path, with_columns(reading_of(io::table_format::csv, skip_bad, strict, only, scheme),
                                           network, columns, types));
        },
        "Reads CSV with a header. network: the column of prefixes, or two of first and last address; "
        "the usual names without it. columns: which are kept as values, else all. types: as of from_file. "
        "skip_bad: so many "
        "wrong rows are skipped, with one TableWarning. strict, family, scheme: as of from_file. "
        "fingerpost.Error: file, line and reason.",
        nb::arg("network") = nb::none(), nb::arg("columns") = nb::none(), nb::arg("types") = nb::none());
    bind_reader(
        to, "from_text",
        [](nb::handle path, nb::handle skip_bad, nb::handle strict, nb::handle only, chosen_scheme scheme) {
            return load(path, reading_of(io::table_format::text, skip_bad, strict, only, scheme));
        },
        "Reads lines of a prefix and, behind a blank, its value, as rows of one column. skip_bad, strict, "
        "family, scheme: as of from_file.");
    bind_reader(
        to, "from_mrt",
        [](nb::handle path, nb::handle peer, nb::handle skip_bad, nb::handle strict, nb::handle only,
           chosen_scheme scheme) {
            reading how = reading_of(io::table_format::mrt, skip_bad, strict, only, scheme);
            how.options.mrt.peer = peer_argument(peer);
            return load(path, std::move(how));
        },
        "Reads a table that a route collector recorded (MRT), with the columns next_hop, "
        "peer_address, peer_as and origin_as. peer: an address, 'AS64500' or a number; without it the "
        "best route of all peers counts. Damaged records are skipped, with one TableWarning. strict, family, "
        "scheme: as of from_file.",
        nb::arg("peer") = nb::none());
}

} // namespace

void save(const table_object& of, nb::handle path) {
    const std::string name = path_of(path);
    const shared_table& table = *of.shared;
    const kept_values kept(of.shared);
    auto ipv4 = table.copy_routes<ipv4_address>();
    auto ipv6 = table.copy_routes<ipv6_address>();
    std::optional<value_rows> rows4;
    std::optional<value_rows> rows6;
    if (table.kind() != value_kind::integer) {
        rows4.emplace(rows_to_save(table, ipv4));
        rows6.emplace(rows_to_save(table, ipv6));
    }
    image_error failed;
    {
        const nb::gil_scoped_release free;
        failed = save_routes(name, std::move(ipv4), rows4 ? rows4->view() : value_view(), std::move(ipv6),
                             rows6 ? rows6->view() : value_view());
    }
    if (failed.failed())
        raise_image_error(failed, name);
}

std::shared_ptr<shared_table> open_image(nb::handle path) {
    const std::string name = path_of(path);
    check_readable(name, path);
    std::optional<both_images> images;
    image_error failed;
    {
        const nb::gil_scoped_release free;
        auto opened = open_both_images(name);
        if (opened)
            images.emplace(std::move(*opened));
        else
            failed = opened.error();
    }
    if (!images)
        raise_image_error(failed, name);
    return shared_table::make(std::move(*images), name);
}

void bind_files(nb::class_<table_object>& to) {
    to.def(
        "save", &save, nb::arg("path").none(),
        "Saves the table as an image, which replaces the file as a whole or not at all. Integers are saved "
        "as such, rows with their columns, objects that are all str as one column `value`. TypeError: other "
        "objects. OSError: the system refuses.",
        locked());
    to.def_static(
        "open", [](nb::handle path) { return table_object{open_image(path)}; }, nb::arg("path").none(),
        "Maps a saved image: read-only, in milliseconds, its memory shared with all processes that "
        "map it. fingerpost.Error: it is no image, or a damaged one. OSError: it cannot be opened.");
    bind_readers(to);
}

} // namespace fingerpost::python
