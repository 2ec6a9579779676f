// Answers the HTTP requests of `serve`.
#include "cli/serve/http/http_service.hpp"

#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/serve/http/content_coding.hpp"
#include "system/metrics.hpp"

namespace fingerpost::cli {
namespace {

using system::http_answer;
using system::http_request;

constexpr const char* json_type = "application/json";
constexpr std::string_view below_lookup = "/lookup/";

http_answer refusing(const refusal& why) {
    http_answer made{.code = why.code, .type = json_type};
    made.body =
        nlohmann::json{{"error", why.words}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
        '\n';
    return made;
}

std::string path_of(const http_request& request) {
    return percent_decoded(request.path(), false);
}

bool is_form(const http_request& request) {
    constexpr std::string_view form = "multipart/form-data";
    return system::is_same_word(request.field("Content-Type").substr(0, form.size()), form);
}

} // namespace

http_service::http_service(const serve_limits& limits, const reloader& tables, serve_counters& counters)
    : limits_(limits), tables_(tables), counters_(counters), sessions_(limits.threads) {}

std::optional<http_answer> http_service::refuse_head(const http_request& head) {
    if (head.method != "POST" || path_of(head) != "/lookup")
        return std::nullopt;
    if (is_form(head))
        return refusing({415, "the body is a JSON array or lines of text, no form"});
    if (const std::string coding = head.field("Content-Encoding"); !is_known_coding(coding))
        return refusing({415, "a body is compressed by gzip or deflate, or not at all"});
    if (!head.has_length) {
        http_answer made = refusing({411, "the request has neither Content-Length nor chunks"});
        made.closes = true;
        return made;
    }
    return std::nullopt;
}

http_answer http_service::refuse(const system::http_refusal& why) {
    switch (why.code) {
    case 408:
        return refusing({408, fmt::format("the request did not come in within {} s (--timeout)",
                                          limits_.patience.count())});
    case 413:
        return refusing(long_body(limits_.body_bytes));
    case 421:
        return refusing({421, why.words + " (--allow-host)"});
    default:
        return refusing({why.code, why.words});
    }
}

http_answer http_service::answer(const http_request& request) {
    const std::string path = path_of(request);
    const bool is_address = path.compare(0, below_lookup.size(), below_lookup) == 0;
    if (path != "/lookup" && path != "/metrics" && path != "/healthz" && !is_address)
        return refusing({404, "there is /lookup, /metrics and /healthz"});
    if (request.method == "GET" || request.is_head())
        return answer_get(request, path);
    if (request.method == "POST" && path == "/lookup")
        return answer_body(request);
    http_answer made = refusing({405, "the path is not asked by this method"});
    made.fields.emplace_back("Allow", path == "/lookup" ? "GET, HEAD, POST" : "GET, HEAD");
    return made;
}

http_answer http_service::answer_get(const http_request& request, const std::string& path) {
    if (path == "/metrics")
        return {.type = system::metrics_content_type,
                .body = counters_.text(*tables_.current(), tables_.counts())};
    if (path == "/healthz")
        return answer_health();
    if (path == "/lookup")
        return answer_query(request.query());
    return answer_from_table([&](session& asked) {
        asked.add(std::string_view(path).substr(below_lookup.size()));
        return refusal{};
    });
}

template <class F>
http_answer http_service::answer_from_table(F ask) {
    const auto start = std::chrono::steady_clock::now();
    // One table for the whole request, even if another is loaded meanwhile.
    const served_pointer table = tables_.current();
    const auto room = sessions_.take(table);
    http_answer made{.type = json_type};
    room->begin(table, row_format::json, made.body);
    if (const refusal why = ask(*room); why.code != 0)
        return refusing(why);
    room->end();
    counters_.http.addresses.fetch_add(room->count(), std::memory_order_relaxed);
    made.fields.emplace_back("Fingerpost-Generation", std::to_string(room->generation()));
    counters_.count_answer(std::chrono::steady_clock::now() - start);
    return made;
}

http_answer http_service::answer_query(std::string_view query) {
    return answer_from_table([&](session& asked) {
        refusal why = ask_query(query, limits_.addresses, asked);
        if (why.code == 0 && asked.count() == 0)
            why = {400, "no address: /lookup?address=A[&address=B...], /lookup/A, or POST"};
        return why;
    });
}

http_answer http_service::answer_body(const http_request& request) {
    const std::string coding = request.field("Content-Encoding");
    std::string plain;
    if (is_coded(coding))
        if (const refusal why = decode(coding, request.body, limits_.body_bytes, plain); why.code != 0)
            return refusing(why);
    const std::string_view body = is_coded(coding) ? plain : request.body;
    return answer_from_table([&](session& asked) { return ask_body(body, limits_.addresses, asked); });
}

http_answer http_service::answer_health() const {
    const served_pointer table = tables_.current();
    const reload_counts reloads = tables_.counts();
    const auto when = fmt::gmtime(std::chrono::system_clock::to_time_t(table->loaded));
    nlohmann::ordered_json facts;
    facts["status"] = "ok";
    facts["generation"] = table->generation;
    facts["routes"] = {{"ipv4", table->ipv4_routes()}, {"ipv6", table->ipv6_routes()}};
    facts["loaded"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", when);
    facts["last_reload_failed"] = reloads.last_failed;
    return {.type = json_type, .body = facts.dump() + '\n'};
}

} // namespace fingerpost::cli
