// Looks up addresses in a table from a file, which may be compressed: example TABLE ADDRESS...
#include <cstdio>
#include <fingerpost/fingerpost.hpp>
#include <io/source/any_table.hpp>
#include <span>
#include <string_view>
#include <variant>

using namespace fingerpost;

template <class A>
static int answer(const io::loaded_table<A>& table, std::span<char*> addresses) {
    const auto fib = default_scheme<A>().build(routes<A>(table.routes), {});
    if (!fib)
        return 1;
    for (const char* const text : addresses) {
        const auto address = parse_address<A>(text);
        const next_hop found = address ? (*fib)->lookup(*address) : next_hop::none;
        const std::string_view name = found == next_hop::none ? "none" : table.values[found];
        std::printf("%s %.*s\n", text, static_cast<int>(name.size()), name.data());
    }
    return 0;
}

int main(int count, char** words) {
    const auto table = io::load_table(count > 1 ? words[1] : "-");
    if (!table) {
        std::fprintf(stderr, "%s\n", io::message(table.error()).c_str());
        return 1;
    }
    const std::span<char*> addresses(words + 2, count > 2 ? static_cast<std::size_t>(count) - 2 : 0);
    return std::visit([&](const auto& one) { return answer(one, addresses); }, *table);
}
