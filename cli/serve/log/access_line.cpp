// Writes requests as text or JSON.
#include "cli/serve/log/access_line.hpp"

#include <cstddef>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace fingerpost::cli {
namespace {

constexpr std::size_t most_bytes = 1024;

std::string cut(std::string text) {
    if (text.size() > most_bytes)
        text.replace(most_bytes, std::string::npos, "...");
    return text;
}

// In quotation marks, as Apache and nginx write it.
std::string in_quotes(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (byte < 0x20 || byte > 0x7e)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += c;
    }
    return out += '"';
}

std::string or_dash(std::string text) {
    return text.empty() ? "-" : text;
}

std::string protocol_of(const system::http_request& request) {
    return request.is_old ? "HTTP/1.0" : "HTTP/1.1";
}

double seconds_of(const system::http_exchange& exchange) {
    return std::chrono::duration<double>(exchange.took).count();
}

std::string text_line(const system::http_exchange& exchange, std::chrono::system_clock::time_point when) {
    const system::http_request& request = exchange.request;
    const std::string request_line =
        request.method.empty()
            ? "-"
            : fmt::format("{} {} {}", request.method, request.target, protocol_of(request));
    return fmt::format(
        "{} - - [{:%d/%b/%Y:%H:%M:%S} +0000] {} {} {} {} {} {:.6f} {}\n", or_dash(exchange.client.address),
        fmt::gmtime(std::chrono::system_clock::to_time_t(when)), in_quotes(cut(request_line)),
        exchange.answer.code, exchange.sent_bytes, in_quotes(or_dash(cut(request.field("Referer")))),
        in_quotes(or_dash(cut(request.field("User-Agent")))), seconds_of(exchange), exchange.answer.items);
}

std::string json_line(const system::http_exchange& exchange, std::chrono::system_clock::time_point when) {
    const system::http_request& request = exchange.request;
    nlohmann::ordered_json line;
    const auto put = [&](const char* name, std::string text) {
        line[name] = text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(cut(std::move(text)));
    };
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count();
    line["time"] = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                               fmt::gmtime(std::chrono::system_clock::to_time_t(when)), since % 1000);
    put("client", exchange.client.address);
    line["port"] = exchange.client.port;
    put("method", request.method);
    put("target", request.target);
    put("protocol", request.method.empty() ? "" : protocol_of(request));
    put("host", request.host);
    line["code"] = exchange.answer.code;
    line["bytes"] = exchange.sent_bytes;
    line["seconds"] = seconds_of(exchange);
    line["addresses"] = exchange.answer.items;
    put("referer", request.field("Referer"));
    put("agent", request.field("User-Agent"));
    return line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

} // namespace

std::string access_line(access_format format, const system::http_exchange& exchange,
                        std::chrono::system_clock::time_point when) {
    return format == access_format::json ? json_line(exchange, when) : text_line(exchange, when);
}

} // namespace fingerpost::cli
