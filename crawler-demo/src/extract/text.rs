//! Visible text, built up line by line.

/// Text whose white space is collapsed while it grows.
#[derive(Debug, Default)]
pub(super) struct Text {
    built: String,
    /// White space waits for the next word.
    space: bool,
    /// A line end waits for the next word, and swallows white space.
    line: bool,
}

impl Text {
    /// Adds running text.
    pub(super) fn push(&mut self, run: &str) {
        if self.pre_spaced(run) {
            self.space = true;
        }
        for word in run.split_whitespace() {
            self.gap();
            self.built.push_str(word);
            self.space = true;
        }
        if !run.is_empty() && !run.ends_with(char::is_whitespace) {
            self.space = false;
        }
    }

    /// Adds preformatted text, whose line ends stand.
    pub(super) fn push_lines(&mut self, run: &str) {
        for (n, line) in run.split('\n').enumerate() {
            if n > 0 {
                self.end_line();
            }
            self.push(line);
        }
    }

    /// A block begins or ends here.
    pub(super) fn end_line(&mut self) {
        self.line = true;
    }

    /// Words on both sides are apart.
    pub(super) fn end_word(&mut self) {
        self.space = true;
    }

    pub(super) fn finish(self) -> String {
        self.built
    }

    fn pre_spaced(&self, run: &str) -> bool {
        !self.space && run.starts_with(char::is_whitespace)
    }

    fn gap(&mut self) {
        if !self.built.is_empty() {
            if self.line {
                self.built.push('\n');
            } else if self.space {
                self.built.push(' ');
            }
        }
        self.line = false;
        self.space = false;
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    fn built(build: impl FnOnce(&mut Text)) -> String {
        let mut text = Text::default();
        build(&mut text);
        text.finish()
    }

    #[test]
    fn words_split_over_runs_stay_whole() {
        assert_eq!(
            built(|t| {
                t.push("wo");
                t.push("rd \n next");
                t.push(" one");
            }),
            "word next one"
        );
    }

    #[test]
    fn blank_lines_and_blank_ends_vanish() {
        let text = built(|t| {
            t.end_line();
            t.push("  a ");
            t.end_line();
            t.end_line();
            t.push("\u{a0}b\n");
            t.end_line();
        });
        assert_eq!(text, "a\nb");
    }

    #[test]
    fn preformatted_lines_stand() {
        assert_eq!(built(|t| t.push_lines("a  b\n\n c")), "a b\nc");
    }
}
