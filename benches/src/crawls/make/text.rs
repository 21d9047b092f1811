//! What does a page say?
//!
//! Words are made of syllables, some of them much more frequent than others, and stand in lines as the text of a
//! rendered page does. A content that differs from another in part only is made of that one, so that a label tells
//! exactly what two pages share.

use std::ops::RangeInclusive;

use super::draw::Draw;

/// Words that a site can say.
const VOCABULARY: usize = 4000;

/// Lines of a pool.
const POOL: usize = 60;

/// One of the lines of which all pages of a pool are made.
fn line_of_pool(number: usize) -> String {
    words(&Draw::named(number as u64, "line of the pool"), 8)
}

/// Number of a word; low ones are drawn more often than high ones.
fn number(draw: &Draw) -> usize {
    draw.below(draw.below(VOCABULARY) + 1)
}

/// A word.
pub(super) fn word(draw: &Draw) -> String {
    words(draw, 1)
}

/// Writes the word with this number.
fn spell(number: usize, text: &mut String) {
    const ONSETS: [&str; 16] = [
        "b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr",
    ];
    const RHYMES: [&str; 8] = ["a", "e", "i", "o", "an", "er", "ol", "is"];
    let mut rest = number + 16;
    while rest > 0 {
        text.push_str(ONSETS[rest % 16]);
        text.push_str(RHYMES[(rest / 16) % 8]);
        rest /= 128;
    }
}

/// So many words with blanks between them.
pub(super) fn words(draw: &Draw, many: usize) -> String {
    let mut text = String::with_capacity(6 * many);
    for at in 0..many {
        if at > 0 {
            text.push(' ');
        }
        spell(number(draw), &mut text);
    }
    text
}

/// How a text is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Lines of six to fourteen words.
    Prose,
    /// A table of names and numbers.
    Figures,
    /// A list: each line a name and some words.
    Rows,
    /// Some of a few lines, which are all that any page of it says.
    Pool,
}

/// In what a content differs from the one that it was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Everything, the title included.
    All,
    /// So many lines.
    Lines(usize),
    /// One word of one line.
    Word,
    /// Each number.
    Numbers,
    /// The order of the lines.
    Order,
    /// Every second line is not there.
    Half,
    /// So many lines more at the end.
    More(usize),
}

/// A content: what its pages are labelled by and what they say.
#[derive(Clone, Debug)]
pub(super) struct Content {
    /// The page that it was made of.
    pub(super) origin: String,
    /// In what it differs from that, and the name of this variant.
    pub(super) variant: Option<(Difference, String)>,
    /// How it is built.
    pub(super) form: Form,
    /// Words of it.
    pub(super) words: RangeInclusive<usize>,
}

impl Content {
    /// What stands instead of pages, by its name.
    pub(super) fn wall(name: &str) -> Self {
        Self {
            origin: format!("wall/{name}"),
            variant: None,
            form: Form::Prose,
            words: 30..=70,
        }
    }

    /// Name of the content: pages that have it are the same page.
    pub(super) fn label(&self) -> String {
        match &self.variant {
            None => self.origin.clone(),
            Some((_, name)) => format!("{}#{name}", self.origin),
        }
    }

    /// Title of the page.
    pub(super) fn title(&self, seed: u64) -> String {
        if self.form == Form::Pool {
            return line_of_pool(POOL);
        }
        let label = self.label();
        let from = match &self.variant {
            Some((Difference::All, _)) => &label,
            _ => &self.origin,
        };
        let draw = Draw::named(seed, &format!("title of {from}"));
        words(&draw, draw.between(3..=6))
    }

    /// Title and main text, in lines.
    pub(super) fn lines(&self, seed: u64) -> Vec<String> {
        let draw = Draw::named(seed, &self.label());
        let mut lines = vec![self.title(seed)];
        let Some((difference, _)) = &self.variant else {
            lines.extend(self.body(&draw));
            return lines;
        };
        let origin = self.body(&Draw::named(seed, &self.origin));
        let changed = self.change(origin.clone(), *difference, &draw);
        let is_changed = changed != origin;
        lines.extend(changed);
        if !is_changed {
            lines.push(words(&draw, 8));
        }
        lines
    }

    fn change(&self, mut lines: Vec<String>, difference: Difference, draw: &Draw) -> Vec<String> {
        match difference {
            Difference::All => return self.body(draw),
            Difference::Lines(many) => {
                for _ in 0..many {
                    let at = draw.below(lines.len());
                    lines[at] = self.line(draw);
                }
            }
            Difference::Word => {
                let at = draw.below(lines.len());
                let mut said: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
                let which = draw.below(said.len());
                said[which].clear();
                spell(VOCABULARY + draw.below(1 << 24), &mut said[which]);
                lines[at] = said.join(" ");
            }
            Difference::Numbers => {
                for line in &mut lines {
                    let said: Vec<String> = (line.split(' '))
                        .map(|word| match word.parse::<usize>() {
                            Ok(_) => draw.below(10_000).to_string(),
                            Err(_) => word.to_owned(),
                        })
                        .collect();
                    *line = said.join(" ");
                }
            }
            Difference::Order => draw.shuffle(&mut lines),
            Difference::Half => {
                lines = lines.into_iter().step_by(2).collect();
            }
            Difference::More(many) => lines.extend((0..many).map(|_| self.line(draw))),
        }
        lines
    }

    fn body(&self, draw: &Draw) -> Vec<String> {
        let wanted = draw.between(self.words.clone());
        let (mut lines, mut said) = (Vec::<String>::new(), 0);
        while said < wanted {
            let line = self.line(draw);
            if self.form == Form::Pool && lines.contains(&line) {
                continue;
            }
            said += line.split(' ').count();
            lines.push(line);
        }
        lines
    }

    fn line(&self, draw: &Draw) -> String {
        match self.form {
            Form::Prose => {
                let mut line = words(draw, draw.between(6..=14));
                if draw.one_in(4) {
                    line = format!("{line} {}", draw.between(2..=2000));
                }
                line
            }
            Form::Figures => format!(
                "{} {} {}",
                words(draw, 2),
                draw.below(10_000),
                draw.below(10_000)
            ),
            Form::Pool => line_of_pool(draw.below(POOL)),
            Form::Rows => format!("{} {}", words(draw, 5), draw.below(10_000)),
        }
    }
}

/// What stands on many pages of a site: header and menu above, and the footer below.
pub(super) fn chrome(seed: u64, frame: u32, words_of_it: usize) -> (Vec<String>, Vec<String>) {
    let draw = Draw::named(seed, &format!("chrome {frame}"));
    let mut lines = Vec::new();
    let mut said = 0;
    while said < words_of_it {
        let many = draw.between(1..=4);
        lines.push(words(&draw, many));
        said += many;
    }
    let footer = lines.split_off(lines.len() * 2 / 3);
    (lines, footer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(form: Form, difference: Option<Difference>) -> Content {
        Content {
            origin: "article/7".into(),
            variant: difference.map(|difference| (difference, "de".into())),
            form,
            words: 60..=300,
        }
    }

    #[test]
    fn a_variant_shares_with_its_origin_what_its_difference_says() {
        let origin = content(Form::Figures, None).lines(1);
        let of = |difference| content(Form::Figures, Some(difference)).lines(1);
        let shared = |lines: &[String]| lines.iter().filter(|line| origin.contains(line)).count();
        assert_eq!(of(Difference::Lines(1)).len(), origin.len());
        assert_eq!(shared(&of(Difference::Lines(1))), origin.len() - 1);
        assert_eq!(shared(&of(Difference::Word)), origin.len() - 1);
        assert_eq!(shared(&of(Difference::Order)), origin.len());
        assert_eq!(shared(&of(Difference::All)), 0);
        assert_eq!(of(Difference::More(2)).len(), origin.len() + 2);
        let names = |lines: &[String]| {
            let letters = |line: &String| line.replace(|c: char| c.is_ascii_digit(), "");
            lines.iter().map(letters).collect::<Vec<_>>()
        };
        let numbers = of(Difference::Numbers);
        assert_eq!(names(&numbers), names(&origin));
        assert!(shared(&numbers) < 3);
    }

    #[test]
    fn a_text_is_as_long_as_it_should_be() {
        for form in [Form::Prose, Form::Figures, Form::Rows] {
            let words = content(form, None).lines(5).join(" ").split(' ').count();
            assert!((60..330).contains(&words), "{form:?}: {words}");
        }
    }
}
