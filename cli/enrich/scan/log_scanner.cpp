// Finds addresses in log lines: anywhere, or by a regular expression.
#include "cli/enrich/scan/log_scanner.hpp"

#include <fmt/format.h>
#include <string>
#include <vector>
#ifdef FINGERPOST_HAVE_RE2
#include <re2/re2.h>
#endif

#include "cli/enrich/rows/cells.hpp"
#include "cli/enrich/scan/field_addresses.hpp"
#include "cli/enrich/scan/line_rows.hpp"
#include "terminal/failure.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Finds pairs in a line whose names clash with added pairs.
class taken_pairs {
  public:
    explicit taken_pairs(const std::vector<std::string>& added) {
        for (const std::string& name : added) {
            std::string& pair = pairs_.emplace_back();
            put_pair_text(name, true, pair);
            pair += '=';
        }
    }

    // Refuses the line, which is passed on unchanged.
    void refuse(scanned_block& into, std::string_view line, scanned_row& row) const {
        for (const std::string& pair : pairs_)
            if (has(line, pair)) {
                row.is_bad = true;
                row.is_readable = false;
                const std::string_view name = std::string_view(pair).substr(0, pair.size() - 1);
                into.refuse_row(
                    fault::taken_name, name,
                    fmt::format("the line already has a pair with this name; {} renames the added pair",
                                rename_hint(name)),
                    row.begin);
                return;
            }
    }

  private:
    // Whether the pair is at the start of the line or after a blank.
    static bool has(std::string_view line, std::string_view pair) {
        for (std::size_t at = line.find(pair); at != std::string_view::npos; at = line.find(pair, at + 1))
            if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t')
                return true;
        return false;
    }

    std::vector<std::string> pairs_;
};

class anywhere_scanner final : public scanner {
  public:
    explicit anywhere_scanner(const scan_choice& choice) : which_(choice.which), taken_(choice.added) {}

    void scan(scanned_block& into) override {
        for_each_line(into, [&](std::string_view line, scanned_row& row) {
            taken_.refuse(into, line, row);
            auto address = find_address(line, 0);
            if (!address)
                into.ask_nothing();
            while (address) {
                const auto next = which_ == which_address::first
                                      ? std::nullopt
                                      : find_address(line, address->offset + address->size);
                if (!next || which_ == which_address::all)
                    into.ask(address->what, line.substr(address->offset, address->size));
                address = next;
            }
        });
    }

  private:
    which_address which_;
    taken_pairs taken_;
};

#ifdef FINGERPOST_HAVE_RE2
class regex_scanner final : public scanner {
  public:
    explicit regex_scanner(const scan_choice& choice)
        : expression_(choice.regex, RE2::Quiet), which_(choice.which), taken_(choice.added) {
        if (!expression_.ok())
            throw usage_error(fmt::format("--regex: {}", expression_.error()));
        if (expression_.NumberOfCapturingGroups() > 1)
            throw usage_error("--regex: only one group, the address, is allowed; write others as (?:...)");
        group_ = expression_.NumberOfCapturingGroups();
    }

    void scan(scanned_block& into) override {
        for_each_line(into, [&](std::string_view line, scanned_row& row) {
            taken_.refuse(into, line, row);
            ++into.readable;
            address_list list(into, row, which_);
            std::size_t at = 0;
            do {
                at = add_from(into, list, line, at);
            } while (which_ != which_address::first && at <= line.size());
            list.finish();
        });
    }

  private:
    // Returns where to continue the search; past the line at its end.
    std::size_t add_from(scanned_block& into, address_list& list, std::string_view line, std::size_t at) {
        re2::StringPiece groups[2];
        if (!expression_.Match(re2::StringPiece(line.data(), line.size()), at, line.size(), RE2::UNANCHORED,
                               groups, group_ + 1))
            return line.size() + 1;
        into.hits = 1;
        // A group that did not take part in the match has no text.
        const re2::StringPiece& address = groups[group_];
        if (!address.empty())
            list.add({address.data(), address.size()}, {address.data(), address.size()});
        const auto end = static_cast<std::size_t>(groups[0].data() - line.data()) + groups[0].size();
        return groups[0].empty() ? end + 1 : end;
    }

    RE2 expression_;
    which_address which_;
    taken_pairs taken_;
    int group_ = 0;
};
#endif

} // namespace

std::unique_ptr<scanner> make_log_scanner(const scan_choice& choice) {
    if (choice.regex.empty())
        return std::make_unique<anywhere_scanner>(choice);
#ifdef FINGERPOST_HAVE_RE2
    return std::make_unique<regex_scanner>(choice);
#else
    throw usage_error("--regex: this program was built without RE2");
#endif
}

} // namespace fingerpost::cli::enrich
