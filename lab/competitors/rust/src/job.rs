//! What every crate is measured by: the three files, the check of all answers, and rounds of lookups.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Instant;

use crate::{fail, measured_heap::bytes_in_use};

pub const NO_ROUTE: u32 = u32::MAX;

/// Addresses between two looks at the clock, which is a call of the kernel.
const CHUNK: usize = 4096;

pub struct Route {
    /// Right aligned: an address of IPv4 has its bits in the last 32.
    pub number: u128,
    pub length: u8,
    pub id: u32,
}

/// An address as a crate wants it, made of its bytes in network order.
pub trait Address: Copy {
    fn of(bytes: &[u8]) -> Self;
    const WIDTH: usize;
}

impl Address for u32 {
    fn of(bytes: &[u8]) -> Self {
        u32::from_be_bytes(bytes.try_into().unwrap())
    }
    const WIDTH: usize = 4;
}

impl Address for u128 {
    fn of(bytes: &[u8]) -> Self {
        u128::from_be_bytes(bytes.try_into().unwrap())
    }
    const WIDTH: usize = 16;
}

impl Address for Ipv4Addr {
    fn of(bytes: &[u8]) -> Self {
        Ipv4Addr::from(u32::of(bytes))
    }
    const WIDTH: usize = 4;
}

impl Address for Ipv6Addr {
    fn of(bytes: &[u8]) -> Self {
        Ipv6Addr::from(u128::of(bytes))
    }
    const WIDTH: usize = 16;
}

/// What the report says of a crate: its name in Cargo.lock, and the call that is measured.
pub struct Competitor {
    package: &'static str,
    call: &'static str,
}

impl Competitor {
    pub fn new(package: &'static str, call: &'static str) -> Self {
        Self { package, call }
    }
}

pub struct Job {
    routes: Vec<Route>,
    trace: Vec<u8>,
    expected: Vec<u32>,
    timed: usize,
}

impl Job {
    pub fn read(routes: &str, trace: &str, expected: &str, timed: &str) -> Self {
        let words = read(expected);
        Self {
            routes: String::from_utf8_lossy(&read(routes)).lines().map(parse_route).collect(),
            trace: read(trace),
            expected: words.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect(),
            timed: timed.parse().unwrap_or_else(|_| fail(&format!("{timed}: not a number of addresses"))),
        }
    }

    /// Builds the table, checks it and measures until stdin ends.
    pub fn serve<A: Address, L: Fn(A) -> u32>(&self, competitor: &Competitor, build: impl FnOnce(&[Route]) -> L) {
        let addresses: Vec<A> = self.trace.chunks_exact(A::WIDTH).map(A::of).collect();
        if addresses.len() != self.expected.len() || self.timed < CHUNK || self.timed > addresses.len() {
            fail("the answers or the timed addresses do not fit the trace");
        }
        let before = bytes_in_use();
        let begun = Instant::now();
        let lookup = build(&self.routes);
        let build_ms = begun.elapsed().as_secs_f64() * 1e3;
        let bytes = bytes_in_use() - before;
        let wrong = addresses.iter().zip(&self.expected).filter(|(address, id)| lookup(**address) != **id).count();
        say(&format!(
            "{{\"version\": \"{}\", \"call\": \"{}\", \"language\": \"Rust\", \"bytes\": {bytes}, \
             \"bytes_kind\": \"allocated\", \"build_ms\": {build_ms:.3}, \"checked\": {}, \"wrong\": {wrong}}}",
            version_of(competitor.package),
            competitor.call,
            addresses.len(),
        ));
        let mut rounds = Rounds { addresses: &addresses[..self.timed], next: 0 };
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let ms: f64 = match line.strip_prefix("single ").map(str::parse) {
                Some(Ok(ms)) => ms,
                _ => fail(&format!("not understood: {line}")),
            };
            rounds.run_for(ms / 8e3, &lookup);
            say(&format!("{{\"mlps\": {:.6}}}", rounds.run_for(ms / 1e3, &lookup)));
        }
    }
}

struct Rounds<'a, A> {
    addresses: &'a [A],
    next: usize,
}

impl<A: Address> Rounds<'_, A> {
    /// Returns million lookups a second of CPU time. The next round goes on where this one ends.
    fn run_for(&mut self, wanted: f64, lookup: &impl Fn(A) -> u32) -> f64 {
        let begun = thread_seconds();
        let mut done = 0;
        loop {
            let chunk = &self.addresses[self.next..self.next + CHUNK];
            black_box(chunk.iter().fold(0u32, |sum, address| sum.wrapping_add(lookup(*address))));
            self.next = if self.next + 2 * CHUNK <= self.addresses.len() { self.next + CHUNK } else { 0 };
            done += CHUNK;
            let taken = thread_seconds() - begun;
            if taken >= wanted {
                return done as f64 / taken / 1e6;
            }
        }
    }
}

fn thread_seconds() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // It cannot fail: the clock exists, and `now` may be written.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|why| fail(&format!("{path}: {why}")))
}

fn parse_route(line: &str) -> Route {
    let parsed = line.split_once(' ').and_then(|(prefix, id)| {
        let (address, length) = prefix.split_once('/')?;
        let number = match address.parse().ok()? {
            IpAddr::V4(address) => u128::from(u32::from(address)),
            IpAddr::V6(address) => u128::from(address),
        };
        Some(Route { number, length: length.parse().ok()?, id: id.parse().ok()? })
    });
    parsed.unwrap_or_else(|| fail(&format!("`{line}` is not `PREFIX ID`")))
}

/// The version of a crate that this program was built with.
fn version_of(package: &str) -> &'static str {
    let heading = format!("name = \"{package}\"\nversion = \"");
    let lock = include_str!("../Cargo.lock");
    let begin =
        lock.find(&heading).map(|at| at + heading.len()).unwrap_or_else(|| fail(&format!("no crate {package}")));
    lock[begin..].split('"').next().unwrap_or_default()
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // A closed pipe means that the harness has ended.
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}
