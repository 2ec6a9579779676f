// Requests and their answers.
#include "cli/serve/http_service.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/serve/request_addresses.hpp"
#include "router/system/metrics.hpp"

namespace fingerpost::cli {
namespace {

using httplib::Request;
using httplib::Response;

constexpr const char* json_type = "application/json";

// What handlers, which httplib gives no word of their connection, say to the loop that serves it in the same
// thread.
struct exchange {
    bool has_head = false; // it could be read, so what follows it is known to be the body
    bool has_body = false;
    bool close = false;
    int code = 0;
};
thread_local exchange here;

std::string error_body(std::string_view words) {
    return nlohmann::json{{"error", words}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
           '\n';
}

// For what httplib refuses itself.
std::string words_of(int code) {
    switch (code) {
    case 400:
        return "this is no request of HTTP";
    case 404:
        return "there is /lookup, /metrics and /healthz";
    case 405:
        return "the path is not asked by this method";
    case 414:
        return "the path and its parameters are too long; use POST";
    default:
        return fmt::format("refused with {}", code);
    }
}

void refuse(Response& response, const refusal& why) {
    response.status = why.code;
    response.set_content(error_body(why.words), json_type);
}

std::string whole_answer(int code, std::string_view title, std::string_view words) {
    const std::string body = error_body(words);
    return fmt::format(
        "HTTP/1.1 {} {}\r\nConnection: close\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}", code,
        title, json_type, body.size(), body);
}

// For a request that could not be read; the code 0 when nobody is there to be told.
std::pair<int, std::string> answer_to(stream_fault fault, const serve_limits& limits) {
    switch (fault) {
    case stream_fault::late:
        return {408, whole_answer(408, "Request Timeout",
                                  fmt::format("the request did not come in within {} s (--timeout)",
                                              limits.patience.count()))};
    case stream_fault::long_head:
        return {431,
                whole_answer(431, "Request Header Fields Too Large", "the head of the request is too long")};
    case stream_fault::long_body:
        return {413,
                whole_answer(413, "Payload Too Large",
                             fmt::format("a body has at most {} bytes (--max-body)", limits.body_bytes))};
    default:
        return {};
    }
}

refusal long_body(const serve_limits& limits) {
    return {413, fmt::format("a body has at most {} bytes (--max-body)", limits.body_bytes)};
}

// Before any of the body is read.
refusal refuse_head(const Request& request, const serve_limits& limits) {
    // httplib takes these apart itself, which a body of addresses has no use for.
    if (request.is_multipart_form_data())
        return {415, "the body is a JSON array or lines of text, no form"};
    if (request.get_header_value("Transfer-Encoding") == "chunked")
        return {};
    if (!request.has_header("Content-Length"))
        return {411, "the request has neither Content-Length nor chunks"};
    if (request.get_header_value<std::uint64_t>("Content-Length") > limits.body_bytes)
        return long_body(limits);
    return {};
}

} // namespace

std::string too_many_connections() {
    return whole_answer(503, "Service Unavailable", "there are as many connections as are allowed");
}

http_service::http_service(const serve_limits& limits, const reloader& tables, serve_counters& counters)
    : limits_(limits), tables_(tables), counters_(counters), sessions_(limits.threads) {
    set_payload_max_length(limits.body_bytes);
    // What answers tell clients; connections are kept by serve(), for as many requests as come.
    set_keep_alive_timeout(http_stream::idle_time.count());
    set_keep_alive_max_count(1'000'000);
    Get("/lookup", [this](const Request& request, Response& response) { answer_query(request, response); });
    Get("/lookup/(.*)",
        [this](const Request& request, Response& response) { answer_path(request, response); });
    Post("/lookup", [this](const Request& request, Response& response, const httplib::ContentReader& reader) {
        answer_body(request, response, reader);
    });
    Get("/metrics", [this](const Request&, Response& response) {
        response.set_content(counters_.text(*tables_.current(), tables_.counts()),
                             router::metrics_content_type);
    });
    Get("/healthz", [this](const Request&, Response& response) { answer_health(response); });
    // A body that will be refused need not be sent.
    set_expect_100_continue_handler([this](const Request& request, Response& response) {
        const refusal why = refuse_head(request, limits_);
        if (why.code == 0)
            return 100;
        refuse(response, why);
        return why.code;
    });
    set_error_handler([](const Request& request, Response& response) {
        const bool is_known = request.path == "/lookup" || request.path == "/metrics" ||
                              request.path == "/healthz" || request.path.rfind("/lookup/", 0) == 0;
        if (response.status == 404 && is_known && request.method != "GET" && request.method != "HEAD") {
            response.status = 405;
            response.set_header("Allow", request.path == "/lookup" ? "GET, HEAD, POST" : "GET, HEAD");
        }
        if (response.body.empty())
            response.set_content(error_body(words_of(response.status)), json_type);
        // How much of the body was read is not known, so the next request cannot be found.
        here.close = here.close || !here.has_head || here.has_body;
        if (here.close)
            response.set_header("Connection", "close");
    });
    set_exception_handler([](const Request&, Response& response, std::exception_ptr thrown) {
        try {
            std::rethrow_exception(std::move(thrown));
        } catch (const std::bad_alloc&) {
            refuse(response, {503, "out of memory"});
        } catch (const std::exception& error) {
            refuse(response, {500, error.what()});
        }
    });
    set_logger([](const Request&, const Response& response) { here.code = response.status; });
}

void http_service::serve(http_stream& stream, const stop_event& stopping) {
    while (stream.wait_for_request())
        if (!serve_one(stream, stopping.is_set()))
            break;
    stream.close_gently();
}

bool http_service::serve_one(http_stream& stream, bool is_last) {
    here = {};
    bool closed = is_last;
    const bool done = process_request(stream, is_last, closed, [&](Request& request) {
        here.has_head = true;
        // A POST without a length may have one all the same.
        here.has_body = request.has_header("Transfer-Encoding") || request.has_header("Content-Length")
                            ? request.get_header_value("Content-Length") != "0"
                            : request.method == "POST";
        // A body where none belongs is not read; what follows would be taken for a request.
        here.close = here.has_body && (request.method == "GET" || request.method == "HEAD");
        if (here.close) {
            request.headers.erase("Connection");
            request.set_header("Connection", "close");
        }
        stream.begin_body();
    });
    if (stream.fault() != stream_fault::none && stream.fault() != stream_fault::not_taken) {
        auto [code, text] = answer_to(stream.fault(), limits_);
        stream.replace_answer(text);
        here.code = code;
    }
    counters_.count_code(here.code);
    const bool sent = stream.flush();
    return done && sent && !closed && !here.close && stream.fault() == stream_fault::none;
}

template <class F>
void http_service::answer(Response& response, F ask) {
    const auto start = std::chrono::steady_clock::now();
    // One table for the whole request, whatever is loaded meanwhile.
    const served_pointer table = tables_.current();
    const auto room = sessions_.take(table);
    std::string text;
    room->begin(table, row_format::json, text);
    if (const refusal why = ask(*room); why.code != 0)
        return refuse(response, why);
    room->end();
    counters_.http.addresses.fetch_add(room->count(), std::memory_order_relaxed);
    response.set_header("Fingerpost-Generation", std::to_string(room->generation()));
    response.set_header("Content-Type", json_type);
    response.body = std::move(text);
    counters_.count_answer(std::chrono::steady_clock::now() - start);
}

void http_service::answer_path(const Request& request, Response& response) {
    answer(response, [&](session& asked) {
        asked.add(request.matches[1].str());
        return refusal{};
    });
}

void http_service::answer_query(const Request& request, Response& response) {
    answer(response, [&](session& asked) {
        // httplib's own list of parameters has equal ones once.
        const std::string_view target = request.target;
        refusal why = ask_query(target.substr(std::min(target.find('?'), target.size() - 1) + 1),
                                limits_.addresses, asked);
        if (why.code == 0 && asked.count() == 0)
            why = {400, "no address: /lookup?address=A[&address=B...], /lookup/A, or POST"};
        return why;
    });
}

void http_service::answer_body(const Request& request, Response& response,
                               const httplib::ContentReader& reader) {
    if (const refusal why = refuse_head(request, limits_); why.code != 0)
        return refuse(response, why);
    std::string body;
    bool is_long = false;
    const bool read = reader([&](const char* bytes, std::size_t size) {
        is_long = size > limits_.body_bytes - body.size();
        if (!is_long)
            body.append(bytes, size);
        return !is_long;
    });
    if (is_long)
        return refuse(response, long_body(limits_));
    if (!read)
        return refuse(response, {400, "the body could not be read"});
    answer(response, [&](session& asked) { return ask_body(body, limits_.addresses, asked); });
}

void http_service::answer_health(Response& response) const {
    const served_pointer table = tables_.current();
    const reload_counts reloads = tables_.counts();
    const auto when = fmt::gmtime(std::chrono::system_clock::to_time_t(table->loaded));
    nlohmann::ordered_json facts;
    facts["status"] = "ok";
    facts["generation"] = table->generation;
    facts["routes"] = {{"ipv4", table->ipv4_routes()}, {"ipv6", table->ipv6_routes()}};
    facts["loaded"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", when);
    facts["last_reload_failed"] = reloads.last_failed;
    response.set_content(facts.dump() + '\n', json_type);
}

} // namespace fingerpost::cli
