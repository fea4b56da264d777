//! A list column of times as offsets and microseconds.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, GenericListArray, Int64Array, OffsetSizeTrait, new_empty_array};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};

use crate::decay::settings::Settings;
use crate::{Error, Result};

/// Lists of times: row i holds `times[offsets[i]..offsets[i + 1]]`. There are no nulls among the times.
#[derive(Debug)]
pub struct Lists {
    /// Where each row starts and ends.
    pub offsets: Offsets,
    /// Microseconds since the epoch.
    pub times: ScalarBuffer<i64>,
    /// Rows that are a list; None if all are.
    pub nulls: Option<NullBuffer>,
}

/// Offsets of either width, as they came.
#[derive(Debug)]
pub enum Offsets {
    /// Of `List`.
    Narrow(ScalarBuffer<i32>),
    /// Of `LargeList`.
    Wide(ScalarBuffer<i64>),
}

impl Lists {
    /// Reads a list column (List, LargeList, FixedSizeList, views) of any time type.
    pub fn read(array: &dyn Array, column: &str, settings: &Settings) -> Result<Self> {
        match array.data_type() {
            DataType::List(_) => Self::of(array.as_list::<i32>(), column, settings, Offsets::Narrow),
            DataType::LargeList(_) => Self::of(array.as_list::<i64>(), column, settings, Offsets::Wide),
            DataType::FixedSizeList(field, _) | DataType::ListView(field) => {
                Self::cast(array, DataType::List(field.clone()), column, settings)
            }
            DataType::LargeListView(field) => Self::cast(array, DataType::LargeList(field.clone()), column, settings),
            DataType::Dictionary(_, values) => Self::cast(array, values.as_ref().clone(), column, settings),
            DataType::Null => {
                let item = Field::new("item", DataType::Null, true);
                Self::cast(array, DataType::List(item.into()), column, settings)
            }
            other => Err(Error::column_type(
                format!("a list of times is expected, not {other}; give list<timestamp> with one list a row"),
                column,
            )),
        }
    }

    fn cast(array: &dyn Array, to: DataType, column: &str, settings: &Settings) -> Result<Self> {
        let cast = if array.is_empty() {
            new_empty_array(&to)
        } else {
            arrow_cast::cast(array, &to).map_err(|error| Error::column_type(error.to_string(), column))?
        };
        Self::read(cast.as_ref(), column, settings)
    }

    fn of<O: OffsetSizeTrait>(
        list: &GenericListArray<O>,
        column: &str,
        settings: &Settings,
        wrap: impl Fn(ScalarBuffer<O>) -> Offsets,
    ) -> Result<Self> {
        // A slice still carries every value of its parent: convert only what it shows.
        let (first, last) = match (list.value_offsets().first(), list.value_offsets().last()) {
            (Some(first), Some(last)) => (first.as_usize(), last.as_usize()),
            _ => (0, 0),
        };
        let shown: ArrayRef = list.values().slice(first, last - first);
        let times = settings.times(shown.as_ref(), column).map_err(|error| in_list(error, list, first))?;
        let offsets: ScalarBuffer<O> = if first == 0 {
            list.offsets().inner().clone()
        } else {
            list.value_offsets().iter().map(|offset| *offset - O::usize_as(first)).collect()
        };
        let nulls = list.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
        if times.null_count() == 0 {
            return Ok(Self { offsets: wrap(offsets), times: times.values().clone(), nulls });
        }
        let (offsets, times) = without_nulls(&offsets, &times);
        Ok(Self { offsets: wrap(offsets), times, nulls })
    }
}

/// Drops the null times; a list of nulls becomes an empty list.
fn without_nulls<O: OffsetSizeTrait>(offsets: &[O], times: &Int64Array) -> (ScalarBuffer<O>, ScalarBuffer<i64>) {
    let mut kept = Vec::with_capacity(times.len() - times.null_count());
    let mut lengths = Vec::with_capacity(offsets.len());
    for ends in offsets.windows(2) {
        let before = kept.len();
        for at in ends[0].as_usize()..ends[1].as_usize() {
            if times.is_valid(at) {
                kept.push(times.value(at));
            }
        }
        lengths.push(kept.len() - before);
    }
    (OffsetBuffer::<O>::from_lengths(lengths).into_inner(), kept.into())
}

/// An error at a value of the flat column, told by the row that holds it.
fn in_list<O: OffsetSizeTrait>(error: Error, list: &GenericListArray<O>, first: usize) -> Error {
    match error {
        Error::Value { message, column: Some(column), row: Some(at) } => {
            let row = list.value_offsets().partition_point(|offset| offset.as_usize() <= first + at).saturating_sub(1);
            Error::cell(message, &column, row)
        }
        other => other,
    }
}
