//! What was found, dropped, fetched and saved?
