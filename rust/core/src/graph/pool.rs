//! Strings by number and numbers by string, cheap to copy: a copy shares every chunk until one side writes to it.

use hashbrown::HashTable;

use crate::graph::spine::Spine;
use crate::{Error, Result};

const CHUNK: usize = 256;
/// Many, so that a new string copies little of the table.
const SHARDS: usize = 4096;
/// Longest string taken, so that the ends inside a chunk always fit into 32 bits.
const LONGEST: usize = 1 << 20;

#[derive(Debug, Clone, Default)]
struct Chunk {
    text: String,
    ends: Vec<u32>,
}

/// An append-only pool of distinct strings.
#[derive(Debug, Clone)]
pub struct StringPool {
    chunks: Spine<Chunk>,
    shards: Spine<HashTable<u32>>,
    len: usize,
}

impl Default for StringPool {
    fn default() -> Self {
        Self { chunks: Spine::default(), shards: Spine::filled(SHARDS, HashTable::new()), len: 0 }
    }
}

impl StringPool {
    /// How many strings the pool holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the pool holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The string of a number; empty for a number that was never given out.
    pub fn get(&self, number: u32) -> &str {
        read(&self.chunks, number)
    }

    /// The number of a string, if the pool holds it.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.find_hashed(text, hash(text))
    }

    fn find_hashed(&self, text: &str, hash: u64) -> Option<u32> {
        self.shards.get(shard(hash))?.find(hash, |&number| self.get(number) == text).copied()
    }

    /// Makes room for so many more strings at once, so that the table is not built over and over as it grows.
    pub fn reserve(&mut self, more: usize) {
        let each = more / SHARDS + more / SHARDS / 4;
        for number in (0..SHARDS).filter(|_| each > 0) {
            let chunks = &self.chunks;
            if let Some(shard) = self.shards.get_mut(number) {
                shard.reserve(each, |&other| hash(read(chunks, other)));
            }
        }
    }

    /// The number of a string, taking it in if it is new.
    pub fn intern(&mut self, text: &str) -> Result<u32> {
        let hash = hash(text);
        if let Some(number) = self.find_hashed(text, hash) {
            return Ok(number);
        }
        if text.len() > LONGEST {
            return Err(Error::value(format!(
                "a string of {} bytes is too long; at most {LONGEST} are taken",
                text.len()
            )));
        }
        let number = u32::try_from(self.len)
            .ok()
            .filter(|&number| number < u32::MAX)
            .ok_or_else(|| Error::value("more than 4,294,967,294 strings do not fit into one graph"))?;
        if self.len.is_multiple_of(CHUNK) {
            self.chunks.push(Chunk::default());
        }
        if let Some(last) = self.chunks.get_mut(self.len / CHUNK) {
            last.text.push_str(text);
            last.ends.push(last.text.len() as u32);
        }
        self.len += 1;
        let chunks = &self.chunks;
        if let Some(shard) = self.shards.get_mut(shard(hash)) {
            shard.insert_unique(hash, number, |&other| self::hash(read(chunks, other)));
        }
        Ok(number)
    }

    /// Bytes held, without what the allocator adds.
    pub fn bytes(&self) -> usize {
        let text: usize = self.chunks.iter().map(|chunk| chunk.text.capacity() + 4 * chunk.ends.capacity()).sum();
        text + self.shards.iter().map(|shard| shard.allocation_size()).sum::<usize>()
    }
}

fn read(chunks: &Spine<Chunk>, number: u32) -> &str {
    let (chunk, at) = (number as usize / CHUNK, number as usize % CHUNK);
    let Some(chunk) = chunks.get(chunk) else { return "" };
    let end = chunk.ends.get(at).map_or(0, |&end| end as usize);
    let begin = if at == 0 { 0 } else { chunk.ends.get(at - 1).map_or(0, |&end| end as usize) };
    chunk.text.get(begin..end).unwrap_or("")
}

/// The table takes its bucket from the low bits and its tag from the top seven, so shards come from between.
fn shard(hash: u64) -> usize {
    (hash >> 40) as usize % SHARDS
}

/// Multiply-and-fold over 8-byte words; nothing that a caller sees depends on it.
fn hash(text: &str) -> u64 {
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |a: u64, b: u64| {
        let wide = u128::from(a) * u128::from(b);
        (wide as u64) ^ ((wide >> 64) as u64)
    };
    let mut state = SEED ^ text.len() as u64;
    let mut words = text.as_bytes().chunks_exact(8);
    for word in &mut words {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(word);
        state = fold(state ^ u64::from_le_bytes(bytes), SEED);
    }
    let mut bytes = [0; 8];
    bytes[..words.remainder().len()].copy_from_slice(words.remainder());
    fold(fold(state ^ u64::from_le_bytes(bytes), SEED) ^ SEED, 0xd6e8_feb8_6659_fd93)
}
