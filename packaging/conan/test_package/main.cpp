// Uses the library as a user of the package does: the map, and the reader of files.
#include <cstdio>
#include <string>

#include <fingerpost/map/map.hpp>
#include <io/source/any_table.hpp>

int main() {
    fingerpost::map<std::string> sites;
    if (!sites.insert_or_assign(*fingerpost::parse_prefix("10.0.0.0/8"), "Zurich"))
        return 1;
    const std::string* site = sites.lookup(*fingerpost::parse_address("10.1.2.3"));
    std::puts(site == nullptr ? "none" : site->c_str());
    return fingerpost::io::load_table("/nonexistent") ? 1 : 0;
}
