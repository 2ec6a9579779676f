// Rows of at most 64 bits. The bar of a step starts below the row of its first bit, and continues in the next
// row.
#include "cli/explain/drawing/address_bits.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "cli/explain/drawing/forest.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli::drawing {
namespace {

constexpr double bit_height = 17;
constexpr double group_gap = 6;
constexpr double bar_height = 15;

std::vector<bool> bits_of(const explanation& e) {
    std::vector<bool> bits;
    const auto put = [&](const auto& address) {
        using A = std::remove_cvref_t<decltype(address)>;
        for (unsigned i = 0; i < A::bits; ++i)
            bits.push_back(slice(address, i, 1) != 0);
    };
    if (const auto address = parse_address(e.address))
        std::visit(put, *address);
    return bits;
}

class bits_writer {
  public:
    bits_writer(const explanation& e, const explained_lookup& lookup, double width)
        : tree_(lookup), steps_(lookup.steps), bits_(bits_of(e)), group_(e.family == family::ipv4 ? 8 : 16) {
        in_row_ = std::min<std::size_t>(bits_.size(), 64);
        constexpr double narrowest = 9;
        while (in_row_ > group_ && room(width) < narrowest)
            in_row_ /= 2;
        bit_width_ = in_row_ == 0 ? narrowest : std::min(room(width), 20.0);
    }

    piece draw() {
        piece out;
        for (std::size_t first = 0; first < bits_.size(); first += in_row_)
            put_row(out, first);
        out.height = y_;
        return out;
    }

  private:
    double room(double width) const {
        const auto gaps = static_cast<double>(in_row_ / group_) - 1;
        return (width - gaps * group_gap) / static_cast<double>(std::max<std::size_t>(in_row_, 1));
    }
    double left_of(std::size_t in_row) const {
        return static_cast<double>(in_row) * bit_width_ + static_cast<double>(in_row / group_) * group_gap;
    }
    // The step that uses this bit and the fewest others, because late steps often compare all bits.
    std::optional<std::size_t> taker_of(std::size_t bit) const {
        std::optional<std::size_t> taker;
        for (std::size_t i = 0; i < steps_.size(); ++i)
            if (steps_[i].first_bit <= bit && bit < std::size_t{steps_[i].first_bit} + steps_[i].bits)
                if (!taker || steps_[i].bits < steps_[*taker].bits)
                    taker = i;
        return taker;
    }

    void put_row(piece& out, std::size_t first) {
        const std::size_t end = std::min(bits_.size(), first + in_row_);
        for (std::size_t bit = first; bit < end; ++bit) {
            const double x = left_of(bit - first);
            const auto taker = taker_of(bit);
            out.open(taker ? "cell lit" : "cell", fmt::format("data-bit=\"{}\"{}{}", bit, taker ? " " : "",
                                                              taker ? tree_.lit_by(*taker) : ""));
            out.box({x, y_}, bit_width_, bit_height, "slot");
            out.text_middle({x + bit_width_ / 2, y_ + 12.5}, font::mono, bits_[bit] ? "1" : "0");
            out.close();
            out.width = std::max(out.width, x + bit_width_);
        }
        y_ += bit_height + 2;
        put_bars(out, first, end);
        y_ += 6;
    }

    void put_bars(piece& out, std::size_t first, std::size_t end) {
        constexpr std::size_t most = 8;
        std::vector<std::size_t> line_ends; // the bit at which each line of bars ends
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const std::size_t from = std::max<std::size_t>(first, steps_[i].first_bit);
            const std::size_t upto =
                std::min<std::size_t>(end, std::size_t{steps_[i].first_bit} + steps_[i].bits);
            if (steps_[i].bits < 2 || from >= upto)
                continue;
            const auto free =
                std::find_if(line_ends.begin(), line_ends.end(), [&](std::size_t t) { return t <= from; });
            const auto line = static_cast<std::size_t>(free - line_ends.begin());
            if (line == most)
                continue;
            if (free == line_ends.end())
                line_ends.push_back(0);
            line_ends[line] = upto;
            const double x = left_of(from - first), right = left_of(upto - 1 - first) + bit_width_;
            const double y = y_ + static_cast<double>(line) * (bar_height + 2);
            const std::string words = fmt::format("step {}", i + 1), number = std::to_string(i + 1);
            const bool fits = text_width(words, font::plain) + 4 <= right - x;
            out.open("cell lit", tree_.lit_by(i));
            out.box({x, y}, right - x, bar_height, "slot");
            if (fits || text_width(number, font::plain) <= right - x)
                out.text_middle({(x + right) / 2, y + 11.5}, font::plain, fits ? words : number);
            out.close();
        }
        y_ += static_cast<double>(line_ends.size()) * (bar_height + 2);
    }

    forest tree_;
    const std::vector<explained_step>& steps_;
    std::vector<bool> bits_;
    std::size_t group_;
    std::size_t in_row_ = 0;
    double bit_width_ = 0;
    double y_ = 0;
};

} // namespace

piece address_bits(const explanation& e, const explained_lookup& lookup, double width) {
    return bits_writer(e, lookup, width).draw();
}

} // namespace fingerpost::cli::drawing
