//! Claims that hold wherever a page or a host is found: names that count alone, ids with titles, hosts of one domain.

use super::*;

#[test]
fn of_a_page_with_a_name_of_its_own_no_folder_matters_where_none_did() {
    let folders = ["red", "sale", "home", "new", "big"];
    let link = |id: u64, visit: u64| {
        let at = |n: u64| folders[((id + 3 * visit + n) % 5) as usize];
        match visit % 3 {
            0 => format!("http://e.org/{}/lamp-{id}.html", at(0)),
            1 => format!("http://e.org/{}/{}/lamp-{id}.html", at(0), at(1)),
            _ => format!("http://e.org/{}/{}/{}/lamp-{id}.html", at(0), at(1), at(2)),
        }
    };
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 100..300 {
        for visit in 0..3 {
            see(&mut site, &link(id, visit), id);
        }
    }
    see(&mut site, &link(900, 0), 900);
    let said = |url: &str| Some(site.record(site.predict(url)?.belief)?.text);
    let text = said(&link(900, 2)).expect("its page was fetched");
    assert!(text.starts_with("folders are ignored | "), "{text}");
    assert_eq!(said("http://e.org/red/sale/about.html"), None);
    assert_eq!(said("http://e.org/red/sale/lamp-901.html"), None);
}

#[test]
fn what_hosts_of_one_domain_have_in_common_is_acted_upon_after_a_few_pages_of_a_host() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let link = |host: u64, id: u64| format!("http://h{host}x.e.org/story/{id}");
    for host in 0..20 {
        for id in 0..10 {
            let page = 100 * host + id;
            see(&mut site, &link(host, id), page);
            see(
                &mut site,
                &format!("{}?ref={}", link(host, id), 7 * page),
                page,
            );
        }
    }
    let said = |site: &Site, url: &str| Some(site.record(site.predict(url)?.belief)?.text);
    let add = |site: &mut Site, id: u64, page: u64| {
        see(site, &link(30, id), 3000 + id);
        see(site, &format!("{}?ref={page}", link(30, id)), page);
    };
    see(&mut site, &link(30, 99), 3099);
    let next = format!("{}?ref=7", link(30, 99));
    assert_eq!(said(&site, &next), None, "nothing was seen of this host");
    for id in 0..4 {
        add(&mut site, id, 3000 + id);
    }
    let text = said(&site, &next).expect("it confirmed what holds elsewhere");
    assert!(text.starts_with("ref is ignored | domain | "), "{text}");
    add(&mut site, 5, 4000);
    assert_eq!(said(&site, &next), None, "it holds no more on this host");
}

#[test]
fn an_id_stands_for_its_page_whatever_the_title_beside_it_says() {
    let long = |id: u64| format!("http://e.org/questions/{id}/why-not-{}", id % 7);
    let short = |id: u64| format!("http://e.org/q/{id}");
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 100..300 {
        see(&mut site, &short(id), id);
        see(&mut site, &long(id), id);
    }
    see(&mut site, &short(900), 900);
    let said = |url: &str| Some(site.record(site.predict(url)?.belief)?.text);
    let text = said(&long(900)).expect("its page was fetched by the id alone");
    assert!(
        text.starts_with("/questions/{x}/{title} = /q/{x} | "),
        "{text}"
    );
    assert_eq!(said(&long(901)), None, "no page stands for it");
    assert_eq!(said("http://e.org/answers/900/why-not"), None);
}

#[test]
fn where_an_id_is_that_of_another_thing_nothing_is_believed() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 100..300 {
        see(&mut site, &format!("http://e.org/q/{id}"), id);
        let page = if id % 10 == 3 { 5000 + id } else { id };
        see(
            &mut site,
            &format!("http://e.org/questions/{id}/why-not"),
            page,
        );
    }
    see(&mut site, "http://e.org/q/900", 900);
    assert_eq!(site.predict("http://e.org/questions/900/why-not"), None);
}

#[test]
fn a_script_that_shows_what_another_shows_is_an_alias_beside_parameters_that_it_was_tried_with() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 100..300 {
        see(&mut site, &format!("http://e.org/show.php?t={id}"), id);
        see(&mut site, &format!("http://e.org/print.php?t={id}"), id);
    }
    see(&mut site, "http://e.org/show.php?t=900", 900);
    see(&mut site, "http://e.org/show.php?user=900", 901);
    assert!(site.predict("http://e.org/print.php?t=900").is_some());
    assert_eq!(site.predict("http://e.org/print.php?user=900"), None);
}
