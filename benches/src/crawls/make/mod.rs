//! How is a site made whose duplicates are known?
//!
//! A [`Site`] is filled part by part: a [`Shape`] gives addresses and texts, a closure says for each page which
//! [`Address`]es show it, and which show something that only looks like it. [`Site::finish`] lists and links them.

mod address;
mod draw;
mod finish;
mod item;
mod shape;
mod site;
mod text;

pub use address::Address;
pub use draw::Draw;
pub use item::{Item, Spelling};
pub use shape::{FOLDERS, Shape, capital};
pub use site::Site;
pub use text::Difference;
