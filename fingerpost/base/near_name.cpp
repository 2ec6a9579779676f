// Damerau-Levenshtein distance, in the variant that swaps each pair of neighbouring letters at most once
// (optimal string alignment).
#include "fingerpost/base/near_name.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fingerpost {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
    // Rows i - 2, i - 1 and i of the distance table for prefixes of the two texts.
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            current[j] =
                std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1] ? 1U : 0U)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                current[j] = std::min(current[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(current);
    }
    return last[b.size()];
}

} // namespace

std::string near_name(std::string_view typed, std::span<const std::string> names) {
    // All names are shorter. The running time is proportional to the product of the lengths.
    constexpr std::size_t longest = 64;
    constexpr std::size_t least_beginning = 3;
    if (typed.size() > longest)
        return {};
    std::string nearest;
    // Twice the distance, plus one if the first letter differs, because people rarely mistype it.
    std::size_t least = 2 * (std::min<std::size_t>(typed.size() / 3, 2) + 1);
    for (const std::string& name : names) {
        const bool begins = typed.size() >= least_beginning && name.starts_with(typed);
        const std::size_t far = 2 * (begins ? 1 : distance(typed, name)) +
                                (typed.substr(0, 1) == std::string_view(name).substr(0, 1) ? 0 : 1);
        if (far < least) {
            least = far;
            nearest = name;
        }
    }
    return nearest;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> names) {
    const std::string near = near_name(typed, names);
    return near.empty() ? "" : "; did you mean " + near + "?";
}

} // namespace fingerpost
