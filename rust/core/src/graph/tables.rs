//! Columns of a caller's table: looked up by name, converted, with errors that name row and column.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use crate::{Error, Result, columns};

/// A column that must be there.
pub fn required<'a>(table: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef> {
    table.column_by_name(name).ok_or_else(|| Error::Unknown {
        message: format!("the table has no column '{name}'"),
        column: Some(name.into()),
        row: None,
    })
}

/// Ids, which may come as strings or integers and are never null.
#[derive(Debug)]
pub enum Ids {
    /// As strings.
    Text(StringArray),
    /// As integers that stand for their decimal strings.
    Signed(arrow_array::Int64Array),
    /// The same, unsigned.
    Unsigned(arrow_array::UInt64Array),
}

impl Ids {
    /// Reads a column of ids. Nulls and empty strings are refused with their row.
    pub fn read(array: &dyn Array, column: &str) -> Result<Self> {
        let kind = array.data_type();
        let cast =
            |to: &DataType| arrow_cast::cast(array, to).map_err(|error| Error::column_type(error.to_string(), column));
        let ids = match kind {
            DataType::UInt64 => Self::Unsigned(array.as_primitive::<UInt64Type>().clone()),
            kind if kind.is_integer() => Self::Signed(cast(&DataType::Int64)?.as_primitive::<Int64Type>().clone()),
            _ => Self::Text(columns::utf8(array, column)?),
        };
        let (nulls, empty) = match &ids {
            Self::Text(text) => {
                let empty = (0..text.len()).find(|&row| text.is_valid(row) && text.value(row).is_empty());
                (text.nulls().cloned(), empty)
            }
            Self::Signed(numbers) => (numbers.nulls().cloned(), None),
            Self::Unsigned(numbers) => (numbers.nulls().cloned(), None),
        };
        let null = nulls.filter(|nulls| nulls.null_count() > 0).and_then(|nulls| nulls.iter().position(|valid| !valid));
        match null.or(empty) {
            Some(row) => Err(Error::cell("an id is needed", column, row)),
            None => Ok(ids),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Signed(numbers) => numbers.len(),
            Self::Unsigned(numbers) => numbers.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the ids came as integers.
    pub fn is_integer(&self) -> bool {
        !matches!(self, Self::Text(_))
    }

    /// The id at a row; integers are written into `buffer`.
    pub fn get<'a>(&'a self, row: usize, buffer: &'a mut String) -> &'a str {
        buffer.clear();
        match self {
            Self::Text(text) => return text.value(row),
            Self::Signed(numbers) => {
                let number = numbers.value(row);
                if number < 0 {
                    buffer.push('-');
                }
                push_decimal(buffer, number.unsigned_abs());
            }
            Self::Unsigned(numbers) => push_decimal(buffer, numbers.value(row)),
        }
        buffer
    }
}

/// Appends a number's decimal digits; a million ids are worth more than the general way of writing one.
fn push_decimal(out: &mut String, mut number: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend(digits[at..].iter().map(|&digit| char::from(digit)));
}

/// Optional strings.
pub fn strings(table: &RecordBatch, name: &str) -> Result<Option<StringArray>> {
    table.column_by_name(name).map(|array| columns::utf8(array.as_ref(), name)).transpose()
}

/// Optional weights: finite float32 numbers of 0 or more; a null is 1.
pub fn weights(table: &RecordBatch, name: &str) -> Result<Option<Vec<f32>>> {
    let Some(column) = table.column_by_name(name) else { return Ok(None) };
    let wrong = |row: usize, value: f64| {
        Err(Error::cell(format!("a weight is a finite number of 0 or more, not {value}"), name, row))
    };
    let valid = |nulls: Option<&NullBuffer>, row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
    if *column.data_type() == DataType::Float32 {
        let (numbers, nulls) = (column.as_primitive::<Float32Type>().values(), column.nulls());
        let weight = |(row, &value): (usize, &f32)| match valid(nulls, row) {
            true if value >= 0.0 && value.is_finite() => Ok(value + 0.0), // never −0
            true => wrong(row, f64::from(value)),
            false => Ok(1.0),
        };
        return numbers.iter().enumerate().map(weight).collect::<Result<_>>().map(Some);
    }
    let numbers = columns::float64(column.as_ref(), name)?;
    let weight = |(row, &value): (usize, &f64)| match valid(numbers.nulls(), row) {
        true if (0.0..=f64::from(f32::MAX)).contains(&value) => Ok(value as f32 + 0.0),
        true => wrong(row, value),
        false => Ok(1.0),
    };
    numbers.values().iter().enumerate().map(weight).collect::<Result<_>>().map(Some)
}

/// A list column of any offset width or of fixed size: its values once, and where each row's lie.
#[derive(Debug)]
pub struct Lists {
    values: ArrayRef,
    rows: Vec<Option<(usize, usize)>>,
}

impl Lists {
    /// Reads a list column; `None` in `row` stands for a null.
    pub fn read(array: &dyn Array, column: &str) -> Result<Self> {
        let valid = |row: usize, bounds| array.is_valid(row).then_some(bounds);
        let count = array.len();
        let (values, rows) = match array.data_type() {
            DataType::Null => (arrow_array::new_empty_array(&DataType::Null), vec![None; count]),
            DataType::List(_) => {
                let (lists, at) = (array.as_list::<i32>(), array.as_list::<i32>().value_offsets());
                let rows = (0..count).map(|row| valid(row, (at[row] as usize, at[row + 1] as usize))).collect();
                (lists.values().clone(), rows)
            }
            DataType::LargeList(_) => {
                let (lists, at) = (array.as_list::<i64>(), array.as_list::<i64>().value_offsets());
                let rows = (0..count).map(|row| valid(row, (at[row] as usize, at[row + 1] as usize))).collect();
                (lists.values().clone(), rows)
            }
            DataType::FixedSizeList(_, _) => {
                let lists = array.as_fixed_size_list();
                let at = |row: usize| lists.value_offset(row) as usize;
                let width = lists.value_length() as usize;
                let rows = (0..count).map(|row| valid(row, (at(row), at(row) + width))).collect();
                (lists.values().clone(), rows)
            }
            other => return Err(Error::column_type(format!("a list is expected, not {other}"), column)),
        };
        Ok(Self { values, rows })
    }

    /// The rows as vectors: finite float32 numbers, none null.
    pub fn vectors(self, column: &str) -> Result<VectorColumn> {
        let kind = self.values.data_type();
        if !(kind.is_numeric() || *kind == DataType::Null) {
            return Err(Error::column_type(format!("a list of numbers is expected, not of {kind}"), column));
        }
        let cast = arrow_cast::cast(&self.values, &DataType::Float32)
            .map_err(|error| Error::column_type(error.to_string(), column))?;
        let values = cast.as_primitive::<Float32Type>().clone();
        for (row, bounds) in self.rows.iter().enumerate() {
            let Some((begin, end)) = *bounds else { continue };
            let finite = values.values()[begin..end].iter().all(|value| value.is_finite());
            if !finite || (values.null_count() > 0 && (begin..end).any(|at| values.is_null(at))) {
                return Err(Error::cell("a vector may hold finite float32 numbers only", column, row));
            }
        }
        Ok(VectorColumn { values, rows: self.rows })
    }

    /// The rows as lists of strings; nulls inside a list are left out.
    pub fn strings(self, column: &str) -> Result<Vec<Vec<String>>> {
        let values = columns::utf8(self.values.as_ref(), column)?;
        let texts = |(begin, end): (usize, usize)| {
            (begin..end).filter(|&at| values.is_valid(at)).map(|at| values.value(at).to_owned()).collect()
        };
        Ok(self.rows.iter().map(|bounds| bounds.map(texts).unwrap_or_default()).collect())
    }
}

/// A column of vectors.
#[derive(Debug)]
pub struct VectorColumn {
    values: arrow_array::Float32Array,
    rows: Vec<Option<(usize, usize)>>,
}

impl VectorColumn {
    /// The vector at a row, if there is one.
    pub fn get(&self, row: usize) -> Option<&[f32]> {
        self.rows.get(row).copied().flatten().map(|(begin, end)| &self.values.values()[begin..end])
    }
}
