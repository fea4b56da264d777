//! Keys of groups to codes, in the order of first appearance, over one batch after another.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, StringArray, UInt32Array};
use arrow_schema::DataType;

use super::Groups;
use crate::{Error, Result};

/// Codes for the keys seen so far. Rows whose key is null form one group.
#[derive(Debug, Default)]
pub struct Grouper {
    columns: Vec<Codes>,
    /// Codes of pairs: the key so far and the next column's.
    pairs: Vec<HashMap<(u32, u32), u32>>,
}

/// Codes of one column's keys.
#[derive(Debug, Default)]
struct Codes {
    text: HashMap<Box<str>, u32>,
    whole: HashMap<i64, u32>,
    null: Option<u32>,
    count: u32,
}

impl Grouper {
    /// Groups of a batch: one code for each row from all key columns together. At least one column.
    pub fn codes(&mut self, keys: &[(ArrayRef, String)]) -> Result<Groups> {
        self.columns.resize_with(keys.len().max(self.columns.len()), Codes::default);
        self.pairs.resize_with(keys.len().max(self.pairs.len()), HashMap::new);
        let mut out: Vec<u32> = Vec::new();
        let mut count = 0;
        for (at, (array, name)) in keys.iter().enumerate() {
            let codes = self.columns[at].of(array, name)?;
            if at == 0 {
                (out, count) = (codes, self.columns[0].count);
                continue;
            }
            let pairs = &mut self.pairs[at];
            for (code, other) in out.iter_mut().zip(codes) {
                let next = pairs.len() as u32;
                *code = *pairs.entry((*code, other)).or_insert(next);
            }
            count = pairs.len() as u32;
        }
        Ok(Groups { codes: UInt32Array::new(out.into(), None), count: count as usize })
    }
}

impl Codes {
    fn of(&mut self, array: &ArrayRef, name: &str) -> Result<Vec<u32>> {
        let fail = |error: arrow_schema::ArrowError| Error::column_type(error.to_string(), name);
        match array.data_type() {
            kind if kind.is_integer() && *kind != DataType::UInt64 => {
                let whole = arrow_cast::cast(array, &DataType::Int64).map_err(fail)?;
                Ok(self.whole(whole.as_primitive::<Int64Type>()))
            }
            DataType::Utf8 => Ok(self.text(array.as_string::<i32>())),
            // Every other key by its text; a type that has none cannot be a key.
            kind if kind.is_nested() => {
                Err(Error::column_type(format!("{kind} cannot be a group; give a string or a number"), name))
            }
            _ => {
                let text = arrow_cast::cast(array, &DataType::Utf8).map_err(fail)?;
                Ok(self.text(text.as_string::<i32>()))
            }
        }
    }

    fn null(&mut self) -> u32 {
        *self.null.get_or_insert_with(|| {
            self.count += 1;
            self.count - 1
        })
    }

    fn whole(&mut self, keys: &Int64Array) -> Vec<u32> {
        let mut last: Option<(i64, u32)> = None;
        let mut out = Vec::with_capacity(keys.len());
        for key in keys {
            // Hits come query by query: most keys are the one before.
            let code = match (key, last) {
                (None, _) => self.null(),
                (Some(key), Some((before, code))) if before == key => code,
                (Some(key), _) => {
                    let code = *self.whole.entry(key).or_insert(self.count);
                    self.count = self.count.max(code + 1);
                    last = Some((key, code));
                    code
                }
            };
            out.push(code);
        }
        out
    }

    fn text(&mut self, keys: &StringArray) -> Vec<u32> {
        let mut last: Option<(&str, u32)> = None;
        let mut out = Vec::with_capacity(keys.len());
        for key in keys {
            let code = match (key, last) {
                (None, _) => self.null(),
                (Some(key), Some((before, code))) if before == key => code,
                (Some(key), _) => {
                    let code = match self.text.get(key) {
                        Some(code) => *code,
                        None => {
                            self.text.insert(key.into(), self.count);
                            self.count += 1;
                            self.count - 1
                        }
                    };
                    last = Some((key, code));
                    code
                }
            };
            out.push(code);
        }
        out
    }
}
