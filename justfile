# The commands of this project; CI calls `.ci/run`, which does the same.

default: ci

# Format everything.
fmt:
    cargo fmt --all

# Every lint, as in CI.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --all-features -- -D warnings

# The whole suite.
test:
    cargo test --workspace

# The documentation, warnings denied.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items

# The lower crates know no runtime and no network.
arrows:
    ! cargo tree -p nodust-frontier -e normal --prefix none | grep -E '^(tokio|hyper|reqwest) '
    ! cargo tree -p nodust-middleware -e normal --prefix none | grep -E '^(tokio|hyper|reqwest) '

# Benchmarks.
bench *ARGS:
    cargo bench -p nodust-benches {{ARGS}}

# Licences and sources of the dependencies (needs cargo-deny).
supply:
    cargo deny check bans licenses sources

# What CI runs, in the same order.
ci:
    .ci/run
