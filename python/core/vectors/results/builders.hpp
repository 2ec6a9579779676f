// Builders of Arrow chunks: sinks that build the chunk of one want.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "python/core/arrow/chunk.hpp"
#include "python/core/vectors/results/sinks.hpp"
#include "python/core/vectors/run.hpp"

namespace fingerpost::python {

// Call type() and finish() after the lookup of all rows, without the GIL.
class builder : public sink {
  public:
    // Whether the text is too long for 32-bit offsets. All chunks of a column have the same size of offsets.
    virtual bool needs_large() const noexcept { return false; }
    virtual arrow::column_type type(bool large) const = 0;
    virtual std::shared_ptr<const arrow::chunk> finish(const valid_sink& valid, bool large) = 0;
};

// Builds numbers of one type. `Of` is described at number_sink.
template <class T, class Of>
class number_builder final : public builder {
  public:
    number_builder(arrow::kind kind, std::size_t rows, T missed, Of of)
        : kind_(kind), rows_(rows), values_(arrow::room_for<T>(rows)),
          fill_(values_.get(), {missed, missed}, std::move(of)) {}

    void take(const answers& block) override { fill_.take(block); }
    arrow::column_type type(bool) const override { return {kind_, {}, {}}; }
    std::shared_ptr<const arrow::chunk> finish(const valid_sink& valid, bool) override {
        arrow::chunk result;
        result.type = kind_;
        result.length = rows_;
        result.nulls = valid.nulls();
        result.valid = valid.bits();
        result.values = std::move(values_);
        return std::make_shared<const arrow::chunk>(std::move(result));
    }

  private:
    arrow::kind kind_;
    std::size_t rows_;
    std::shared_ptr<T[]> values_;
    number_sink<T, Of> fill_;
};

// Builds booleans. They are bytes until finish(), because threads cannot write bits of the same byte.
template <class Of>
class boolean_builder final : public builder {
  public:
    boolean_builder(std::size_t rows, bool missed, Of of)
        : rows_(rows), values_(arrow::room_for<std::uint8_t>(rows)),
          fill_(values_.get(), {missed, missed}, std::move(of)) {}

    void take(const answers& block) override { fill_.take(block); }
    arrow::column_type type(bool) const override { return {arrow::kind::boolean, {}, {}}; }
    std::shared_ptr<const arrow::chunk> finish(const valid_sink& valid, bool) override {
        const auto bits = std::make_shared<std::uint8_t[]>(arrow::bitmap_bytes(rows_));
        for (std::size_t row = 0; row < rows_; ++row)
            bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | values_[row] << row % 8);
        arrow::chunk result;
        result.type = arrow::kind::boolean;
        result.length = rows_;
        result.nulls = valid.nulls();
        result.valid = valid.bits();
        result.values = bits;
        return std::make_shared<const arrow::chunk>(std::move(result));
    }

  private:
    std::size_t rows_;
    std::shared_ptr<std::uint8_t[]> values_;
    number_sink<std::uint8_t, Of> fill_;
};

template <class Of>
std::unique_ptr<builder> make_boolean_builder(std::size_t rows, bool missed, Of of) {
    return std::make_unique<boolean_builder<Of>>(rows, missed, std::move(of));
}

template <class T, class Of>
std::unique_ptr<builder> make_number_builder(arrow::kind kind, std::size_t rows, T missed, Of of) {
    return std::make_unique<number_builder<T, Of>>(kind, rows, missed, std::move(of));
}

// The part of text_builder that does not depend on a type: the text of each piece, and the end of each row in
// the text of its piece.
class text_pieces {
  public:
    explicit text_pieces(std::size_t rows)
        : rows_(rows), pieces_((rows + piece_rows - 1) / piece_rows),
          ends_(arrow::room_for<std::uint32_t>(rows)) {}

    std::vector<char>& piece_of(std::size_t row) noexcept { return pieces_[row / piece_rows]; }
    void end_row(std::size_t row, const std::vector<char>& piece) {
        if (piece.size() > std::numeric_limits<std::uint32_t>::max())
            throw std::length_error("more than 4 GiB of text in a few thousand rows");
        ends_[row] = static_cast<std::uint32_t>(piece.size());
    }
    bool needs_large() const noexcept { return size() > std::numeric_limits<std::int32_t>::max(); }
    // Frees each piece after copying it.
    void finish(arrow::chunk& into, bool large);

  private:
    std::size_t size() const noexcept;
    template <class Offset>
    void join(arrow::chunk& into);

    std::size_t rows_;
    std::vector<std::vector<char>> pieces_;
    std::shared_ptr<std::uint32_t[]> ends_;
};

// Replaces each byte after `from` that is not valid UTF-8 by U+FFFD, because Arrow text must be UTF-8.
void mend_utf8(std::vector<char>& text, std::size_t from);

// Append(answers, row, std::vector<char>&) appends the text of a row. Addresses without a route get `missed`.
template <class Append>
class text_builder final : public builder {
  public:
    text_builder(std::size_t rows, std::string missed, Append append)
        : rows_(rows), missed_(std::move(missed)), append_(std::move(append)), pieces_(rows) {}

    void take(const answers& block) override {
        std::vector<char>& piece = pieces_.piece_of(block.first);
        for (std::size_t i = 0; i < block.rows; ++i) {
            if (block.ids[i] != next_hop::none) {
                const std::size_t from = piece.size();
                append_(block, i, piece);
                mend_utf8(piece, from);
            } else if (!missed_.empty() && block.has_address(i)) {
                piece.insert(piece.end(), missed_.begin(), missed_.end());
            }
            pieces_.end_row(block.first + i, piece);
        }
    }
    bool needs_large() const noexcept override { return pieces_.needs_large(); }
    arrow::column_type type(bool large) const override {
        return {large ? arrow::kind::large_utf8 : arrow::kind::utf8, {}, {}};
    }
    std::shared_ptr<const arrow::chunk> finish(const valid_sink& valid, bool large) override {
        arrow::chunk result;
        result.type = type(large).type;
        result.length = rows_;
        result.nulls = valid.nulls();
        result.valid = valid.bits();
        pieces_.finish(result, large);
        return std::make_shared<const arrow::chunk>(std::move(result));
    }

  private:
    std::size_t rows_;
    std::string missed_;
    Append append_;
    text_pieces pieces_;
};

template <class Append>
std::unique_ptr<builder> make_text_builder(std::size_t rows, std::string missed, Append append) {
    return std::make_unique<text_builder<Append>>(rows, std::move(missed), std::move(append));
}

// Builds a struct from the chunks of other builders.
class struct_builder final : public builder {
  public:
    // With `with_nulls`, rows without a route are null; otherwise only their fields are null.
    struct_builder(std::size_t rows, bool with_nulls) : rows_(rows), with_nulls_(with_nulls) {}
    // Adds a field. `valid` is its bitmap if it differs from that of the struct.
    void add(std::string name, std::unique_ptr<builder> of, std::unique_ptr<valid_sink> valid = nullptr);

    void take(const answers& block) override;
    bool needs_large() const noexcept override;
    arrow::column_type type(bool large) const override;
    std::shared_ptr<const arrow::chunk> finish(const valid_sink& valid, bool large) override;

  private:
    struct part {
        std::string name;
        std::unique_ptr<builder> of;
        std::unique_ptr<valid_sink> valid;
    };
    std::size_t rows_;
    bool with_nulls_;
    std::vector<part> parts_;
};

} // namespace fingerpost::python
