//! The nodust command once more, under a name that the tests of this package are given the path of: cargo
//! tells a test only where the binaries of its own package lie.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodust_crawler::cli::main()
}
