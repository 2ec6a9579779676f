// Reads sets of addresses as `ipset save` prints them and `ipset restore` reads them.
//
//     create bad hash:net family inet hashsize 1024 maxelem 65536 comment
//     add bad 10.0.0.0/8 comment "a net"
//     add bad 10.1.0.0/16 nomatch
//     create few hash:ip family inet netmask 24
//     add few 192.0.2.0
//
// The value of a prefix is the name of its set. Sets of types hash:net, hash:ip and bitmap:ip are read;
// others are left out. Entries with `nomatch` are exceptions: they are cut out of the entries of their set,
// so lookups find no route of the set there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/ipset/exceptions.hpp"
#include "io/format/parts/fixed/fixed_reader.hpp"

namespace fingerpost::io {

class ipset_reader : public fixed_reader<ipset_reader> {
  public:
    ipset_reader(std::string file, const table_options& options);

  private:
    friend class fixed_reader<ipset_reader>;
    struct named_set {
        std::string name;
        family kind;
        bool holds_nets;        // the type is hash:net, whose entries may be exceptions
        unsigned netmask;       // length to which addresses are cut
        std::string other_type; // empty if all entries are addresses or networks
        std::size_t entries = 0;
        std::vector<set_entry<ipv4_address>> ipv4; // stored until the exceptions are known
        std::vector<set_entry<ipv6_address>> ipv6;
    };

    bool take_line(std::string_view line);
    bool take_end();
    bool create(std::string_view line, std::string_view rest);
    bool add_entry(std::string_view line, std::string_view rest);
    template <class A>
    bool add_as(std::string_view line, named_set& set, std::string_view text, bool is_exception,
                std::string comment);
    template <class A>
    bool add_nets(const named_set& set, std::vector<set_entry<A>> entries);
    named_set* find(std::string_view name);

    std::vector<named_set> sets_;
};

} // namespace fingerpost::io
