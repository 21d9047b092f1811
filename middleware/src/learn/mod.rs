//! What do the pages teach us?
