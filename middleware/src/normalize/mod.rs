//! Which page is this really?
