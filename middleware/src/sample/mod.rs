//! Which few URLs stand for many?
