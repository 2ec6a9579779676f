//! Measures lookups of longest-prefix-match crates, in the form in which all competitors are measured (../README.md).
//!
//!     competitor CRATE FAMILY ROUTES TRACE EXPECTED TIMED
//!
//! Builds the table, compares every answer, prints a JSON line of facts, and then answers each line of stdin, `single MS`,
//! with the speed of one round of that many milliseconds, {"mlps": SPEED}.

mod crates;
mod job;
mod measured_heap;

#[global_allocator]
static HEAP: measured_heap::MeasuredHeap = measured_heap::MeasuredHeap;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, name, family, routes, trace, expected, timed] = arguments.as_slice() else {
        fail("usage: competitor CRATE FAMILY ROUTES TRACE EXPECTED TIMED");
    };
    let job = job::Job::read(routes, trace, expected, timed);
    match family.as_str() {
        "4" => crates::serve_ipv4(name, &job),
        "6" => crates::serve_ipv6(name, &job),
        _ => fail(&format!("{family}: a family is 4 or 6")),
    }
}

fn fail(reason: &str) -> ! {
    eprintln!("competitor: {reason}");
    std::process::exit(1);
}
