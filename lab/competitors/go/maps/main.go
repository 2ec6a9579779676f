// Times what a map from prefixes to values does, with bart: maps FAMILY ROUTES. Prints a JSON object of nanoseconds by
// operation, and of bytes a route. ../../maps/maps.py runs it beside ours.
package main

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gaissmai/bart"
)

const (
	lookups = 1 << 20
	queries = 1 << 16
	rounds  = 5
)

type route struct {
	prefix netip.Prefix
	value  int32
}

func readRoutes(path string) []route {
	bytes, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	var routes []route
	for _, line := range strings.Split(strings.TrimSpace(string(bytes)), "\n") {
		prefix, value, _ := strings.Cut(line, " ")
		number, err := strconv.ParseInt(value, 10, 32)
		if err != nil {
			panic(err)
		}
		routes = append(routes, route{netip.MustParsePrefix(prefix), int32(number)})
	}
	return routes
}

// The same numbers as in maps.cpp.
type random uint64

func (r *random) below(n uint64) uint64 {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return uint64(*r) % n
}

// The first address of a random route, with other bits in its last two bytes.
func addressIn(routes []route, r *random) netip.Addr {
	bytes := routes[r.below(uint64(len(routes)))].prefix.Addr().AsSlice()
	low := r.below(1 << 16)
	bytes[len(bytes)-2] ^= byte(low >> 8)
	bytes[len(bytes)-1] ^= byte(low)
	address, _ := netip.AddrFromSlice(bytes)
	return address
}

// The shortest time of some rounds, in nanoseconds for each of `count`.
func best(count int, run func()) float64 {
	least := time.Duration(1 << 62)
	for range rounds {
		start := time.Now()
		run()
		least = min(least, time.Since(start))
	}
	return float64(least.Nanoseconds()) / float64(count)
}

func heap() uint64 {
	var of runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&of)
	return of.HeapAlloc
}

func main() {
	routes := readRoutes(os.Args[2])
	random := random(88172645463325252)
	addresses := make([]netip.Addr, lookups)
	for i := range addresses {
		addresses[i] = addressIn(routes, &random)
	}
	results := map[string]float64{}
	before := heap()
	table := new(bart.Table[int32])
	results["fill"] = best(len(routes), func() {
		table = new(bart.Table[int32])
		for _, one := range routes {
			table.Insert(one.prefix, one.value)
		}
	})
	results["insert"] = results["fill"]
	results["bytes"] = float64(heap()-before) / float64(len(routes))
	sum := int64(0)
	results["lookup"] = best(lookups, func() {
		for _, address := range addresses {
			value, _ := table.Lookup(address)
			sum += int64(value)
		}
	})
	results["batch"] = results["lookup"]
	results["covering"] = best(queries, func() {
		for _, address := range addresses[:queries] {
			for _, value := range table.Supernets(netip.PrefixFrom(address, address.BitLen())) {
				sum += int64(value)
			}
		}
	})
	length := 16
	if os.Args[1] == "6" {
		length = 32
	}
	results["covered"] = best(queries/64, func() {
		for _, address := range addresses[:queries/64] {
			outer, _ := address.Prefix(length)
			for _, value := range table.Subnets(outer) {
				sum += int64(value)
			}
		}
	})
	results["clone"] = best(len(routes), func() { sum += int64(table.Clone().Size()) })
	// They count in both figures of the heap.
	runtime.KeepAlive(routes)
	fmt.Fprintln(os.Stderr, "sum", sum)
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}
