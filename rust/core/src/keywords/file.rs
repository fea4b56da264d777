//! The index as bytes and back. Little-endian; a checksum over everything behind it.

use super::{Keywords, Lengths, List};
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"twwords1";

impl Keywords {
    /// The bytes of the index.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut keys: Vec<(&str, u32)> = self.numbers.iter().map(|(key, &number)| (&**key, number)).collect();
        // A map has no order, a file has one: the same index gives the same bytes.
        keys.sort_unstable();
        let lists = || keys.iter().filter_map(|(_, number)| self.lists.get(*number as usize));
        let kept: Vec<bool> = lists().map(|list| !list.positions.is_empty()).collect();
        let lists = || lists().filter(|list| !list.positions.is_empty());
        let keys = || keys.iter().zip(&kept).filter(|(_, kept)| **kept).map(|((key, _), _)| *key);
        let entries: usize = lists().map(|list| list.positions.len()).sum();
        let mut out = Vec::with_capacity(entries * 5 + self.alive.len() * 9 + 64);
        out.extend(MAGIC);
        out.extend([0; 4]);
        for number in [self.alive.len(), keys().count(), keys().map(str::len).sum(), entries] {
            out.extend((number as u64).to_le_bytes());
        }
        self.fields.iter().for_each(|field| put(&mut out, field.each.iter().copied()));
        out.extend(self.alive.iter().map(|&alive| u8::from(alive)));
        put(&mut out, keys().map(|key| key.len() as u32));
        put(&mut out, lists().map(|list| list.positions.len() as u32));
        keys().for_each(|key| out.extend(key.as_bytes()));
        lists().for_each(|list| put(&mut out, list.positions.iter().copied()));
        lists().for_each(|list| out.extend(&list.counts));
        let sum = crc32fast::hash(&out[12..]).to_le_bytes();
        out[8..12].copy_from_slice(&sum);
        out
    }

    /// The index from its bytes; everything that a search relies on is checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let damaged = || Error::Format("these are not the bytes of a keyword index, or they are damaged".into());
        let sum = bytes.get(8..12).filter(|_| bytes.starts_with(MAGIC)).ok_or_else(damaged)?;
        if crc32fast::hash(&bytes[12..]).to_le_bytes() != *sum {
            return Err(damaged());
        }
        let mut from = Reader { bytes: &bytes[12..] };
        let mut number =
            || from.take(8).and_then(|part| usize::try_from(u64::from_le_bytes(part.try_into().ok()?)).ok());
        let (Some(rows), Some(terms), Some(letters), Some(entries)) = (number(), number(), number(), number()) else {
            return Err(damaged());
        };
        let mut read = || {
            let fields = [from.numbers(rows)?, from.numbers(rows)?];
            let alive: Vec<bool> = from.take(rows)?.iter().map(|&byte| byte != 0).collect();
            let (key_lengths, list_lengths) = (from.numbers(terms)?, from.numbers(terms)?);
            let (keys, positions) = (from.take(letters)?, from.numbers(entries)?);
            let counts = from.take(entries)?;
            from.bytes.is_empty().then_some((fields, alive, key_lengths, list_lengths, keys, positions, counts))
        };
        let (fields, alive, key_lengths, list_lengths, keys, positions, counts) = read().ok_or_else(damaged)?;
        let fields = fields.map(|each| Lengths { sum: each.iter().map(|&length| u64::from(length)).sum(), each });
        let mut index = Self { fields, count: alive.iter().filter(|alive| **alive).count(), alive, ..Self::default() };
        let (mut key_at, mut list_at) = (0, 0);
        for (number, (&key_length, &list_length)) in key_lengths.iter().zip(&list_lengths).enumerate() {
            let key = keys.get(key_at..key_at + key_length as usize).ok_or_else(damaged)?;
            let range = list_at..list_at + list_length as usize;
            let list =
                positions.get(range.clone()).filter(|list| list.is_sorted_by(|a, b| a < b)).ok_or_else(damaged)?;
            if list.last().is_none_or(|&last| last as usize >= rows) {
                return Err(damaged());
            }
            let counts = counts.get(range).ok_or_else(damaged)?.to_vec();
            let key = std::str::from_utf8(key).map_err(|_| damaged())?;
            if index.numbers.insert(key.into(), number as u32).is_some() {
                return Err(damaged());
            }
            index.lists.push(List { positions: list.to_vec(), counts });
            (key_at, list_at) = (key_at + key_length as usize, list_at + list_length as usize);
        }
        if (key_at, list_at) != (letters, entries) {
            return Err(damaged());
        }
        Ok(index)
    }
}

fn put(out: &mut Vec<u8>, numbers: impl Iterator<Item = u32>) {
    numbers.for_each(|number| out.extend(number.to_le_bytes()));
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (part, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(part)
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<u32>> {
        let bytes = self.take(count.checked_mul(4)?)?;
        Some(bytes.chunks_exact(4).map(|part| u32::from_le_bytes([part[0], part[1], part[2], part[3]])).collect())
    }
}
