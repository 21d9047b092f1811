//! The shop: sessions in the query, sorted shelves, two languages, parts that differ in one line.

use super::{
    super::{answer::Answer, answer::Page, catalog::Catalog, route::Request},
    moved,
};

pub(super) fn answer(site: &Catalog, request: &Request<'_>, rest: &str) -> Answer {
    match (rest, request.number("id")) {
        ("", _) if !request.path.ends_with('/') => moved("/shop/"),
        ("", _) => front(site),
        ("shelf", Some(id)) if id * Catalog::PER_SHELF < site.items => shelf(site, request, id),
        ("item", Some(id)) if id < site.items => item(site, request, id),
        ("part", Some(id)) if id < site.parts => part(site, id),
        _ => Answer::NotFound,
    }
}

/// A link that carries a session, which depends on where it stands.
fn with_session(site: &Catalog, source: &str, target: &str) -> String {
    let sid = site.token(source, target);
    format!("{target}&sid={sid}")
}

fn front(site: &Catalog) -> Answer {
    let mut page = Page::new("Shop", site.words("shop").lines(3));
    for id in 0..site.items.div_ceil(Catalog::PER_SHELF) {
        page.link(
            with_session(site, "shop", &format!("/shop/shelf?id={id}")),
            format!("Shelf {id}"),
        );
    }
    for id in (0..site.parts).step_by(10) {
        page.link(format!("/shop/part?id={id}"), format!("Part {id}"));
    }
    page.into()
}

fn shelf(site: &Catalog, request: &Request<'_>, id: usize) -> Answer {
    let mut items: Vec<_> =
        (id * Catalog::PER_SHELF..site.items.min((id + 1) * Catalog::PER_SHELF)).collect();
    let name = |item: usize| site.words(&format!("item {item}")).phrase(6);
    match request.get("sort") {
        Some("name") => items.sort_by_key(|&item| name(item)),
        Some("price") => items.sort_by_key(|&item| price(site, item)),
        _ => {}
    }
    if request.get("order") == Some("desc") {
        items.reverse();
    }
    let mut page = Page::new(format!("Shelf {id}"), Vec::new());
    let here = format!("shelf {id}");
    for item in items {
        page.lines.push(format!(
            "{} for {} shillings",
            name(item),
            price(site, item)
        ));
        page.link(
            with_session(site, &here, &format!("/shop/item?id={item}")),
            name(item),
        );
    }
    for sort in ["name", "price"] {
        for order in ["asc", "desc"] {
            page.link(
                format!("/shop/shelf?id={id}&sort={sort}&order={order}"),
                format!("Sort by {sort}, {order}"),
            );
        }
    }
    page.into()
}

fn price(site: &Catalog, item: usize) -> usize {
    5 + site.words(&format!("price {item}")).below(900)
}

fn item(site: &Catalog, request: &Request<'_>, id: usize) -> Answer {
    let translated = id.is_multiple_of(3);
    let german = translated && request.get("lang") == Some("de");
    let place = format!("item {id}");
    let text = if german {
        format!("item {id} in German")
    } else {
        place.clone()
    };
    let mut page = Page::new(format!("Item {id}"), site.words(&text).lines(4));
    page.lines.push(format!("{} shillings", price(site, id)));
    if translated {
        page.link(format!("/shop/item?id={id}&lang=de"), "Deutsch");
        page.link(format!("/shop/item?lang=de&id={id}"), "In German");
        page.link(format!("/shop/item?id={id}&lang=en"), "English");
    }
    for n in 0..2 {
        let other = site
            .words(&format!("{place} goes with {n}"))
            .below(site.items);
        page.link(
            with_session(site, &place, &format!("/shop/item?id={other}")),
            format!("Goes with item {other}"),
        );
    }
    page.link(format!("/login?next=/shop/item%3Fid={id}"), "Log in to buy");
    page.into()
}

/// Parts share all lines but one.
fn part(site: &Catalog, id: usize) -> Answer {
    let mut lines = site.words("every part").lines(6);
    lines.push(format!(
        "Part {id}: {} by {} mm, {}.",
        10 + site.words(&format!("part {id} height")).below(900),
        10 + site.words(&format!("part {id} width")).below(900),
        site.words(&format!("part {id}")).phrase(5)
    ));
    let mut page = Page::new(format!("Part {id}"), lines);
    let first = id / 10 * 10;
    for other in first..site.parts.min(first + 10) {
        page.link(format!("/shop/part?id={other}"), format!("Part {other}"));
    }
    page.into()
}
