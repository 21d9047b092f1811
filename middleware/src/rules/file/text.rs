//! How is a rules file read and written?

use serde::Deserialize;

use super::{FORMAT, RuleFile, VERSION};

/// Why a text is no rules file.
#[derive(Debug, thiserror::Error)]
pub enum RuleFileError {
    /// Not JSON, or JSON of another shape, or a rule that does not parse.
    #[error("its rules cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// JSON of something else, or of another version, such as a later program writes it.
    #[error(
        "these are `{format}` rules of version {version}; this program reads `{FORMAT}` of version {VERSION}"
    )]
    Format {
        /// Format named in the file.
        format: String,
        /// Version named in the file.
        version: u32,
    },
}

impl RuleFile {
    /// Reads a file's text.
    ///
    /// # Errors
    /// When it is not a rules file of this version.
    pub fn parse(text: &str) -> Result<Self, RuleFileError> {
        /// What is asked first: the rest of another version may have another form.
        #[derive(Deserialize)]
        struct Kind {
            format: String,
            version: u32,
        }
        let Kind { format, version } = serde_json::from_str(text)?;
        if format != FORMAT || version != VERSION {
            return Err(RuleFileError::Format { format, version });
        }
        Ok(serde_json::from_str(text)?)
    }

    /// The text to write, indented for readers.
    ///
    /// # Errors
    /// When a value cannot be written as JSON (a count that is no finite number).
    pub fn to_text(&self) -> Result<String, RuleFileError> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::RuleFile;
    use crate::rules::{Entry, Site, Status};

    #[test]
    fn a_file_reads_back_as_it_was_written() {
        let rules = RuleFile::new(vec![Site {
            hosts: vec!["e.org".to_owned()],
            rules: vec![Entry {
                status: Status::Active,
                ..Entry::by_hand("has:query.a => drop:query.a".parse().unwrap())
            }],
        }]);
        assert_eq!(RuleFile::parse(&rules.to_text().unwrap()).unwrap(), rules);
    }

    #[test]
    fn other_files_are_refused_with_the_reason() {
        for (text, words) in [
            ("{}", "cannot be read"),
            (r#"{"format":"x","version":9,"sites":[]}"#, "version 9"),
            (
                r#"{"format":"nodust-rules","version":2,"sections":{}}"#,
                "of version 2; this program reads `nodust-rules` of version 1",
            ),
            (
                r#"{"format":"nodust-rules","version":1,"sites":[{"hosts":[],"rules":[{"rule":"x"}]}]}"#,
                "`x`",
            ),
        ] {
            assert!(
                RuleFile::parse(text)
                    .unwrap_err()
                    .to_string()
                    .contains(words),
                "{text}"
            );
        }
    }
}
