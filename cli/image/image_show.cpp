// `fingerpost image show`: prints the contents of an image.
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/image/image_commands.hpp"
#include "fingerpost/image/any_image.hpp"
#include "fingerpost/image/image_format.hpp"
#include "fingerpost/image/image_parts.hpp"
#include "io/format/parts/printable.hpp"
#include "terminal/columns.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/json_writer.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

struct show_options {
    std::string path;
    bool json = false;
};

struct shown_image {
    image_header header{};
    std::vector<image_section> sections;
    std::vector<std::string> columns;
    std::size_t rows = 0;
};

[[noreturn]] void fail(const std::string& path, const image_error& why) {
    throw failure(fmt::format("{}: {}", io::printable(path), to_string(why)));
}

// Reads the section table of a verified part.
void read_sections(const detail::image_part& part, shown_image& into) {
    std::memcpy(&into.header, part.bytes.data(), sizeof into.header);
    into.sections.resize(into.header.sections);
    std::memcpy(into.sections.data(), part.bytes.data() + sizeof into.header,
                into.sections.size() * sizeof(image_section));
    for (image_section& section : into.sections)
        section.offset += part.offset;
}

template <class A>
shown_image read(const std::string& path) {
    auto file = mapped_file::open(path, &image<A>::refuse_start);
    if (!file)
        fail(path, file.error());
    const detail::image_part part = detail::part_of(file->bytes(), A::bits);
    auto opened = image<A>::make(std::move(*file));
    if (!opened)
        fail(path, opened.error());
    shown_image shown;
    read_sections(part, shown);
    for (std::size_t i = 0; i < opened->values().columns(); ++i)
        shown.columns.emplace_back(opened->values().name(i));
    shown.rows = opened->values().rows();
    return shown;
}

std::vector<shown_image> read_all(const std::string& path) {
    const auto images = open_both_images(path);
    if (!images)
        fail(path, images.error());
    std::vector<shown_image> parts;
    if (images->ipv4)
        parts.push_back(read<ipv4_address>(path));
    if (images->ipv6)
        parts.push_back(read<ipv6_address>(path));
    return parts;
}

std::string name_of_kind(std::uint32_t kind) {
    constexpr std::array<const char*, 3> of_routes{"first addresses", "lengths", "next hops"};
    constexpr std::array<const char*, 3> of_values{"values: cells", "values: ends of texts", "values: texts"};
    constexpr auto first_value = static_cast<std::uint32_t>(value_section::cells);
    if (kind >= 1 && kind <= of_routes.size())
        return of_routes[kind - 1];
    if (kind >= first_value && kind - first_value < of_values.size())
        return of_values[kind - first_value];
    return "scheme";
}

std::string scheme_of(const image_header& header) {
    const std::string_view field(header.scheme.data(), header.scheme.size());
    return std::string(field.substr(0, field.find('\0')));
}

unsigned family_number(const image_header& header) {
    return header.address_bits == ipv4_address::bits ? 4 : 6;
}

void put_json(bench::json_writer& json, const shown_image& shown) {
    json.begin_object();
    json.member("family", family_number(shown.header));
    json.member("version", shown.header.version);
    json.member("scheme", scheme_of(shown.header));
    json.member("routes", shown.header.routes);
    json.member("bytes", shown.header.file_bytes);
    json.member("columns", shown.columns);
    json.member("rows", shown.rows);
    json.key("sections");
    json.begin_array();
    for (const image_section& section : shown.sections) {
        json.begin_object();
        json.member("kind", section.kind);
        json.member("name", name_of_kind(section.kind));
        json.member("offset", section.offset);
        json.member("bytes", section.bytes);
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

// An array even for a single family, so that programs need only one case.
std::string as_json(const std::vector<shown_image>& parts) {
    bench::json_writer json;
    json.begin_array();
    for (const shown_image& part : parts)
        put_json(json, part);
    json.end_array();
    return json.take();
}

std::string as_text(const shown_image& shown) {
    std::string out;
    const auto line = [&](const char* what, const std::string& value) {
        out += fmt::format("{:<9} {}\n", what, value);
    };
    const image_header& header = shown.header;
    line("routes", fmt::format("{} (IPv{})", header.routes, family_number(header)));
    line("bytes", fmt::format("{}", header.file_bytes));
    line("version", fmt::format("{}{}", header.version,
                                header.version == image_version ? "" : " (save it again to update it)"));
    line("scheme", scheme_of(header));
    if (!shown.columns.empty()) {
        std::string names;
        for (const std::string& name : shown.columns)
            names += (names.empty() ? "" : ", ") + io::printable(name);
        line("columns", names);
        line("rows", fmt::format("{}", shown.rows));
    }
    columns sections({{"offset", true}, {"bytes", true}, {"kind", true}, {"section", false}});
    for (const image_section& section : shown.sections)
        sections.add({fmt::format("{}", section.offset), fmt::format("{}", section.bytes),
                      fmt::format("{}", section.kind), name_of_kind(section.kind)});
    return out + "\n" + sections.text();
}

int run(const show_options& options) {
    const std::vector<shown_image> parts = read_all(options.path);
    output out;
    if (options.json)
        out.write(as_json(parts));
    for (std::size_t i = 0; i < parts.size() && !options.json; ++i)
        out.write((i == 0 ? "" : "\n") + as_text(parts[i]));
    out.finish();
    return exit_code::ok;
}

} // namespace

command image_show_command() {
    auto options = std::make_shared<show_options>();
    command result{.name = "image show", .summary = "show the contents of an image"};
    add_json(result, options->json);
    result.rest = {.name = "IMAGE",
                   .help = "Image file",
                   .least = 1,
                   .most = 1,
                   .take = [options](const std::string& path) {
                       options->path = path;
                       return std::string();
                   }};
    result.examples = {{"fingerpost image show table.image", "Show family, routes, columns and sections"}};
    result.run = [options] { return run(*options); };
    return result;
}

} // namespace fingerpost::cli
