//! The one error type. Each variant maps to one exception class on the Python side.

/// What went wrong, with the row and column where there is one.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A value outside its allowed range. Python: `InvalidValueError` (also a `ValueError`).
    #[error("{message}{}", place(.column, .row))]
    Value {
        /// What is wrong and what would be right.
        message: String,
        /// Column of the input, if the fault sits in a column.
        column: Option<String>,
        /// Row of the input, counted from 0.
        row: Option<usize>,
    },
    /// A column or argument of the wrong type. Python: `InvalidTypeError` (also a `TypeError`).
    #[error("{message}{}", place(.column, &None))]
    Type {
        /// What is wrong and what would be right.
        message: String,
        /// Column of the input, if the fault sits in a column.
        column: Option<String>,
    },
    /// An id, relation or column that does not exist. Python: `UnknownIdError` (also a `KeyError`).
    #[error("{message}{}", place(.column, .row))]
    Unknown {
        /// What is missing, naming it.
        message: String,
        /// Column of the input, if the fault sits in a column.
        column: Option<String>,
        /// Row of the input, counted from 0.
        row: Option<usize>,
    },
    /// A file that is not what its name says, or is damaged. Python: `FileFormatError` (also a `ValueError`).
    #[error("{0}")]
    Format(String),
    /// A file that cannot be read or written. Python: `FileAccessError` (also an `OSError`).
    #[error("{0}")]
    Io(String),
    /// The caller asked to stop (Ctrl-C). Python raises the pending exception instead.
    #[error("interrupted")]
    Interrupted,
}

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A bad value that belongs to no column.
    pub fn value(message: impl Into<String>) -> Self {
        Self::Value { message: message.into(), column: None, row: None }
    }

    /// A bad value at a row of a column.
    pub fn cell(message: impl Into<String>, column: &str, row: usize) -> Self {
        Self::Value { message: message.into(), column: Some(column.into()), row: Some(row) }
    }

    /// A column of the wrong type.
    pub fn column_type(message: impl Into<String>, column: &str) -> Self {
        Self::Type { message: message.into(), column: Some(column.into()) }
    }

    /// Something that does not exist and belongs to no column.
    pub fn unknown(message: impl Into<String>) -> Self {
        Self::Unknown { message: message.into(), column: None, row: None }
    }

    /// Something that does not exist, named by a row of a column.
    pub fn unknown_cell(message: impl Into<String>, column: &str, row: usize) -> Self {
        Self::Unknown { message: message.into(), column: Some(column.into()), row: Some(row) }
    }
}

fn place(column: &Option<String>, row: &Option<usize>) -> String {
    match (column, row) {
        (Some(column), Some(row)) => format!(" (column '{column}', row {row})"),
        (Some(column), None) => format!(" (column '{column}')"),
        (None, Some(row)) => format!(" (row {row})"),
        (None, None) => String::new(),
    }
}
