// A directory tree like /sys/devices/system/cpu, for an imaginary machine.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "system/topology.hpp"

namespace fingerpost::system {

struct machine_shape {
    unsigned cores = 1;           // physical cores
    unsigned threads = 1;         // hyper-threads per core; core n has the CPU numbers n, n + cores, ...
    unsigned cores_per_cache = 0; // 0 means all
    unsigned cores_per_node = 0;  // 0 means all
};

class fake_machine {
  public:
    explicit fake_machine(machine_shape shape) : shape_(shape) {
        std::string name = (std::filesystem::temp_directory_path() / "fingerpost-cores-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
            std::abort();
        root_ = name;
        const unsigned all = shape.cores * shape.threads;
        write("online", "0-" + std::to_string(all - 1));
        for (unsigned core = 0; core < all; ++core)
            write_core(core);
    }
    ~fake_machine() { std::filesystem::remove_all(root_); }
    fake_machine(const fake_machine&) = delete;
    fake_machine& operator=(const fake_machine&) = delete;

    std::string root() const { return root_.string(); }
    std::vector<unsigned> cores() const {
        std::vector<unsigned> all(shape_.cores * shape_.threads);
        for (unsigned core = 0; core < all.size(); ++core)
            all[core] = core;
        return all;
    }
    topology read() const { return *read_topology(root(), cores()); }

    void write(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text << '\n';
    }
    void remove(const std::string& file) const { std::filesystem::remove_all(root_ / file); }

  private:
    // `count` physical cores starting at `first`, with all their hyper-threads.
    std::string threads_of(unsigned first, unsigned count) const {
        std::vector<unsigned> list;
        for (unsigned thread = 0; thread < shape_.threads; ++thread)
            for (unsigned core = first; core < first + count; ++core)
                list.push_back(core + thread * shape_.cores);
        return to_core_list(list);
    }

    void write_core(unsigned core) const {
        const std::string folder = "cpu" + std::to_string(core) + "/";
        const unsigned physical = core % shape_.cores;
        const unsigned per_cache = shape_.cores_per_cache == 0 ? shape_.cores : shape_.cores_per_cache;
        const unsigned per_node = shape_.cores_per_node == 0 ? shape_.cores : shape_.cores_per_node;
        write(folder + "topology/thread_siblings_list", threads_of(physical, 1));
        write(folder + "cache/index0/level", "1");
        write(folder + "cache/index0/type", "Data");
        write(folder + "cache/index0/shared_cpu_list", threads_of(physical, 1));
        write(folder + "cache/index1/level", "3");
        write(folder + "cache/index1/type", "Unified");
        write(folder + "cache/index1/shared_cpu_list",
              threads_of(physical / per_cache * per_cache, per_cache));
        std::filesystem::create_directories(root_ / folder / ("node" + std::to_string(physical / per_node)));
    }

    machine_shape shape_;
    std::filesystem::path root_;
};

} // namespace fingerpost::system
