//! Would this page be a copy?
