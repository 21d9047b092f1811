//! The calendar: something happens in its first months, and nothing ever after.

use super::super::{answer::Answer, answer::Page, catalog::Catalog, route::Request};

pub(super) fn month(site: &Catalog, request: &Request<'_>) -> Answer {
    let year = request
        .number("year")
        .unwrap_or(Catalog::FIRST_YEAR as usize);
    let month = request.number("month").unwrap_or(1);
    let last = site.config.calendar_months.max(1) as usize - 1;
    let at = year
        .checked_sub(Catalog::FIRST_YEAR as usize)
        .and_then(|years| (years.checked_mul(12)?).checked_add(month.checked_sub(1)?));
    let Some(at) = at.filter(|&at| at <= last && month <= 12) else {
        return Answer::NotFound;
    };
    let mut page = Page::new("Calendar", Vec::new());
    page.heading = Some(format!("{month}/{year}"));
    if at < Catalog::BUSY_MONTHS as usize {
        for event in at * Catalog::EVENTS_A_MONTH..(at + 1) * Catalog::EVENTS_A_MONTH {
            let title = site.words(&format!("event {event}")).phrase(8);
            page.link(format!("/event?id={event}"), &title);
            page.lines
                .push(format!("On the {}th: {title}", 4 + event % 20));
        }
    } else {
        page.lines
            .push("No events are planned in this month.".into());
    }
    let link = |at: usize| {
        format!(
            "/calendar?year={}&month={}",
            Catalog::FIRST_YEAR as usize + at / 12,
            at % 12 + 1
        )
    };
    if at < last {
        page.link(link(at + 1), "Next month");
    }
    if at > 0 {
        page.link(link(at - 1), "Month before");
    }
    page.link(format!("{}&view=list", link(at)), "As a list");
    page.into()
}

pub(super) fn event(site: &Catalog, request: &Request<'_>) -> Answer {
    let Some(event) = request.number("id").filter(|&id| id < site.events) else {
        return Answer::NotFound;
    };
    let mut words = site.words(&format!("event {event}"));
    let mut page = Page::new(words.phrase(8), words.lines(4));
    page.link("/calendar", "Calendar");
    page.into()
}
