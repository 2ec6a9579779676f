// The scores of strides, the inputs of the network, and the layers.
#include "fingerpost/schemes/neurotrie/learned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fingerpost/schemes/neurotrie/learned_weights.hpp"

namespace fingerpost::neurotrie {
namespace {

// Strides that are not below the height of a vertex have no children. Their inputs mark this, and they are
// not chosen.
constexpr double largest_log_score = 3;

double value_at(double log_price, unsigned column) noexcept {
    using weights::value;
    if (log_price <= value[0][0])
        return value[0][column];
    for (std::size_t i = 1; i < weights::prices; ++i)
        if (log_price < value[i][0]) {
            const double part = (log_price - value[i - 1][0]) / (value[i][0] - value[i - 1][0]);
            return value[i - 1][column] + part * (value[i][column] - value[i - 1][column]);
        }
    return value[weights::prices - 1][column];
}

template <std::size_t In, std::size_t Out>
void add_layer(const float (&weight)[In][Out], const float (&bias)[Out], const float* in,
               float* out) noexcept {
    std::copy_n(bias, Out, out);
    for (std::size_t i = 0; i < In; ++i)
        for (std::size_t o = 0; o < Out; ++o)
            out[o] += in[i] * weight[i][o];
}
void cut_below_zero(float* of, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i)
        of[i] = std::max(of[i], 0.0f);
}

} // namespace

learned_rule::learned_rule(const vertex_list& vertices, double price) noexcept
    : all_(vertices), price_(price), per_weight_(value_at(std::log(price), 1)),
      per_child_(value_at(std::log(price), 2)), per_inner_(value_at(std::log(price), 3)) {}

learned_rule::inputs learned_rule::inputs_of(const vertex& v) const noexcept {
    static_assert(input_count == weights::inputs);
    const auto bytes = all_.bytes(v), children = all_.children(v);
    const auto weights = all_.weights(v);
    const double weight = std::max(v.weight, 1e-3);
    inputs in;
    std::array<double, widest_stride> log_score;
    double least = std::numeric_limits<double>::infinity();
    double inner = v.inner - 1.0; // inner vertices at and below the children
    for (unsigned i = 0; i < v.strides; ++i) {
        const double below = per_weight_ * static_cast<double>(weights[i]) +
                             price_ * (per_child_ * children[i] + per_inner_ * inner);
        log_score[i] = std::log(std::max(price_ * bytes[i] + below + weight, 1e-9));
        least = std::min(least, log_score[i]);
        inner -= children[i];
    }
    for (unsigned i = 0; i < widest_stride; ++i) {
        const bool is_there = i < v.strides;
        const auto put = [&](unsigned which, double number) {
            in[which * widest_stride + i] = static_cast<float>(number);
        };
        put(0, is_there ? std::min(log_score[i] - least, largest_log_score) : largest_log_score);
        put(1, is_there ? static_cast<double>(weights[i]) / weight : 0.0);
        put(2, is_there ? std::log2(1.0 + children[i]) / 8 : 0.0);
        put(3, is_there ? std::clamp(std::log2(price_ * bytes[i] / weight), -12.0, 12.0) / 6 : 2.0);
    }
    float* const own = in.data() + per_stride * widest_stride;
    own[0] = static_cast<float>(std::log2(weight) / 8);
    own[1] = static_cast<float>(std::log2(static_cast<double>(v.inner)) / 8);
    own[2] = static_cast<float>(std::min<unsigned>(v.height, 64)) / 32;
    own[3] = static_cast<float>(std::log2(price_) / 8);
    return in;
}

unsigned learned_rule::stride(const vertex& of) const noexcept {
    if (of.strides == 1)
        return 1;
    const inputs in = inputs_of(of);
    std::array<float, weights::hidden> first, second;
    std::array<float, weights::outputs> logits;
    add_layer(weights::first, weights::first_bias, in.data(), first.data());
    cut_below_zero(first.data(), first.size());
    add_layer(weights::second, weights::second_bias, first.data(), second.data());
    cut_below_zero(second.data(), second.size());
    add_layer(weights::third, weights::third_bias, second.data(), logits.data());
    unsigned best = 0;
    for (unsigned i = 0; i < of.strides; ++i) {
        logits[i] -= 8 * in[i];
        if (logits[i] > logits[best])
            best = i;
    }
    return best + 1;
}

} // namespace fingerpost::neurotrie
