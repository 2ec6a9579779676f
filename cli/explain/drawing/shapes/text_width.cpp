// The advances are those of DejaVu Sans, which is wider than Helvetica, Arial, Segoe, Roboto and San
// Francisco.
#include "cli/explain/drawing/shapes/text_width.hpp"

#include "io/format/parts/printable.hpp"

namespace fingerpost::cli::drawing {
namespace {

constexpr double mono_advance = 0.61;
constexpr double bold_factor = 1.13;

// In units of the font's size.
double advance(char c) {
    constexpr std::string_view narrow = "ijl'|", slim = "ftr I.,:;/\\!()[]-", wide = "mwMW%@",
                               broad = "+=<>#~";
    if (narrow.find(c) != std::string_view::npos)
        return 0.3;
    if (slim.find(c) != std::string_view::npos)
        return 0.42;
    if (wide.find(c) != std::string_view::npos)
        return 1;
    if (broad.find(c) != std::string_view::npos)
        return 0.84;
    return c >= 'A' && c <= 'Z' ? 0.76 : 0.64;
}

} // namespace

double size_of(font f) noexcept {
    switch (f) {
    case font::small:
        return 10;
    case font::head:
        return 15;
    case font::body:
        return 14;
    case font::plain:
    case font::bold:
    case font::mono:
        break;
    }
    return 11;
}

std::string_view class_of(font f) noexcept {
    switch (f) {
    case font::bold:
        return "bold";
    case font::mono:
        return "mono";
    case font::small:
        return "small";
    case font::head:
        return "head";
    case font::body:
        return "body";
    case font::plain:
        break;
    }
    return "plain";
}

double text_width(std::string_view text, font f) {
    const bool is_mono = f == font::mono || f == font::small;
    const double factor = f == font::bold || f == font::head ? bold_factor : 1;
    double ems = 0;
    while (!text.empty()) {
        const std::size_t bytes = io::printable_size(text);
        if (bytes == 1)
            ems += is_mono ? mono_advance : factor * advance(text.front());
        else if (bytes == 0)
            ems += 4 * 0.76; // \xNN
        else
            // Three bytes or more may be a character of a square, as in Chinese.
            ems += bytes == 2 ? 0.85 : 1.2;
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return ems * size_of(f);
}

} // namespace fingerpost::cli::drawing
