//! The nodust command.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodust_crawler::cli::main()
}
