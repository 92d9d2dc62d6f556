// SPDX-License-Identifier: MIT OR Apache-2.0
//! A parameter of the kernel's command line.
use std::fmt;

/// A parameter of the kernel's command line: `quiet`, `console=ttyS0,115200n8`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// `console`
    pub name: String,
    /// None for a word that stands alone.
    pub value: Option<ParameterValue>,
}

/// What follows a parameter's `=`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ParameterValue {
    /// `ttyS0,115200n8`. It may come from the log: escape it like a record.
    Exact(String),
    /// What only the user knows, in words: `the processor's kHz`.
    Placeholder(&'static str),
}

impl Parameter {
    /// A word that stands alone.
    pub fn word(name: impl Into<String>) -> Parameter {
        Parameter { name: name.into(), value: None }
    }

    /// `name=value`
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Parameter {
        Parameter { name: name.into(), value: Some(ParameterValue::Exact(value.into())) }
    }

    /// `name=` with a value that only the user knows.
    pub fn open(name: impl Into<String>, placeholder: &'static str) -> Parameter {
        Parameter { name: name.into(), value: Some(ParameterValue::Placeholder(placeholder)) }
    }

    /// A word of a command line as it stands there.
    pub fn parse(word: &str) -> Parameter {
        word.split_once('=').map_or_else(|| Parameter::word(word), |(name, value)| Parameter::new(name, value))
    }

    /// Whether a tool can write it as it is.
    pub fn is_complete(&self) -> bool {
        !matches!(self.value, Some(ParameterValue::Placeholder(_)))
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            None => f.write_str(&self.name),
            Some(ParameterValue::Exact(value)) => write!(f, "{}={value}", self.name),
            Some(ParameterValue::Placeholder(what)) => write!(f, "{}=<{what}>", self.name),
        }
    }
}
