// Compares the live table, through the C interface, with a model in random runs: every scheme and policy,
// stalled readers, held commits, and allocations that fail.
//
// FINGERPOST_MODEL_SECONDS sets the time for each case. FINGERPOST_MODEL_SEED repeats one run, by a seed that
// a test printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "tests/model/run_changes.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing::of_model {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// The seed of the current run, for the signal handler below.
std::uint64_t running_seed = 0;

// The signals of a crash and their previous handlers, because sanitizers install handlers too.
constexpr std::array crashes{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
std::array<struct sigaction, crashes.size()> handled_before{};

// Prints the seed when a run crashes. It calls only async-signal-safe functions. When it returns, the
// crashing instruction runs again and the previous handler takes the signal.
void tell_seed(int signal) {
    constexpr std::string_view before = "FINGERPOST_MODEL_SEED=", after = " repeats it\n";
    std::array<char, 64> words;
    char* end = std::copy(before.begin(), before.end(), words.begin());
    end = std::to_chars(end, words.end(), running_seed).ptr;
    end = std::copy(after.begin(), after.end(), end);
    (void)!write(STDERR_FILENO, words.data(), static_cast<std::size_t>(end - words.data()));
    for (std::size_t i = 0; i < crashes.size(); ++i)
        if (crashes[i] == signal)
            sigaction(signal, &handled_before[i], nullptr);
}

bool tell_seeds_of_crashes() {
    struct sigaction telling {};
    telling.sa_handler = tell_seed;
    for (std::size_t i = 0; i < crashes.size(); ++i)
        sigaction(crashes[i], &telling, &handled_before[i]);
    return true;
}

model_schemes schemes_of(int family) {
    model_schemes all;
    for (std::size_t i = 0; fingerpost_scheme_name(family, i) != nullptr; ++i) {
        fingerpost_options options{};
        const char* const name = fingerpost_scheme_name(family, i);
        (family == FINGERPOST_IPV4 ? options.ipv4 : options.ipv6).scheme = name;
        fingerpost_table* empty = nullptr;
        if (fingerpost_create(&options, &empty) != FINGERPOST_OK)
            continue;
        const bool is_large = fingerpost_memory(empty, nullptr) > (std::size_t{1} << 20);
        (is_large ? all.large : all.small).push_back(name);
        (void)fingerpost_destroy(empty);
    }
    return all;
}

model_choices choices() {
    model_choices all{schemes_of(FINGERPOST_IPV4), schemes_of(FINGERPOST_IPV6), {}};
    for (std::size_t i = 0; fingerpost_isa_name(i) != nullptr; ++i)
        all.isas.push_back(fingerpost_isa_name(i));
    return all;
}

TEST(Model, AnswersAsTheModelWhateverHappens) {
    const scratch_folder folder;
    const fs::path file = folder / "a.image";
    const model_choices among = choices();
    const std::uint64_t only = number_from("FINGERPOST_MODEL_SEED", 0);
    const std::chrono::seconds length(number_from("FINGERPOST_MODEL_SECONDS", all_samples() ? 40 : 6));
    // The seeds differ from day to day. Each run can be repeated by its seed.
    const auto first = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                                      std::chrono::system_clock::now().time_since_epoch())
                                                      .count());
    const auto end = std::chrono::steady_clock::now() + length;
    model_counts counts;
    [[maybe_unused]] static const bool tells = tell_seeds_of_crashes();
    // Slow machines run longer, until enough changes were made.
    const auto is_enough = [&] {
        return counts.runs >= scaled(200) && counts.runs_of_bytes >= scaled(50) &&
               counts.failed >= scaled(100) && counts.pinned_old >= scaled(500) &&
               counts.deferred >= scaled(500) && counts.images >= scaled(50);
    };
    for (std::uint64_t seed = only != 0 ? only : first;
         std::chrono::steady_clock::now() < end || !is_enough(); ++seed) {
        running_seed = seed;
        const std::string fault = model_run(seed, among, file, counts).run_changes();
        ASSERT_EQ(fault, "") << "FINGERPOST_MODEL_SEED=" << seed << " repeats it";
        if (only != 0)
            break;
    }
    std::cout << counts.runs << " runs, " << counts.runs_of_bytes << " of them with bytes, "
              << counts.operations << " operations, " << counts.failed
              << " of them refused for want of memory, " << counts.published << " publications, "
              << counts.deferred << " put off, " << counts.pinned_old << " readers behind, " << counts.images
              << " images, " << counts.compared << " answers compared\n";
    RecordProperty("runs", std::to_string(counts.runs));
}

} // namespace
} // namespace fingerpost::testing::of_model
