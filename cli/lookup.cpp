// `fingerpost lookup`: the longest match of addresses given as arguments or on standard input.
#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/choices.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/failure.hpp"
#include "cli/rows.hpp"
#include "cli/table_choice.hpp"
#include "fingerpost/net/text.hpp"
#include "io/source/file.hpp"

namespace fingerpost::cli {
namespace {

struct lookup_options {
    table_choice table;
    std::string scheme;
    row_format format = row_format::text;
    std::vector<std::string> addresses; // `-` is standard input
};

// Enough addresses for every kernel to run at full width, few enough that all about them stays in the cache.
constexpr std::size_t batch_size = 2048;

// What the address of one row is to a table of this family; `any_family` is for a table that has none.
template <class A>
expected<A, text_error> row_address(std::string_view text, bool any_family) {
    const auto address = parse_address<A>(text);
    if (address || address.error().reason != text_fault::wrong_family)
        return address;
    if constexpr (A::bits == 32) {
        const auto wide = parse_address<ipv6_address>(text);
        if (wide && is_ipv4_mapped(*wide))
            return unmapped(*wide);
    } else if (any_family) {
        const auto narrow = parse_address<ipv4_address>(text);
        if (narrow)
            return mapped(*narrow);
    }
    return address;
}

// Collects rows and answers them a batch at a time. The FIB leads to the number of a route, so that one
// lookup gives both the prefix and the next hop.
template <class A>
class answering {
  public:
    answering(io::loaded_table<A> table, const lookup_options& options)
        : any_family_(table.routes.empty() && options.table.family == 0), hops_(file_hops(table.routes)),
          names_(std::move(table.next_hops)), routes_(std::move(table.routes)),
          fib_(build(routes_, scheme_named<A>(options.scheme))), writer_(options.format) {
        writer_.begin(out_.text());
    }

    // Returns false when the text is no address, with the reason reported under `where`.
    bool add(std::string_view text, const std::string& where, std::uint64_t line) {
        const auto address = row_address<A>(text, any_family_);
        if (!address) {
            report(io::message({where, line, std::string(text), describe(address.error(), text)}));
            return false;
        }
        texts_ += text;
        text_ends_.push_back(texts_.size());
        addresses_.push_back(*address);
        if (addresses_.size() == batch_size)
            answer();
        return true;
    }

    // Answers what has been collected and writes it out.
    void flush() {
        answer();
        out_.flush();
    }

  private:
    // Moves the next hops out of the routes and puts the routes' numbers in.
    static std::vector<next_hop> file_hops(std::vector<route<A>>& routes) {
        std::vector<next_hop> hops(routes.size());
        for (std::size_t i = 0; i < routes.size(); ++i)
            hops[i] = std::exchange(routes[i].hop, next_hop{static_cast<std::uint32_t>(i)});
        return hops;
    }
    static any_fib<A> build(const routes<A>& routes, const scheme_entry<A>& scheme) {
        auto fib = scheme.build(routes, {});
        if (!fib)
            throw failure(fmt::format("{}: {}", scheme.facts.name, message(fib.error())));
        return std::move(*fib);
    }

    void answer() {
        const std::size_t count = addresses_.size();
        std::array<next_hop, batch_size> matches;
        std::array<char, batch_size * max_prefix_text<A>> prefixes;
        std::array<row, batch_size> rows;
        fib_.lookup(addresses_, std::span(matches).first(count));
        const std::span<const route<A>> sorted = routes_.sorted();
        char* at = prefixes.data();
        std::size_t start = 0;
        for (std::size_t i = 0; i < count; ++i) {
            rows[i] = {std::string_view(texts_).substr(start, text_ends_[i] - start), {}, {}};
            start = text_ends_[i];
            if (matches[i] == next_hop::none)
                continue;
            char* const end = format(sorted[matches[i].id].where, at);
            rows[i].prefix = {at, end};
            rows[i].next_hop = names_[hops_[matches[i].id]];
            at = end;
        }
        writer_.write(std::span<const row>(rows).first(count), out_.text());
        out_.spill();
        texts_.clear();
        text_ends_.clear();
        addresses_.clear();
    }

    bool any_family_;
    std::vector<next_hop> hops_; // by the number of the route, as the table has them
    io::next_hop_names names_;
    routes<A> routes_;
    any_fib<A> fib_;
    row_writer writer_;
    output out_;

    std::string texts_; // the addresses of this batch as they were given, one after the other
    std::vector<std::size_t> text_ends_;
    std::vector<A> addresses_;
};

std::string_view trimmed(std::string_view line) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = std::min(line.find_first_not_of(blanks), line.size());
    line.remove_prefix(first);
    return line.substr(0, line.find_last_not_of(blanks) + 1);
}

// Answers standard input as it comes: what one read brings is answered before the next, so that nothing waits
// when the writer of a pipe does. Returns the number of bad rows.
template <class A>
std::uint64_t answer_stdin(answering<A>& rows) {
    auto source = io::file_source::open("-");
    if (!source)
        throw failure(io::message(source.error()));
    std::uint64_t bad = 0;
    io::line_cutter lines;
    const auto take = [&](std::string_view line, std::uint64_t number) {
        const std::string_view text = trimmed(line);
        if (!text.empty() && text.front() != '#' && !rows.add(text, source->name(), number))
            ++bad;
        return true;
    };
    for (;;) {
        const auto bytes = source->read();
        if (!bytes) {
            rows.flush();
            throw failure(io::message(bytes.error()));
        }
        if (bytes->empty())
            break;
        const bool too_long = lines.feed(*bytes, take) == io::cut::too_long;
        rows.flush();
        if (too_long)
            throw failure(fmt::format("{}:{}: the line has more than {} bytes", source->name(),
                                      lines.number(), io::max_line_bytes));
    }
    lines.finish(take);
    rows.flush();
    return bad;
}

template <class A>
std::uint64_t answer_all(answering<A>& rows, const std::vector<std::string>& addresses) {
    std::uint64_t bad = 0;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        if (addresses[i] == "-")
            bad += answer_stdin(rows);
        else if (!rows.add(addresses[i], fmt::format("argument {}", i + 1), 0))
            ++bad;
    }
    rows.flush();
    return bad;
}

void run(lookup_options options, int& status) {
    if (options.addresses.empty())
        options.addresses.emplace_back("-");
    const auto& addresses = options.addresses;
    if (options.table.path == "-" && std::find(addresses.begin(), addresses.end(), "-") != addresses.end())
        throw usage_error("the table and the addresses cannot both come from stdin");
    io::any_table table = load(options.table);
    const std::uint64_t bad = std::visit(
        [&]<class A>(io::loaded_table<A>& t) {
            answering<A> rows(std::move(t), options);
            return answer_all(rows, addresses);
        },
        table);
    if (bad != 0)
        status = exit_code::bad_rows;
}

} // namespace

void add_lookup(CLI::App& app, int& status) {
    auto options = std::make_shared<lookup_options>();
    CLI::App* const command =
        app.add_subcommand("lookup", "print the matching prefix and next hop of addresses");
    add_table_options(*command, options->table);
    command->add_option("--scheme", options->scheme, "lookup scheme (see fingerpost schemes)")
        ->type_name("NAME");
    command->add_option("--format", options->format, "text, csv or ndjson")
        ->transform(CLI::CheckedTransformer(std::map<std::string, row_format>{{"text", row_format::text},
                                                                              {"csv", row_format::csv},
                                                                              {"ndjson", row_format::ndjson}})
                        .description(""))
        ->type_name("text|csv|ndjson");
    command->add_option("address", options->addresses, "addresses; - or none: from stdin, one a line")
        ->type_name("ADDRESS");
    command->callback([options, &status] { run(*options, status); });
}

} // namespace fingerpost::cli
