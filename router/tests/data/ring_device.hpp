// Devices made of rings, so that a test is at the other end of every wire.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_ring.h>

#include "router/tests/data/packets.hpp"

namespace fingerpost::router::testing {

// A device of two rings: packets that the test puts into `in` are received, and sent packets arrive in `out`.
class ring_device {
  public:
    explicit ring_device(unsigned queues) {
        test_pool(); // without the environment there are no rings
        static unsigned made_so_far = 0;
        const std::string name = "test" + std::to_string(made_so_far++);
        std::vector<rte_ring*> ins;
        std::vector<rte_ring*> outs;
        for (unsigned i = 0; i < queues; ++i) {
            ins.push_back(make_ring(name + "i" + std::to_string(i)));
            outs.push_back(make_ring(name + "o" + std::to_string(i)));
        }
        const int made = rte_eth_from_rings(name.c_str(), ins.data(), queues, outs.data(), queues, 0);
        EXPECT_GE(made, 0);
        number = static_cast<std::uint16_t>(made);
        const rte_eth_conf plain{};
        const auto count = static_cast<std::uint16_t>(queues);
        EXPECT_EQ(rte_eth_dev_configure(number, count, count, &plain), 0);
        for (std::uint16_t i = 0; i < count; ++i) {
            EXPECT_EQ(rte_eth_rx_queue_setup(number, i, 512, 0, nullptr, &test_pool()), 0);
            EXPECT_EQ(rte_eth_tx_queue_setup(number, i, 512, 0, nullptr), 0);
        }
        EXPECT_EQ(rte_eth_dev_start(number), 0);
        in = ins;
        out = outs;
    }
    ~ring_device() {
        rte_eth_dev_stop(number);
        rte_eth_dev_close(number);
        for (const auto& rings : {in, out})
            for (rte_ring* const ring : rings) {
                void* packet = nullptr;
                while (rte_ring_dequeue(ring, &packet) == 0)
                    rte_pktmbuf_free(static_cast<rte_mbuf*>(packet));
                rte_ring_free(ring);
            }
    }
    ring_device(const ring_device&) = delete;
    ring_device& operator=(const ring_device&) = delete;

    void put(const octets& bytes) {
        ASSERT_EQ(rte_ring_enqueue(in[0], make_direct_packet(bytes).release()), 0);
    }
    std::vector<octets> take() {
        std::vector<octets> frames;
        for (rte_ring* const ring : out) {
            void* packet = nullptr;
            while (rte_ring_dequeue(ring, &packet) == 0) {
                const packet_pointer owner(static_cast<rte_mbuf*>(packet));
                frames.push_back(bytes_of(*owner));
            }
        }
        return frames;
    }

    std::uint16_t number = 0;
    std::vector<rte_ring*> in;
    std::vector<rte_ring*> out;

  private:
    static rte_ring* make_ring(const std::string& name) {
        return rte_ring_create(name.c_str(), 4096, SOCKET_ID_ANY, 0);
    }
};

} // namespace fingerpost::router::testing
