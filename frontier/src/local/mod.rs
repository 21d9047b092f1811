//! A frontier in one process: chain, store and rotation of hosts.
/// Stub.
#[derive(Debug)]
pub struct LocalFrontier;
/// Stub.
#[derive(Debug)]
pub struct LocalFrontierBuilder;
