// Feeds bytes to the reader of MRT tables, writes the routes as an MRT file and reads that: the routes and
// their order must be equal. The reader of updates gets the bytes as well.
#include <cstdint>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

#include "fingerpost/net/text.hpp"
#include "fuzz/require.hpp"
#include "io/format/mrt/mrt_writer.hpp"
#include "io/source/mrt/mrt_table.hpp"
#include "io/source/update_stream.hpp"

namespace {

using namespace fingerpost;
using namespace fingerpost::io;

// A file in memory that has a name.
class memory_file {
  public:
    explicit memory_file(std::string_view bytes) : descriptor_(::memfd_create("fuzz", 0)) {
        require(descriptor_ >= 0);
        require(::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    }
    memory_file(const memory_file&) = delete;
    memory_file& operator=(const memory_file&) = delete;
    ~memory_file() { ::close(descriptor_); }
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  private:
    int descriptor_;
};

constexpr mrt_choice everything{{}, mrt_values::all};
const std::string_view substitutes[] = {"203.0.113.1", "2001:db8:ffff::1"};

template <class A>
std::string written_hop(std::string_view hop) {
    const bool is_four = A::bits == 32;
    if (parse_address<ipv6_address>(hop) || (is_four && parse_address<ipv4_address>(hop)))
        return std::string(hop);
    return std::string(substitutes[is_four ? 0 : 1]);
}

template <class A>
void write(const loaded_table<A>& table, mrt::table_writer& writer, std::string& out) {
    for (const route<A>& r : table.routes)
        require(writer.add(r.where, {table.values.cell(r.hop, 0), table.values.cell(r.hop, 3)}, out).empty());
}

template <class A>
void check(const loaded_table<A>& table, const loaded_table<A>& back) {
    require(table.routes.size() == back.routes.size());
    for (std::size_t i = 0; i < table.routes.size(); ++i) {
        const route<A>& r = table.routes[i];
        require(prefix<A>::is_canonical(r.where.base, r.where.length) && r.where.length <= A::bits);
        require(i == 0 || table.routes[i - 1].where < r.where);
        require(back.routes[i].where == r.where);
        require(back.values.cell(back.routes[i].hop, 0) == written_hop<A>(table.values.cell(r.hop, 0)));
        const std::string_view origin = table.values.cell(r.hop, 3);
        require(back.values.cell(back.routes[i].hop, 3) == (origin.empty() ? "64512" : origin));
    }
}

void round_trip(const both_tables& tables, mrt::reach_form reach) {
    mrt::writer_options options;
    options.reach = reach;
    options.ipv4_substitute = *parse_address<ipv4_address>(substitutes[0]);
    options.ipv6_substitute = *parse_address<ipv6_address>(substitutes[1]);
    mrt::table_writer writer(options);
    std::string out;
    writer.begin(out);
    write(tables.ipv4, writer, out);
    write(tables.ipv6, writer, out);
    mrt_report report;
    const memory_file file(out);
    const auto back = load_mrt_table(file.path(), {}, everything, &report);
    require(back && report.counted.damaged == 0);
    check(tables.ipv4, back->ipv4);
    check(tables.ipv6, back->ipv6);
}

struct counting final : update_receiver {
    std::uint64_t taken = 0;
    void begin(std::span<const std::string_view>) override {}
    void take(const update& one) override {
        ++taken;
        require(one.cells.size() == 4 || !one.announced);
    }
    void skip(const mrt::damage& where) override { require(where.size != 0); }
    void refuse(const input_error&) override { require(false); }
    void pause() override {}
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // The first byte selects the form to write; the seeds are those of fuzz_mrt.
    if (size < 2)
        return 0;
    const memory_file file(std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
    mrt_report report;
    if (const auto tables = load_mrt_table(file.path(), {}, everything, &report))
        round_trip(*tables, data[0] % 2 == 0 ? mrt::reach_form::next_hop : mrt::reach_form::whole);
    update_options options;
    options.choice = everything;
    options.format = update_format::mrt;
    counting updates;
    const auto read = read_updates(file.path(), options, updates);
    // Damaged compressed data must be refused by both readers at the same place, or by neither.
    require(read.updates == updates.taken);
    require(read.counted == report.counted);
    return 0;
}
