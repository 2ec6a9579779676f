// The error of each thread, and the texts of codes.
#include "capi/errors.hpp"

#include <algorithm>
#include <string>

using namespace fingerpost;
using namespace fingerpost::capi;

namespace {

thread_local constinit fingerpost_error last{};

constexpr int code_of_image(image_errc code) noexcept {
    switch (code) {
    case image_errc::ok:
        return FINGERPOST_OK;
    case image_errc::system:
        return FINGERPOST_SYSTEM;
    case image_errc::out_of_memory:
        return FINGERPOST_OUT_OF_MEMORY;
    case image_errc::capacity:
        return FINGERPOST_CAPACITY;
    case image_errc::not_an_image:
        return FINGERPOST_NOT_AN_IMAGE;
    case image_errc::other_byte_order:
    case image_errc::other_version:
    case image_errc::other_width:
        return FINGERPOST_OTHER_IMAGE;
    case image_errc::truncated:
    case image_errc::damaged:
        return FINGERPOST_DAMAGED;
    }
    return FINGERPOST_DAMAGED;
}

// Writes "PATH: REASON". A long path is shortened to its end. At most half of the text is for the reason.
status fail_of_file(int code, std::string_view path, std::string_view what) noexcept {
    constexpr std::string_view between = ": ";
    what = what.substr(0, sizeof last.text / 2);
    const std::size_t room = sizeof last.text - 1 - between.size() - what.size();
    path.remove_prefix(path.size() - std::min(path.size(), room));
    return fail(code, {path, between, what});
}

} // namespace

namespace fingerpost::capi {

status fail(int code, std::initializer_list<std::string_view> texts) noexcept {
    char* end = last.text;
    for (const std::string_view text : texts) {
        const auto room = static_cast<std::size_t>(last.text + sizeof last.text - 1 - end);
        end = std::copy_n(text.data(), std::min(text.size(), room), end);
    }
    *end = '\0';
    last.code = code;
    last.system_error = 0;
    last.offset = 0;
    last.column = 0;
    return {code, true};
}

status fail(const text_error& wrong) noexcept {
    try {
        (void)fail(FINGERPOST_INVALID, {message(wrong)});
    } catch (...) {
        (void)reason_of_exception();
        (void)fail(FINGERPOST_INVALID, {"not an address"});
    }
    last.column = wrong.column();
    return {FINGERPOST_INVALID, true};
}

status fail(const char* path, const image_error& why) noexcept {
    const int code = code_of_image(why.code);
    try {
        (void)fail_of_file(code, path, to_string(why));
    } catch (...) {
        (void)reason_of_exception();
        (void)fail_of_file(code, path, why.reason);
    }
    last.offset = why.offset;
    last.system_error = why.system_error;
    return {code, true};
}

int end_call(status how) noexcept {
    if (how.code != FINGERPOST_OK && !how.is_noted)
        (void)fail(how.code, {fingerpost_error_text(how.code)});
    return how.code;
}

} // namespace fingerpost::capi

extern "C" {

const fingerpost_error* fingerpost_last_error(void) {
    return &last;
}

const char* fingerpost_error_text(int code) {
    switch (code) {
    case FINGERPOST_SYSTEM:
        return "the operating system reported an error";
    case FINGERPOST_NOT_AN_IMAGE:
        return "not an image of a table";
    case FINGERPOST_OTHER_IMAGE:
        return "an image of another version, byte order, width or scheme";
    case FINGERPOST_DAMAGED:
        return "a damaged image";
    default:
        return message(static_cast<errc>(std::clamp(code, -1, 255))).data();
    }
}

} // extern "C"
