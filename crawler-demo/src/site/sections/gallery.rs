//! Galleries: short captions, and a `rel=canonical` that names the same page everywhere, wrongly.

use super::super::{answer::Answer, answer::Page, catalog::Catalog, route::Request};

pub(super) fn answer(site: &Catalog, request: &Request<'_>) -> Answer {
    let galleries = site.images.div_ceil(Catalog::PER_GALLERY);
    let Some(gallery) = request.number("gallery") else {
        let mut page = Page::new("Galleries", site.words("galleries").lines(2));
        for gallery in 0..galleries {
            page.link(
                format!("/gallery/?gallery={gallery}"),
                format!("Gallery {gallery}"),
            );
        }
        return page.into();
    };
    let images = gallery.saturating_mul(Catalog::PER_GALLERY)
        ..site.images.min(
            gallery
                .saturating_add(1)
                .saturating_mul(Catalog::PER_GALLERY),
        );
    if gallery >= galleries {
        return Answer::NotFound;
    }
    let caption = |image: usize| {
        format!(
            "Picture {image}: {}.",
            site.words(&format!("image {image}")).phrase(14)
        )
    };
    let mut page = match request.number("image") {
        Some(image) if images.contains(&image) => {
            Page::new(format!("Picture {image}"), vec![caption(image)])
        }
        Some(_) => return Answer::NotFound,
        None => Page::new(
            format!("Gallery {gallery}"),
            vec![format!(
                "Gallery {gallery}: {}.",
                site.words(&format!("gallery {gallery}")).phrase(30)
            )],
        ),
    };
    page.canonical = Some("/gallery/".into());
    for image in images {
        page.link(
            format!("/gallery/?gallery={gallery}&image={image}"),
            format!("Picture {image}"),
        );
    }
    page.into()
}
