//! The crates that are measured: how each is built from routes and asked for one address.

use std::net::{Ipv4Addr, Ipv6Addr};

use ip_network::{Ipv4Network, Ipv6Network};
use ip_network_table::IpNetworkTable;
use iptrie::map::RTrieMap;
use iptrie::{Ipv4Prefix, Ipv6Prefix};
use poptrie::Poptrie;
use prefix_trie::PrefixMap;

use crate::fail;
use crate::job::{Competitor, Job, Route, NO_ROUTE};

/// Makes a function that serves every crate for one family, as the crates have types and calls of their own for each.
macro_rules! serve_family {
    ($function:ident: $number:ty, $address:ty, $prefix:ty, $network:ty, $longest_match:ident) => {
        pub fn $function(name: &str, job: &Job) {
            const BITS: u8 = <$number>::BITS as u8;
            let address_of = |route: &Route| <$address>::from(route.number as $number);
            // The root matches every address, so its value is the answer where no route does.
            let patricia = |routes: &[Route]| {
                let mut map = RTrieMap::with_root(NO_ROUTE);
                for route in routes {
                    let prefix = <$prefix>::new(address_of(route), route.length);
                    map.insert(prefix.unwrap_or_else(|_| fail("iptrie refuses a prefix")), route.id);
                }
                map
            };
            match name {
                "prefix-trie" => job.serve(&Competitor::new("prefix-trie", "PrefixMap::get_lpm"), |routes| {
                    let mut map = PrefixMap::<($number, u8), u32>::new();
                    for route in routes {
                        map.insert((route.number as $number, route.length), route.id);
                    }
                    move |address: $number| map.get_lpm(&(address, BITS)).map_or(NO_ROUTE, |(_, id)| *id)
                }),
                "iptrie LC-trie" => job.serve(&Competitor::new("iptrie", "LCTrieMap::lookup"), |routes| {
                    let map = patricia(routes).compress();
                    move |address: $address| *map.lookup(&address).1
                }),
                "iptrie Patricia" => job.serve(&Competitor::new("iptrie", "RTrieMap::lookup"), |routes| {
                    let map = patricia(routes);
                    move |address: $address| *map.lookup(&address).1
                }),
                "poptrie" => job.serve(&Competitor::new("poptrie", "Poptrie::lookup"), |routes| {
                    let mut map = Poptrie::<($number, u8), u32>::new();
                    for route in routes {
                        map.insert((route.number as $number, route.length), route.id);
                    }
                    move |address: $number| map.lookup(address).copied().unwrap_or(NO_ROUTE)
                }),
                "ip_network_table" => {
                    let call = concat!("IpNetworkTable::", stringify!($longest_match));
                    job.serve(&Competitor::new("ip_network_table", call), |routes| {
                        let mut table = IpNetworkTable::new();
                        for route in routes {
                            let network = <$network>::new(address_of(route), route.length);
                            let network = network.unwrap_or_else(|_| fail("ip_network refuses a prefix"));
                            table.insert(network, route.id);
                        }
                        move |address: $address| table.$longest_match(address).map_or(NO_ROUTE, |(_, id)| *id)
                    })
                }
                _ => fail(&format!("no competitor {name}")),
            }
        }
    };
}

serve_family!(serve_ipv4: u32, Ipv4Addr, Ipv4Prefix, Ipv4Network, longest_match_ipv4);
serve_family!(serve_ipv6: u128, Ipv6Addr, Ipv6Prefix, Ipv6Network, longest_match_ipv6);
