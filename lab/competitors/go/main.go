// Measures lookups of longest-prefix-match packages of Go, in the form in which all competitors are measured (../README.md).
//
//	competitor Table|Fast FAMILY ROUTES TRACE EXPECTED TIMED
//
// Builds the table, compares every answer, prints a JSON line of facts, and then answers each line of stdin, `single MS`,
// with the speed of one round of that many milliseconds, {"mlps": SPEED}.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/gaissmai/bart"
)

const (
	noRoute = ^uint32(0)
	// Addresses between two looks at the clock, which is a call of the kernel.
	chunk   = 4096
	library = "github.com/gaissmai/bart"
	// CLOCK_THREAD_CPUTIME_ID of Linux, which the standard library does not name.
	threadClock = 3
)

type route struct {
	prefix netip.Prefix
	id     uint32
}

// Answers some addresses, and returns a sum of the answers, so that the compiler keeps them.
type lookUp func(addresses []netip.Addr) uint32

// A built table: one call, and the loop of it that is timed.
type table struct {
	lookup func(netip.Addr) uint32
	loop   lookUp
}

// The two loops are written out: a call by an interface would be measured with the lookup.
func buildTable(routes []route) table {
	made := new(bart.Table[uint32])
	for _, one := range routes {
		made.Insert(one.prefix, one.id)
	}
	return table{
		func(address netip.Addr) uint32 { return idOf(made.Lookup(address)) },
		func(addresses []netip.Addr) uint32 {
			sum := uint32(0)
			for _, address := range addresses {
				sum += idOf(made.Lookup(address))
			}
			return sum
		},
	}
}

func buildFast(routes []route) table {
	made := new(bart.Fast[uint32])
	for _, one := range routes {
		made.Insert(one.prefix, one.id)
	}
	return table{
		func(address netip.Addr) uint32 { return idOf(made.Lookup(address)) },
		func(addresses []netip.Addr) uint32 {
			sum := uint32(0)
			for _, address := range addresses {
				sum += idOf(made.Lookup(address))
			}
			return sum
		},
	}
}

func idOf(id uint32, found bool) uint32 {
	if found {
		return id
	}
	return noRoute
}

func must[T any](value T, err error) T {
	if err != nil {
		fail(err)
	}
	return value
}

func fail(reason any) {
	fmt.Fprintln(os.Stderr, "competitor:", reason)
	os.Exit(1)
}

func readRoutes(path string) []route {
	var routes []route
	for _, line := range strings.Split(strings.TrimSpace(string(must(os.ReadFile(path)))), "\n") {
		prefix, id, _ := strings.Cut(line, " ")
		routes = append(routes, route{must(netip.ParsePrefix(prefix)), uint32(must(strconv.ParseUint(id, 10, 32)))})
	}
	return routes
}

func readTrace(path string, family int) []netip.Addr {
	width := 16
	if family == 4 {
		width = 4
	}
	bytes := must(os.ReadFile(path))
	addresses := make([]netip.Addr, 0, len(bytes)/width)
	for ; len(bytes) >= width; bytes = bytes[width:] {
		address, _ := netip.AddrFromSlice(bytes[:width])
		addresses = append(addresses, address)
	}
	return addresses
}

func threadSeconds() float64 {
	var now syscall.Timespec
	// It cannot fail: the clock exists, and `now` may be written.
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&now)), 0)
	return float64(now.Nano()) / 1e9
}

var sink uint32

// Returns million lookups a second of CPU time, and where the next round goes on.
func runFor(wanted float64, loop lookUp, addresses []netip.Addr, next int) (float64, int) {
	begun := threadSeconds()
	for done := chunk; ; done += chunk {
		sink += loop(addresses[next : next+chunk])
		next += chunk
		if next+chunk > len(addresses) {
			next = 0
		}
		if taken := threadSeconds() - begun; taken >= wanted {
			return float64(done) / taken / 1e6, next
		}
	}
}

func heapBytes() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func versionOf(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == module {
				return strings.TrimPrefix(dependency.Version, "v")
			}
		}
	}
	return "unknown"
}

func answer(facts any) {
	fmt.Println(string(must(json.Marshal(facts))))
}

func main() {
	// The clock is that of this thread, and the harness pins the process by its first thread.
	runtime.LockOSThread()
	if len(os.Args) != 7 {
		fail("usage: competitor Table|Fast FAMILY ROUTES TRACE EXPECTED TIMED")
	}
	builders := map[string]func([]route) table{"Table": buildTable, "Fast": buildFast}
	build, known := builders[os.Args[1]]
	if !known {
		fail("no competitor " + os.Args[1])
	}
	routes := readRoutes(os.Args[3])
	addresses := readTrace(os.Args[4], must(strconv.Atoi(os.Args[2])))
	expected := must(os.ReadFile(os.Args[5]))
	timed := must(strconv.Atoi(os.Args[6]))
	if len(expected) != 4*len(addresses) || timed < chunk || timed > len(addresses) {
		fail(os.Args[5] + ": its answers or the timed addresses do not fit the trace")
	}

	before := heapBytes()
	begun := time.Now()
	built := build(routes)
	buildMs := time.Since(begun).Seconds() * 1e3
	bytes := heapBytes() - before
	wrong := 0
	for i, address := range addresses {
		if built.lookup(address) != binary.LittleEndian.Uint32(expected[4*i:]) {
			wrong++
		}
	}
	answer(map[string]any{
		"version": versionOf(library), "call": "Lookup(netip.Addr)", "language": "Go",
		"bytes": bytes, "bytes_kind": "heap after garbage collection", "build_ms": buildMs,
		"checked": len(addresses), "wrong": wrong,
	})

	next, mlps := 0, 0.0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var ms float64
		if _, err := fmt.Sscanf(lines.Text(), "single %g", &ms); err != nil {
			fail("not understood: " + lines.Text())
		}
		_, next = runFor(ms/8e3, built.loop, addresses[:timed], next)
		mlps, next = runFor(ms/1e3, built.loop, addresses[:timed], next)
		answer(map[string]any{"mlps": mlps})
	}
	runtime.KeepAlive(routes)
}
