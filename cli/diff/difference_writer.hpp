// The differences of two tables as text, CSV and NDJSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/diff/table_difference.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {

enum class diff_format : std::uint8_t { text, csv, ndjson, summary };

//     text    A 10.0.0.0/8 64500 "A, Inc."       updates as replay reads them (io/format/updates/updates.hpp)
//     csv     changed,10.0.0.0/8,before,after    several columns: before.asn,before.name,after.asn,...
//     ndjson  {"change":"changed","prefix":"10.0.0.0/8","before":"a","after":"b"}
//             several columns: "before" and "after" are objects; null is a missing route or value
class difference_writer {
  public:
    difference_writer(diff_format format, std::vector<std::string> columns, std::vector<column_type> types)
        : format_(format), columns_(std::move(columns)), types_(std::move(types)) {}

    // Appends the text before the first difference. It is needed even if there are no differences.
    void begin(std::string& out) const;
    // Throws failure for values that could not be read back unchanged.
    template <class A>
    void add(const route_difference<A>& d, std::string& out) {
        char where[max_prefix_text<A>];
        const char* const end = format(d.where, where);
        add(d.kind, std::string_view(where, static_cast<std::size_t>(end - where)), d.before, d.after, out);
    }

  private:
    using texts = std::span<const std::string_view>;

    void add(difference_kind kind, std::string_view where, texts before, texts after, std::string& out);
    void add_update(difference_kind kind, std::string_view where, texts after, std::string& out);
    void add_csv_row(difference_kind kind, std::string_view where, texts before, texts after,
                     std::string& out) const;
    void add_object(difference_kind kind, std::string_view where, texts before, texts after,
                    std::string& out) const;
    void add_json(std::string_view where, texts cells, std::string& out) const;

    diff_format format_;
    std::vector<std::string> columns_;
    std::vector<column_type> types_;
    bool has_begun_ = false; // whether the header of the text form was written
};

} // namespace fingerpost::cli
