//! Words of a text file, with their lines.

use core::str::FromStr;

use glam::Vec3;

use super::error::{ImportError, ImportProblem, Place};

/// Walks the words of a text file; also lets binary sections be taken out of the middle of it.
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    comment: Option<u8>,
}

impl<'a> Text<'a> {
    /// `comment` starts a comment that reaches to the end of its line.
    pub fn new(bytes: &'a [u8], comment: Option<u8>) -> Self {
        // A byte order mark, as some editors write it.
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { bytes, at, line: 1, comment }
    }

    /// Bytes not yet read: an upper bound for the words to come, so that no header can ask for more memory than that.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub fn place(&self) -> Place {
        Place::Line(self.line)
    }

    pub fn error(&self, problem: ImportProblem) -> ImportError {
        ImportError::new(self.place(), problem)
    }

    pub fn unexpected(&self, needed: &'static str, found: &[u8]) -> ImportError {
        let found = String::from_utf8_lossy(&found[..found.len().min(40)]).into_owned();
        self.error(ImportProblem::Unexpected { needed, found })
    }

    fn skip_blank(&mut self, over_lines: bool) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte == b'\n' && !over_lines {
                return;
            }
            if byte == b'\n' {
                self.line += 1;
            }
            if Some(byte) == self.comment {
                let rest = &self.bytes[self.at..];
                self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            } else if byte.is_ascii_whitespace() || byte == 0x0b {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn take_word(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let ends = |b: &u8| b.is_ascii_whitespace() || *b == 0x0b || Some(*b) == self.comment;
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// The next word of the file.
    pub fn next_word(&mut self) -> Option<&'a [u8]> {
        self.skip_blank(true);
        self.take_word()
    }

    /// The next word of this line.
    pub fn next_word_of_line(&mut self) -> Option<&'a [u8]> {
        self.skip_blank(false);
        self.take_word()
    }

    /// Moves behind the end of this line; false at the end of the file.
    pub fn next_line(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        match rest.iter().position(|b| *b == b'\n') {
            Some(length) => {
                self.at += length + 1;
                self.line += 1;
                self.at < self.bytes.len()
            }
            None => {
                self.at = self.bytes.len();
                false
            }
        }
    }

    pub fn word(&mut self, needed: &'static str) -> Result<&'a [u8], ImportError> {
        self.next_word().ok_or_else(|| self.error(ImportProblem::EndOfFile { needed }))
    }

    /// The next word as a number.
    pub fn number<T: FromStr>(&mut self, needed: &'static str) -> Result<T, ImportError> {
        let word = self.word(needed)?;
        parse(word).ok_or_else(|| self.unexpected(needed, word))
    }

    pub fn position(&mut self) -> Result<Vec3, ImportError> {
        let needed = "a coordinate";
        Ok(Vec3::new(self.number(needed)?, self.number(needed)?, self.number(needed)?))
    }

    /// Some bytes as they stand, for binary sections. Their line breaks do not count as lines.
    pub fn take_bytes(
        &mut self,
        length: usize,
        needed: &'static str,
    ) -> Result<&'a [u8], ImportError> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| {
            ImportError::new(Place::Byte(self.at), ImportProblem::EndOfFile { needed })
        })?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// What is not read yet.
    pub fn peek(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub fn offset(&self) -> usize {
        self.at
    }
}

/// A number; also with Fortran's `D` as the sign of the exponent.
pub(super) fn parse<T: FromStr>(word: &[u8]) -> Option<T> {
    let word = core::str::from_utf8(word).ok()?;
    word.parse().ok().or_else(|| word.replace(['d', 'D'], "e").parse().ok())
}

/// How many elements to make room for when a header announces `count` in at least `bytes` bytes.
pub(super) fn room(count: u64, bytes: usize) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX).min(bytes)
}
