// `fingerpost explain`: shows which prefixes cover an address, and how schemes find the longest of them.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include "cli/answers/address_field.hpp"
#include "cli/answers/answer_table.hpp"
#include "cli/explain/drawing/drawing.hpp"
#include "cli/explain/explainer.hpp"
#include "cli/explain/page/neighbours.hpp"
#include "cli/explain/page/page.hpp"
#include "fingerpost/net/any.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/help.hpp"
#include "terminal/options.hpp"
#include "terminal/table/bad_rows.hpp"
#include "terminal/table/choices.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

struct explain_options {
    table_choice table;
    std::vector<std::string> schemes;
    bool is_json = false;
    std::string html{}; // a file; empty for none
    std::string svg{};
    std::vector<std::string> addresses;
};

struct question {
    std::string text;
    fingerpost::any_address address;
};

// The longest match in the routes of either family.
struct matches_of_tables {
    const io::both_tables& tables;

    ipv4_aliases aliases() const { return tables.aliases; }
    bool has_match(ipv4_address a) const {
        const auto& routes = tables.ipv4.routes;
        return std::any_of(routes.begin(), routes.end(),
                           [a](const auto& route) { return route.where.contains(a); });
    }
    unsigned match_length(ipv6_address a) const {
        unsigned length = 0;
        for (const route<ipv6_address>& entry : tables.ipv6.routes)
            if (entry.where.contains(a))
                length = std::max<unsigned>(length, entry.where.length);
        return length;
    }
};

// The longest match in images that are used.
struct matches_of_images {
    const ipv4_image* ipv4;
    const ipv6_image* ipv6;

    ipv4_aliases aliases() const { return {}; }
    bool has_match(ipv4_address a) const { return ipv4 != nullptr && ipv4->match(a); }
    unsigned match_length(ipv6_address a) const {
        const auto match = ipv6 != nullptr ? ipv6->match(a) : std::nullopt;
        return match ? unsigned{match->where.length} : 0U;
    }
};

// The form of an address that the table answers, as in `lookup`. `table`: one of the two above.
template <class Table>
fingerpost::any_address form_in(const Table& table, const fingerpost::any_address& address) {
    return std::visit(
        [&](auto a) {
            return in_answering_form(
                a, [&](ipv4_address four) { return table.has_match(four); },
                [&](ipv6_address six) { return table.match_length(six); },
                [](auto form) { return fingerpost::any_address(form); }, table.aliases());
        },
        address);
}

// `shown`: the text as the user wrote it.
template <class Table>
expected<question, text_error> question_of(std::string_view text, const std::string& shown,
                                           const Table& table) {
    const auto address = parse_address(text);
    if (!address)
        return unexpected{address.error()};
    return question{shown, form_in(table, *address)};
}

template <class Table>
std::vector<question> questions_of(const explain_options& options, const Table& table, bad_rows& bad) {
    std::vector<question> questions;
    row_faults faults;
    for (std::size_t i = 0; i < options.addresses.size(); ++i) {
        const std::string& text = options.addresses[i];
        auto answer = question_of(text, text, table);
        if (const auto host = answer ? std::nullopt : socket_host(text))
            answer = question_of(*host, text, table);
        if (answer)
            questions.push_back(std::move(*answer));
        else
            faults.add(answer.error().reason, [&] {
                return io::input_error{fmt::format("argument {}", i + 1), 0, text, message(answer.error())};
            });
    }
    bad.add(faults);
    return questions;
}

// In the order in which they were named, each once.
template <class A>
std::vector<const scheme_entry<A>*> chosen_schemes(const std::vector<std::string>& names) {
    std::vector<const scheme_entry<A>*> chosen;
    const auto add = [&](const scheme_entry<A>& scheme) {
        if (std::find(chosen.begin(), chosen.end(), &scheme) == chosen.end())
            chosen.push_back(&scheme);
    };
    if (names.empty())
        add(scheme_named<A>({}));
    for (const std::string& name : names) {
        const bool has_variants = name == "all";
        if (!has_variants && name != "default")
            add(scheme_named<A>(name));
        else
            for (const scheme_entry<A>& scheme : schemes<A>())
                if (has_variants || scheme.facts.is_standard())
                    add(scheme);
    }
    return chosen;
}

template <class A>
bool has_family(std::span<const question> questions) {
    return std::any_of(questions.begin(), questions.end(),
                       [](const question& q) { return std::holds_alternative<A>(q.address); });
}

// Whether to explain the FIB of the image itself. If only some columns are chosen, routes that differ in the
// image may become equal.
bool explains_image(const explain_options& options, const both_images& images) {
    return options.table.values.empty() &&
           std::all_of(options.schemes.begin(), options.schemes.end(),
                       [&](const std::string& name) { return are_of_scheme(images, name); });
}

// Explainers for the families of the addresses.
class explainers {
  public:
    explainers(const explain_options& options, bad_rows& bad) : options_(options) {
        io::found_tables tables = find_tables(options.table);
        auto* const images = std::get_if<both_images>(&tables);
        if (images != nullptr && explains_image(options, *images))
            take(std::move(*images), bad);
        else if (images != nullptr)
            take(copy_tables(*images, options.table), bad);
        else
            take(std::get<io::both_tables>(std::move(tables)), bad);
    }

    std::span<const question> questions() const { return questions_; }
    // `explanations` has one for each question.
    std::string page(std::span<const explanation> explanations) const {
        const question& first = questions_.front();
        if (const auto* const address = std::get_if<ipv4_address>(&first.address))
            return page_of(*ipv4_, first.text, *address, explanations);
        return page_of(*ipv6_, first.text, std::get<ipv6_address>(first.address), explanations);
    }
    explanation explain(const question& q) const {
        const bool has_table = !options_.html.empty() || options_.is_json;
        if (const auto* const address = std::get_if<ipv4_address>(&q.address))
            return ipv4_->explain(q.text, *address, has_table);
        return ipv6_->explain(q.text, std::get<ipv6_address>(q.address), has_table);
    }

  private:
    template <class A>
    static std::string page_of(const explainer<A>& by, const std::string& input, A address,
                               std::span<const explanation> explanations) {
        std::vector<table_change<A>> changes;
        // The routes of an image stay in it.
        if (explanations.front().table.is_whole && explanations.front().table.routes == by.table().size())
            changes = changes_near(by, address);
        std::vector<neighbour> shown;
        for (const table_change<A>& change : changes)
            shown.push_back({to_string(change.where), std::string(change.is_added ? added_next_hop : ""),
                             change.is_added});
        const auto explain = [&](std::size_t change) {
            return by.explain_changed(changes[change], input, address);
        };
        const neighbourhood around{shown, explain};
        return html_page(explanations, &around);
    }

    template <class A>
    std::optional<explainer<A>>& explainer_of() {
        if constexpr (A::bits == ipv4_address::bits)
            return ipv4_;
        else
            return ipv6_;
    }
    template <class A>
    void take(io::loaded_table<A> table) {
        if (has_family<A>(questions_))
            explainer_of<A>().emplace(std::move(table), chosen_schemes<A>(options_.schemes));
    }
    void take(io::both_tables tables, bad_rows& bad) {
        questions_ = questions_of(options_, matches_of_tables{tables}, bad);
        take(std::move(tables.ipv4));
        take(std::move(tables.ipv6));
    }
    void take(both_images images, bad_rows& bad) {
        const auto names = io::columns_of(images, {}, name_of(options_.table));
        if (!names)
            throw failure(io::message(names.error()));
        const auto is_wanted = [&]<class A>(const std::optional<image<A>>& part) {
            return part && options_.table.only().value_or(family_of<A>) == family_of<A>;
        };
        const matches_of_images matches{is_wanted(images.ipv4) ? &*images.ipv4 : nullptr,
                                        is_wanted(images.ipv6) ? &*images.ipv6 : nullptr};
        questions_ = questions_of(options_, matches, bad);
        const auto add = [&]<class A>(std::optional<image<A>>& part) {
            const std::vector<std::string_view> columns(names->begin(), names->end());
            if (!is_wanted(part))
                take(io::loaded_table<A>{{}, value_rows(columns), {}});
            else if (has_family<A>(questions_))
                explainer_of<A>().emplace(std::move(*part), *names);
        };
        add(images.ipv4);
        add(images.ipv6);
    }

    const explain_options& options_;
    std::vector<question> questions_;
    std::optional<explainer<ipv4_address>> ipv4_;
    std::optional<explainer<ipv6_address>> ipv6_;
};

void write_file(const std::string& path, const std::string& text) {
    output out(path);
    out.write(text);
    out.finish();
}

void refuse_what_does_not_fit(const explain_options& options) {
    if (!options.svg.empty() && options.addresses.size() > 1)
        throw usage_error(fmt::format("--svg draws one address, but there are {}", options.addresses.size()));
    if (options.html == "-" && options.svg == "-")
        throw usage_error("--html and --svg cannot both be written to stdout");
}

int run(const explain_options& options) {
    refuse_what_does_not_fit(options);
    bad_rows bad;
    const explainers explainer_pair(options, bad);
    std::vector<explanation> explanations;
    for (const question& q : explainer_pair.questions())
        explanations.push_back(explainer_pair.explain(q));
    const bool has_files = !options.html.empty() || !options.svg.empty();
    if (!options.html.empty() && !explanations.empty())
        write_file(options.html, explainer_pair.page(explanations));
    if (!options.svg.empty() && !explanations.empty())
        write_file(options.svg, svg_file(explanations.front()));
    if (!has_files && options.is_json) {
        write_file("-", as_json(explanations, options.addresses.size() > 1));
    } else if (!has_files) {
        output out;
        const bool color = wants_color(STDOUT_FILENO);
        for (const explanation& e : explanations)
            out.write((&e == explanations.data() ? "" : "\n\n") + as_text(e, color, shown_width()));
        out.finish();
    }
    bad.report_rest();
    return bad.count() == 0 ? exit_code::ok : exit_code::bad_rows;
}

} // namespace

command explain_command() {
    auto options = std::make_shared<explain_options>();
    command entry{.name = "explain", .summary = "show step by step how a lookup finds its answer"};
    add_table_options(entry, options->table);
    add_schemes(
        entry, options->schemes,
        "Schemes whose steps to show, separated by commas; \"default\" for the standard ones, \"all\" "
        "for the variants too")
        .preset = default_name();
    add_json(entry, options->is_json, "Output format; JSON is an object, or an array for several addresses");
    add_file(entry, "--html", options->html, "Write an interactive web page that animates the lookup");
    add_file(entry, "--svg", options->svg,
             "Draw the structures and the lookup's path as SVG (one address only)");
    add_arguments(entry, "ADDRESS", options->addresses, "Addresses to explain; a port or zone is ignored",
                  {1});
    entry.examples = {
        {"fingerpost explain -t table.txt 10.1.2.3", "Show the covering prefixes and every step"},
        {fmt::format("fingerpost explain -t table.txt --scheme {},{} 10.1.2.3", default_name(),
                     default_baseline()),
         "Compare two schemes"},
        {"fingerpost explain -t table.txt --html page.html 10.1.2.3 10.9.9.9",
         "Write a web page that animates both lookups"},
        {"fingerpost explain -t table.txt --svg path.svg 10.1.2.3", "Draw the lookup as SVG"},
        {"fingerpost explain -t table.txt --format json 10.1.2.3", "Print the steps as JSON"}};
    entry.run = [options] { return run(*options); };
    return entry;
}

} // namespace fingerpost::cli
