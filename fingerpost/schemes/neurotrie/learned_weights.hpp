// The weights of the learned chooser. lab/training/train_neurotrie.py writes learned_weights.cpp.
#pragma once

#include <cstddef>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::neurotrie::weights {

inline constexpr std::size_t prices = 17;
inline constexpr std::size_t inputs = 68;
inline constexpr std::size_t hidden = 32;
inline constexpr std::size_t outputs = 16;

// By ascending price: the logarithm of the price, then a, b and c of the value.
extern const double value[prices][4];

// The layers, with one row for each input.
extern const float first[inputs][hidden];
extern const float first_bias[hidden];
extern const float second[hidden][hidden];
extern const float second_bias[hidden];
extern const float third[hidden][outputs];
extern const float third_bias[outputs];

} // namespace fingerpost::neurotrie::weights
