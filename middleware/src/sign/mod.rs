//! Are these two texts the same page?
