//! Is this spelling just noise?
