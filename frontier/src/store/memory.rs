//! A store in memory, for short crawls, replays and tests.
/// Stub.
#[derive(Debug, Default)]
pub struct MemoryStore;
