//! Tells which addresses belong to the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is that of a service on the machine's own link: `169.254.0.0/16` and `fe80::/10`,
/// and the three addresses outside of them where clouds keep their metadata. No name is allowed these, not
/// even a seed's.
pub(super) fn is_link_local(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            address.is_link_local()
                || matches!(address.octets(), [100, 100, 100, 200] | [168, 63, 129, 16])
        }
        IpAddr::V6(address) => {
            let segments = address.segments();
            segments[0] & 0xffc0 == 0xfe80
                || segments == [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254]
                || embedded_v4(address).is_some_and(|inner| is_link_local(inner.into()))
        }
    }
}

/// Whether an address belongs to the public internet, by the special-purpose registries of RFC 6890 and its successors.
/// An IPv6 address that stands for an IPv4 address is judged as that IPv4 address.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || address.octets() == [168, 63, 129, 16] // a cloud's metadata, though of a public block
        || a == 0 // "this network"
        || a >= 240 // reserved, broadcast
        || a == 100 && (64..128).contains(&b) // shared by carriers (RFC 6598)
        || a == 192 && b == 0 && c == 0 // protocol assignments
        || a == 192 && b == 88 && c == 99 // 6to4 relays
        || a == 198 && (18..20).contains(&b)) // benchmarks
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    if let Some(inner) = embedded_v4(address) {
        return is_public_v4(inner);
    }
    match address.segments() {
        // Teredo, benchmarks, documentation
        [0x2001, 0 | 0xdb8, ..] | [0x2001, 2, 0, ..] => false,
        // Documentation (RFC 9637)
        [first, second, ..] if first == 0x3fff && second < 0x1000 => false,
        // Global unicast is 2000::/3; all else is local, reserved or multicast.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

/// The IPv4 address behind a NAT64 (RFC 6052) or 6to4 (RFC 3056) address.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            Some((u32::from(high) << 16 | u32::from(low)).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_public_is_known() {
        for text in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.100.100.200",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "192.0.0.192",
            "198.18.0.1",
            "240.0.0.1",
            "168.63.129.16",
            "2001:2::1",
            "3fff:fff::1",
            "::",
            "::1",
            "::127.0.0.1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001:0:1::1",
            "64:ff9b:1::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "1.1.1.1",
            "100.63.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "168.63.129.17",
            "2001:200::1",
            "3fff:1000::1",
            "2606:4700:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }
}
