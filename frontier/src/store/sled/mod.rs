//! A store on disk.
/// x
#[derive(Debug)]
pub struct SledStore;
