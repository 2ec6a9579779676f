// Writes an image of one family of a table with a fixed hash seed, so that the bytes are reproducible
// (tools/goldens).
//
//      compose_image 4|6 TABLE >IMAGE
#include <cstdio>
#include <string_view>
#include <utility>

#include "fingerpost/image/image.hpp"
#include "io/source/any_table.hpp"

namespace {

using namespace fingerpost;

template <class A>
bool write_image(io::loaded_table<A> table) {
    const routes<A> sorted(std::move(table.routes));
    const auto image = fingerpost::image<A>::compose(sorted, {.hash_seed = 1}, table.values.view());
    return image && std::fwrite(image->data(), 1, image->size(), stdout) == image->size();
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3)
        return 2;
    auto tables = io::load_both(argv[2]);
    if (!tables)
        return 1;
    const bool written = argv[1] == std::string_view("4") ? write_image(std::move(tables->ipv4))
                                                          : write_image(std::move(tables->ipv6));
    return written && std::fflush(stdout) == 0 ? 0 : 1;
}
