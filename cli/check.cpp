// `fingerpost lab check`: compares every scheme and instruction set with the oracle at each address where a
// table's answer can change.
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"
#include "terminal/table/table_choice.hpp"
#include "tests/oracle/by_parent.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/oracle/verify.hpp"

namespace fingerpost::cli {
namespace {

struct check_options {
    table_choice table;
    std::vector<std::string> schemes = {"all"};
    std::vector<std::string> isas = {"all"};
};

// One numbering of the next hops, with the oracle's answers to all probes.
template <class A>
struct exam {
    routes<A> table;
    std::vector<next_hop> expected;
    bool by_route; // each route has its own number as next hop
};

template <class A>
class checking {
  public:
    explicit checking(const io::loaded_table<A>& table)
        : values_(table.values), probes_(oracle::probes<A>(table.routes)),
          // With a different next hop for every route, every wrong route is noticed. With the table's own
          // next hops, neighbours merge.
          exams_{exam_of(numbered(table.routes), true), exam_of(table.routes, false)} {}

    std::size_t probes() const { return probes_.size(); }

    // Returns the number of correct answers. Throws failure at the first wrong one. If the scheme cannot hold
    // the table, returns 0 and stores the reason in `refusal`.
    std::size_t check(const scheme_entry<A>& scheme, std::optional<simd::isa> isa, std::string& refusal) {
        std::size_t right = 0;
        for (const exam<A>& e : exams_) {
            auto fib = scheme.build(e.table, isa ? build_options{.isa = *isa} : build_options{});
            if (!fib) {
                refusal = message(fib.error());
                continue;
            }
            const std::span<const next_hop> expected = e.expected;
            const auto wrong = oracle::verify<A>(**fib, probes_, expected, &right);
            if (wrong)
                throw failure(describe(*wrong, e, scheme.facts.name, isa));
        }
        return right;
    }

  private:
    static std::vector<route<A>> numbered(std::vector<route<A>> routes) {
        for (std::size_t i = 0; i < routes.size(); ++i)
            routes[i].hop = next_hop{static_cast<std::uint32_t>(i)};
        return routes;
    }
    exam<A> exam_of(std::vector<route<A>> routes, bool by_route) const {
        const oracle::by_parent<A> judge(routes);
        auto expected = oracle::answers<A>(judge, probes_);
        return {fingerpost::routes<A>(std::move(routes)), std::move(expected), by_route};
    }

    std::string words(next_hop hop, const exam<A>& e) const {
        if (hop == next_hop::none)
            return "no route";
        if (e.by_route && hop.id < e.table.size())
            return "route " + to_string(e.table.sorted()[hop.id].where);
        if (!e.by_route && hop.id < values_.size()) {
            std::string text = "next hop ";
            for (std::size_t i = 0; i < values_.columns(); ++i)
                text.append(i == 0 ? "" : ", ").append(io::quoted(values_.cell(hop, i)));
            return text;
        }
        return fmt::format("{:#x}, an unknown number", hop.id);
    }
    std::string describe(const oracle::difference<A>& d, const exam<A>& e, std::string_view scheme,
                         std::optional<simd::isa> isa) const {
        const std::string how = d.batch == 0 ? "alone" : fmt::format("in a batch of {}", d.batch);
        return fmt::format("{}{}{}: {}: expected {}, got {} ({})", scheme, isa ? " " : "",
                           isa ? simd::name_of(*isa) : "", to_string(d.address), words(d.expected, e),
                           words(d.got, e), how);
    }

    const value_rows& values_;
    std::vector<A> probes_;
    std::array<exam<A>, 2> exams_;
};

template <class A>
void check_table(const io::loaded_table<A>& table, const check_options& options) {
    const auto schemes = schemes_named<A>(options.schemes);
    const auto isas = isas_named(options.isas);
    output out;
    progress now;
    now.show("computing the expected answers");
    checking<A> checker(table);
    now.wipe();
    out.write(fmt::format("{} routes of {}, checked at {} addresses\n", table.routes.size(),
                          name_of(family_of<A>), checker.probes()));
    std::uint64_t total = 0;
    const auto check_one = [&](const scheme_entry<A>& scheme, std::optional<simd::isa> isa) {
        const std::string_view isa_name = isa ? simd::name_of(*isa) : "-";
        out.flush();
        now.show(fmt::format("checking {} {}", scheme.facts.name, isa_name));
        std::string refusal;
        const std::size_t right = checker.check(scheme, isa, refusal);
        now.wipe();
        total += right;
        out.write(fmt::format("{:<20} {:<8} {:>12} correct{}{}\n", scheme.facts.name, isa_name, right,
                              refusal.empty() ? "" : "; not built: ", refusal));
    };
    for (const scheme_entry<A>* const scheme : schemes) {
        if (!scheme->facts.vectorised) {
            check_one(*scheme, std::nullopt);
            continue;
        }
        for (const simd::isa isa : isas)
            check_one(*scheme, isa);
    }
    out.write(fmt::format("all {} answers correct\n", total));
    out.finish();
}

} // namespace

command check_command() {
    auto options = std::make_shared<check_options>();
    command result{.name = "lab check", .summary = "verify that every scheme answers correctly on a table"};
    add_table_options(result, options->table);
    add_schemes(result, options->schemes,
                "Schemes to check, separated by commas; \"default\" leaves out the variants");
    add_names(result, "--isa", options->isas, isa_choices(), "Instruction sets to check");
    result.examples = {
        {"fingerpost lab check table.txt", "Check every scheme with every instruction set"},
        {fmt::format("fingerpost lab check table.txt --scheme {} --isa scalar", default_baseline()),
         "Check one scheme with one instruction set"}};
    result.run = [options] {
        io::both_tables tables = load_both(options->table);
        for_each_family(tables, options->table, [&](const auto& table) { check_table(table, *options); });
        return exit_code::ok;
    };
    return result;
}

} // namespace fingerpost::cli
