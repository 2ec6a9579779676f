// Addresses in log lines: anywhere, or where a regular expression says.
#include "cli/enrich/log_scanner.hpp"

#include <fmt/format.h>
#ifdef FINGERPOST_HAVE_RE2
#include <re2/re2.h>
#endif

#include "cli/enrich/line_rows.hpp"
#include "cli/failure.hpp"

namespace fingerpost::cli::enrich {
namespace {

class anywhere_scanner final : public scanner {
  public:
    explicit anywhere_scanner(log_which which) : all_(which == log_which::all) {}

    void scan(scanned_block& into) override {
        for_each_line(into, [&](std::string_view line, scanned_row&) {
            auto found = find_address(line, 0);
            if (!found)
                into.ask_nothing();
            while (found) {
                into.ask(found->what, line.substr(found->offset, found->size));
                found = all_ ? find_address(line, found->offset + found->size) : std::nullopt;
            }
        });
    }

  private:
    bool all_;
};

#ifdef FINGERPOST_HAVE_RE2
class regex_scanner final : public scanner {
  public:
    explicit regex_scanner(const scan_choice& choice)
        : expression_(choice.regex, RE2::Quiet), all_(choice.which == log_which::all) {
        if (!expression_.ok())
            throw usage_error(fmt::format("--regex: {}", expression_.error()));
        if (expression_.NumberOfCapturingGroups() > 1)
            throw usage_error("--regex: it may have one group, the address; write (?:...) for the others");
        group_ = expression_.NumberOfCapturingGroups();
    }

    void scan(scanned_block& into) override {
        for_each_line(into, [&](std::string_view line, scanned_row& row) {
            const std::size_t before = into.cells.size();
            std::size_t at = 0;
            do {
                at = ask_from(into, row, line, at);
            } while (all_ && at <= line.size());
            if (into.cells.size() == before)
                into.ask_nothing();
        });
    }

  private:
    // Returns where to look for the next one; past the line when there is none.
    std::size_t ask_from(scanned_block& into, scanned_row& row, std::string_view line, std::size_t at) {
        re2::StringPiece found[2];
        if (!expression_.Match(re2::StringPiece(line.data(), line.size()), at, line.size(), RE2::UNANCHORED,
                               found, group_ + 1))
            return line.size() + 1;
        // A group that took no part has no text.
        const re2::StringPiece& address = found[group_];
        if (!address.empty())
            ask_field(into, row, {address.data(), address.size()}, {address.data(), address.size()});
        const auto end = static_cast<std::size_t>(found[0].data() - line.data()) + found[0].size();
        return found[0].empty() ? end + 1 : end;
    }

    RE2 expression_;
    bool all_;
    int group_ = 0;
};
#endif

} // namespace

std::unique_ptr<scanner> make_log_scanner(const scan_choice& choice) {
    if (choice.regex.empty())
        return std::make_unique<anywhere_scanner>(choice.which);
#ifdef FINGERPOST_HAVE_RE2
    return std::make_unique<regex_scanner>(choice);
#else
    throw usage_error("--regex: this program was built without RE2");
#endif
}

} // namespace fingerpost::cli::enrich
