//! You have a frontier of your own: ask the chain which links of a page are worth having.
//!
//! Run it with `cargo run -p nodust-middleware --example chain_only`.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::collections::HashSet;

use nodust_middleware::{
    Config,
    frontier::{Batch, RawUrl, Slot, Via},
    standard_chain,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let page = "http://shop.example/list".parse()?;
    let chain = standard_chain(&Config::default(), std::slice::from_ref(&page))?;
    let links = [
        "item?id=7&utm_source=news",
        "item?id=7",
        "logo.png",
        "http://other.example/",
        "mailto:ann@shop.example",
    ]
    .map(RawUrl::new);

    let mut batch = Batch::default();
    chain.judge(&Via::page(&page), &links, &mut batch);
    let mut classes = HashSet::new();
    for (link, slot) in links.iter().zip(batch.slots()) {
        match slot {
            Slot::Live(new) if classes.insert(new.class_key()) => println!("fetch {}", new.url()),
            Slot::Live(_) => println!("skip  {}: its class is known", link.as_str()),
            Slot::Dropped(_, why) => println!("skip  {}: {why}", link.as_str()),
            Slot::Known => {}
        }
    }
    Ok(())
}
