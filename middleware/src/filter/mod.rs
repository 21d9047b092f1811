//! Does the operator want it at all?
