//! Lists: paged, sorted, filtered, endless.

use super::{
    Address,
    Difference::{All, Numbers, Order},
    Hope::{Both, Careful, Nothing},
    Kind, Shape,
};

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "paging",
        about: "pages of lists; the first is also the list without a number",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 330, |item| {
                item.base();
                item.same(item.url().with("page", 1));
                for page in 2..=6 {
                    item.other(item.url().with("page", page), All, page);
                }
            });
        },
    },
    Kind {
        name: "paging-session",
        about: "the same with a session at each link",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::List, 180, |item| {
                for page in 1..=5 {
                    for _ in 0..2 {
                        let url = item.url().with("page", page);
                        item.other(url.with("visit", item.draw.hex(8)), All, page);
                    }
                }
            });
        },
    },
    Kind {
        name: "paging-path",
        about: "`/page/2` and so on behind a list's path, `/page/1` being the list",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 330, |item| {
                item.base();
                item.same(item.url().suffix("page").suffix(1));
                for page in 2..=6 {
                    let url = item.url().suffix("page").suffix(page);
                    item.other(url, All, page);
                }
            });
        },
    },
    Kind {
        name: "beyond-the-end",
        about: "most lists have one page; higher numbers show it once more",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 450, |item| {
                let last = if item.draw.one_in(8) { 4 } else { 1 };
                for page in 1..=4 {
                    let url = item.url().with("page", page);
                    item.other(url, All, last.min(page));
                }
            });
        },
    },
    Kind {
        name: "offset-and-page",
        about: "`start=40` is `page=3`",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 220, |item| {
                item.base();
                for page in 2..=5 {
                    item.other(item.url().with("page", page), All, page);
                    item.other(item.url().with("start", 20 * (page - 1)), All, page);
                }
            });
        },
    },
    Kind {
        name: "sort-of-pages",
        about: "the first pages of six orders of a long list, each other rows",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 330, |item| {
                item.base();
                for sort in ["name", "date", "price", "rank", "size", "seller"] {
                    item.other(item.url().with("sort", sort), All, sort);
                }
            });
        },
    },
    Kind {
        name: "sort-mostly-short",
        about: "nine lists in ten have so few rows that the order changes nothing",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 330, |item| {
                let is_long = item.n % 10 == 4;
                item.base();
                for sort in ["name", "date", "price", "rank", "size", "seller"] {
                    let url = item.url().with("sort", sort);
                    if is_long {
                        item.other(url, All, sort);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "sort-of-rows",
        about: "all rows on one page, in four orders",
        hope: Nothing,
        make: |site| {
            site.usual();
            site.each(Shape::List, 450, |item| {
                item.base();
                for sort in ["name", "date", "price", "rank"] {
                    item.other(item.url().with("sort", sort), Order, sort);
                }
            });
        },
    },
    Kind {
        name: "rows-per-page",
        about: "numbers of rows that short lists do not have: the same for four lists in five",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 450, |item| {
                let is_long = item.n % 5 == 3;
                item.base();
                for rows in [20, 50, 100, 200] {
                    let url = item.url().with("rows", rows);
                    if is_long {
                        item.other(url, All, rows);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "facets",
        about: "colour, size and maker in all combinations, two thirds of which find nothing",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 40, |item| {
                item.base();
                for color in 0..5 {
                    for size in 0..4 {
                        for maker in 0..3 {
                            let url = item.url().with("color", color);
                            let url = url.with("size", size).with("maker", maker);
                            if item.draw.one_in(3) {
                                item.other(url, All, format!("{color} {size} {maker}"));
                            } else {
                                item.wall(url, "no goods");
                            }
                        }
                    }
                }
            });
        },
    },
    Kind {
        name: "facets-repeated",
        about: "`f=` twice, in either order, finds the same; other pairs find other goods",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 45, |item| {
                item.base();
                for one in 0..7 {
                    for other in 0..7 {
                        if one != other {
                            let url = item.url().with("f", one).with("f", other);
                            let pair = format!("{} {}", one.min(other), one.max(other));
                            item.other(url, All, pair);
                        }
                    }
                }
            });
        },
    },
    Kind {
        name: "calendar",
        about: "months without events are one page, months with some are one each",
        hope: Careful,
        make: |site| {
            site.usual();
            site.fill(Shape::Article, 400);
            site.each(Shape::List, 1300, |item| {
                let page = Address::new(item.url().host(), "calendar");
                let url = page.with("year", 1960 + item.n / 12);
                let url = url.with("month", item.n % 12 + 1);
                if item.n / 12 % 6 == 0 && item.draw.one_in(2) {
                    item.same(url);
                } else {
                    item.wall(url, "no events");
                }
            });
        },
    },
    Kind {
        name: "calendar-views",
        about: "four views of each day, of which two show the same",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 450, |item| {
                let page = Address::new(item.url().host(), "agenda");
                let day = page.with("day", 40_000 + item.n);
                for (view, content) in [("day", 1), ("list", 1), ("week", 2), ("month", 3)] {
                    item.other(day.clone().with("view", view), All, content);
                }
            });
        },
    },
    Kind {
        name: "search",
        about: "searches with a session; what is asked counts",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::List, 650, |item| {
                let form = Address::new(item.url().host(), "search");
                let form = form.with("q", item.url().last());
                for _ in 0..3 {
                    item.same(form.clone().with("visit", item.draw.hex(8)));
                }
            });
        },
    },
    Kind {
        name: "tags",
        about: "two tags in either order in the path",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 900, |item| {
                let (one, other) = (item.n % 60, 60 + item.n / 60);
                let host = item.url().host().to_owned();
                for (a, b) in [(one, other), (other, one)] {
                    item.same(Address::new(&host, &format!("tagged/t{a}/t{b}")));
                }
            });
        },
    },
    Kind {
        name: "next-of",
        about: "`after=7` of a gallery is the photo with the next number",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 900, |item| {
                let viewer = Address::new(item.url().host(), "viewer");
                let n = 5000 + item.n;
                item.same(viewer.clone().with("photo", n));
                item.same(viewer.with("after", n - 1));
            });
        },
    },
    Kind {
        name: "stations",
        about: "a table for each of nine hundred stations, the same words with other numbers",
        hope: Careful,
        make: |site| {
            site.usual();
            site.fill(Shape::Article, 600);
            site.each(Shape::Report, 1, |item| {
                for station in 0..900 {
                    item.other(item.url().with("station", station), Numbers, station);
                }
            });
        },
    },
    Kind {
        name: "stations-sessions",
        about: "the same for fewer stations, each table with two sessions",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Report, 1, |item| {
                for station in 0..520 {
                    let url = item.url().with("station", station);
                    item.other(url.clone(), Numbers, station);
                    for _ in 0..2 {
                        let visit = item.draw.hex(8);
                        item.other(url.clone().with("visit", visit), Numbers, station);
                    }
                }
            });
        },
    },
];
