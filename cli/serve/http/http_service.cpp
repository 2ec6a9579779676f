// Answers the HTTP requests of `serve`.
#include "cli/serve/http/http_service.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/explain/explain_answer.hpp"
#include "cli/explain/page/page.hpp"
#include "cli/serve/http/content_coding.hpp"
#include "cli/serve/http/embedded_page.hpp"
#include "fingerpost/simd/isa.hpp"
#include "fingerpost/simd/tuning.hpp"
#include "io/format/parts/input_error.hpp"
#include "system/log.hpp"
#include "system/metrics.hpp"

namespace fingerpost::cli {
namespace {

using system::http_answer;
using system::http_request;

constexpr const char* json_type = "application/json";

http_answer refusing(const refusal& why) {
    http_answer response{.code = why.code, .type = json_type};
    response.body =
        nlohmann::json{{"error", why.words}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
        '\n';
    return response;
}

std::string path_of(const http_request& request) {
    return percent_decoded(request.path(), false);
}

http_answer answer_facts(const nlohmann::ordered_json& facts) {
    using handler = nlohmann::ordered_json::error_handler_t;
    return {.type = json_type, .body = facts.dump(-1, ' ', false, handler::replace) + '\n'};
}

std::string utc_text(std::chrono::system_clock::time_point when) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(when)));
}

// Reads `?table=NAME`; nullptr means all tables.
refusal choose_table(const served_table& table, std::string_view query, const table_part*& part) {
    const std::vector<std::string> names = query_values(query, "table");
    if (names.empty())
        return {};
    if (names.size() > 1)
        return {400, "only one table= is allowed; without it the answer has the columns of all tables"};
    const std::vector<std::string>& known = table.tables();
    if (std::find(known.begin(), known.end(), names[0]) == known.end())
        return {400, known.empty() ? "the table has no name; leave out table="
                                   : fmt::format("unknown table {}; tables: {}", io::quoted(names[0]),
                                                 fmt::join(known, ", "))};
    part = table.part(names[0]);
    return {};
}

// Returns a page with this policy.
http_answer answer_html(std::string html, std::string policy) {
    http_answer response{.type = "text/html; charset=utf-8", .body = std::move(html)};
    response.fields = {{"Content-Security-Policy", std::move(policy)},
                       {"X-Content-Type-Options", "nosniff"},
                       {"Referrer-Policy", "no-referrer"},
                       {"Cross-Origin-Opener-Policy", "same-origin"},
                       {"Cache-Control", "no-cache"}};
    return response;
}

explanation explain_in(const served_table& served, const std::string& address_text,
                       const any_address& address) {
    explanation result = address.kind == family::ipv4
                             ? explain_answer(*served.table.ipv4(), address_text, address.four)
                             : explain_answer(*served.table.ipv6(), address_text, address.six);
    result.columns = served.names.columns;
    return result;
}

bool is_form(const http_request& request) {
    constexpr std::string_view form = "multipart/form-data";
    return system::is_same_word(request.field("Content-Type").substr(0, form.size()), form);
}

} // namespace

http_service::http_service(const serve_limits& limits, const reloader& tables, serve_counters& counters,
                           access_log* log)
    : limits_(limits), tables_(tables), counters_(counters), log_(log), sessions_(limits.threads) {}

std::optional<http_answer> http_service::refuse_head(const http_request& head) {
    if (head.method != "POST" || path_of(head) != "/lookup")
        return std::nullopt;
    if (is_form(head))
        return refusing({415, "forms are not supported; send a JSON array or lines of text"});
    if (const std::string coding = head.field("Content-Encoding"); !is_known_coding(coding))
        return refusing({415, "unsupported Content-Encoding; use gzip, deflate or none"});
    if (!head.has_length) {
        http_answer response = refusing({411, "the request has neither Content-Length nor chunks"});
        response.closes = true;
        return response;
    }
    return std::nullopt;
}

http_answer http_service::refuse(const system::http_refusal& why) {
    switch (why.code) {
    case 408:
        return refusing({408, fmt::format("the request did not arrive within {} s (--timeout)",
                                          limits_.patience.count())});
    case 413:
        return refusing(long_body(limits_.body_bytes));
    case 421:
        return refusing({421, why.words + " (--allow-host)"});
    default:
        return refusing({why.code, why.words});
    }
}

std::span<const http_service::route> http_service::routes() {
    static constexpr std::array routes{
        route{"/", false, &http_service::answer_page},
        route{"/lookup", true, &http_service::answer_lookup},
        route{"/lookup/", false, &http_service::answer_lookup_below},
        route{"/covers", false, &http_service::answer_covers},
        route{"/covers/", false, &http_service::answer_covers_below},
        route{"/explain/", false, &http_service::answer_explain_below},
        route{"/tables", false, &http_service::answer_tables},
        route{"/version", false, &http_service::answer_version},
        route{"/metrics", false, &http_service::answer_metrics},
        route{"/healthz", false, &http_service::answer_health},
        route{"/openapi.json", false, &http_service::answer_openapi},
    };
    return routes;
}

const http_service::route* http_service::find_route(const std::string& path) {
    for (const route& r : routes()) {
        const bool is_tree = r.path.size() > 1 && r.path.back() == '/';
        if (is_tree ? path.starts_with(r.path) : path == r.path)
            return &r;
    }
    return nullptr;
}

http_answer http_service::answer(const http_request& request) {
    const std::string path = path_of(request);
    const route* const route_of_path = find_route(path);
    if (route_of_path == nullptr)
        return refusing({404, "not found; see /openapi.json"});
    const bool is_get = request.method == "GET" || request.is_head();
    if (is_get || (request.method == "POST" && route_of_path->takes_post))
        return (this->*route_of_path->answer)({request, path.substr(route_of_path->path.size())});
    http_answer response = refusing({405, "method not allowed"});
    response.fields.emplace_back("Allow", route_of_path->takes_post ? "GET, HEAD, POST" : "GET, HEAD");
    return response;
}

void http_service::answered(const system::http_exchange& exchange) noexcept {
    counters_.count_code(exchange.answer.code);
    if (log_ != nullptr)
        log_->add(exchange);
    if (exchange.answer.code >= 400)
        system::log(system::log_level::debug, "{}: {} {}: {} {}", exchange.client.text(),
                    exchange.request.method, exchange.request.target, exchange.answer.code,
                    std::string_view(exchange.answer.body).substr(0, 300));
}

http_answer http_service::answer_page(const routed_request&) {
    return answer_html(std::string(page_html), std::string(page_policy));
}

http_answer http_service::answer_openapi(const routed_request&) {
    return {.type = json_type, .body = std::string(openapi_json)};
}

http_answer http_service::answer_version(const routed_request&) {
    nlohmann::ordered_json facts;
    facts["name"] = "fingerpost";
    facts["version"] = FINGERPOST_VERSION;
    facts["kernels"] = simd::name_of(simd::preferred_isa());
    facts["tuning"] = simd::text_of(simd::preferred_tuning());
    return answer_facts(facts);
}

http_answer http_service::answer_metrics(const routed_request&) {
    return {.type = system::metrics_content_type,
            .body = counters_.text(*tables_.current(), tables_.counts())};
}

http_answer http_service::answer_health(const routed_request&) {
    const served_pointer table = tables_.current();
    const reload_counts reloads = tables_.counts();
    nlohmann::ordered_json facts;
    facts["status"] = "ok";
    facts["generation"] = table->generation;
    facts["routes"] = {{"ipv4", table->ipv4_routes()}, {"ipv6", table->ipv6_routes()}};
    facts["loaded"] = utc_text(table->loaded);
    facts["last_reload_failed"] = reloads.last_failed;
    return answer_facts(facts);
}

http_answer http_service::answer_tables(const routed_request&) {
    const served_pointer table = tables_.current();
    const auto members_of = [](const answer_names& names) {
        return nlohmann::ordered_json{{"address", names.address},
                                      {"prefix", names.prefix},
                                      {"error", names.error},
                                      {"columns", names.columns}};
    };
    nlohmann::ordered_json facts;
    facts["generation"] = table->generation;
    facts["loaded"] = utc_text(table->loaded);
    facts["routes"] = {{"ipv4", table->ipv4_routes()}, {"ipv6", table->ipv6_routes()}};
    facts["members"] = members_of(table->names);
    facts["tables"] = nlohmann::ordered_json::array();
    for (const std::string& name : table->tables()) {
        const table_part* const part = table->part(name);
        facts["tables"].push_back(
            {{"name", name}, {"members", members_of(part != nullptr ? part->names() : table->names)}});
    }
    return answer_facts(facts);
}

template <class F>
http_answer http_service::answer_from_table(const http_request& request, wanted which, F ask) {
    const auto start = std::chrono::steady_clock::now();
    // One table for the whole request, even if another is loaded meanwhile.
    const served_pointer table = tables_.current();
    const table_part* part = nullptr;
    if (const refusal why = choose_table(*table, request.query(), part); why.code != 0)
        return refusing(why);
    const auto room = sessions_.take(table);
    http_answer response{.type = json_type};
    if (which == wanted::covers)
        room->begin_covers(table, response.body, part);
    else
        room->begin(table, row_format::json, response.body, part);
    if (const refusal why = ask(*room); why.code != 0)
        return refusing(why);
    room->end();
    response.items = room->count();
    counters_.http.addresses.fetch_add(room->count(), std::memory_order_relaxed);
    response.fields.emplace_back("Fingerpost-Generation", std::to_string(room->generation()));
    counters_.count_answer(std::chrono::steady_clock::now() - start);
    return response;
}

http_answer http_service::answer_query(const routed_request& what, wanted which) {
    return answer_from_table(what.request, which, [&](session& to) {
        refusal why = ask_query(what.request.query(), limits_.addresses, to);
        if (why.code == 0 && to.count() == 0)
            why = which == wanted::covers
                      ? refusal{400, "no address: /covers?address=A[&address=B...] or /covers/A"}
                      : refusal{400, "no address: /lookup?address=A[&address=B...], /lookup/A, or POST"};
        return why;
    });
}

http_answer http_service::answer_lookup(const routed_request& what) {
    return what.request.method == "POST" ? answer_body(what) : answer_query(what, wanted::matches);
}

http_answer http_service::answer_covers(const routed_request& what) {
    return answer_query(what, wanted::covers);
}

http_answer http_service::answer_lookup_below(const routed_request& what) {
    return answer_from_table(what.request, wanted::matches, [&](session& to) {
        to.add(what.below);
        return refusal{};
    });
}

http_answer http_service::answer_covers_below(const routed_request& what) {
    return answer_from_table(what.request, wanted::covers, [&](session& to) {
        to.add(what.below);
        return refusal{};
    });
}

// An explanation takes much longer than a lookup. Without this lock, one client could keep all threads busy.
http_answer http_service::answer_explain_below(const routed_request& what) {
    const served_pointer table = tables_.current();
    if (!query_values(what.request.query(), "table").empty())
        return refusing(
            {400, "all tables are one structure, which is explained as a whole; leave out table="});
    const auto address = address_for(table->table, what.below);
    if (!address)
        return refusing(
            {400, fmt::format("{} is not an address: {}", io::quoted(what.below), message(address.error()))});
    if (!*address)
        return refusing({404, fmt::format("the table has no routes of the family of {}", what.below)});
    const std::unique_lock held(explaining_, std::try_to_lock);
    if (!held) {
        http_answer response = refusing({503, "another address is being explained; try again in a second"});
        response.fields.emplace_back("Retry-After", "1");
        return response;
    }
    // The page contains its own policy, but browsers ignore rules about frames there.
    const explanation explained = explain_in(*table, what.below, **address);
    http_answer response = answer_html(html_page(std::span(&explained, 1)), "frame-ancestors 'none'");
    response.items = 1;
    counters_.http.addresses.fetch_add(1, std::memory_order_relaxed);
    response.fields.emplace_back("Fingerpost-Generation", std::to_string(table->generation));
    return response;
}

http_answer http_service::answer_body(const routed_request& what) {
    const http_request& request = what.request;
    const std::string coding = request.field("Content-Encoding");
    std::string plain;
    if (is_coded(coding))
        if (const refusal why = decode(coding, request.body, limits_.body_bytes, plain); why.code != 0)
            return refusing(why);
    const std::string_view body = is_coded(coding) ? plain : request.body;
    return answer_from_table(request, wanted::matches,
                             [&](session& to) { return ask_body(body, limits_.addresses, to); });
}

} // namespace fingerpost::cli
