//! The snapshot file: sections with a checksum each, read in place from a memory map.
//!
//! Little-endian. A header (magic, version, number of sections, length of the file, checksum of header and table), a
//! table (tag, checksum, offset, length), then the sections in that order, each at a multiple of 64 bytes, with zeros
//! between. A file is written under
//! another name, synced and renamed, so that a reader never sees half of one and an open map never changes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use arrow_buffer::Buffer;

use crate::graph::snapshot::Snapshot;
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"timewalk";
/// The version that this library writes, and the newest that it reads.
pub const VERSION: u32 = 1;
const HEADER: usize = 32;
/// The rest of the header.
const RESERVED: std::ops::Range<usize> = 28..HEADER;
const ENTRY: usize = 24;
const ALIGN: usize = 64;

/// Sections by tag, each a list of parts that follow each other.
#[derive(Debug, Default)]
pub struct Sections<'a> {
    parts: BTreeMap<u32, Vec<std::borrow::Cow<'a, [u8]>>>,
}

impl<'a> Sections<'a> {
    /// Adds bytes to the end of a section.
    pub fn push(&mut self, tag: u32, bytes: impl Into<std::borrow::Cow<'a, [u8]>>) {
        self.parts.entry(tag).or_default().push(bytes.into());
    }

    /// Writes everything.
    pub fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let table_end = HEADER + ENTRY * self.parts.len();
        let mut offset = table_end.next_multiple_of(ALIGN);
        let mut table = Vec::new();
        for (&tag, parts) in &self.parts {
            let mut sum = crc32fast::Hasher::new();
            parts.iter().for_each(|part| sum.update(part));
            let length: usize = parts.iter().map(|part| part.len()).sum();
            table.extend(tag.to_le_bytes());
            table.extend(sum.finalize().to_le_bytes());
            table.extend((offset as u64).to_le_bytes());
            table.extend((length as u64).to_le_bytes());
            offset = (offset + length).next_multiple_of(ALIGN);
        }
        let mut header = Vec::with_capacity(HEADER);
        header.extend(MAGIC);
        header.extend(VERSION.to_le_bytes());
        header.extend((self.parts.len() as u32).to_le_bytes());
        header.extend((offset as u64).to_le_bytes());
        let mut sum = crc32fast::Hasher::new();
        sum.update(&header);
        sum.update(&table);
        header.extend(sum.finalize().to_le_bytes());
        header.extend(0u32.to_le_bytes());
        out.write_all(&header)?;
        out.write_all(&table)?;
        let mut at = table_end;
        for parts in self.parts.values() {
            out.write_all(&vec![0; at.next_multiple_of(ALIGN) - at])?;
            at = at.next_multiple_of(ALIGN);
            for part in parts {
                out.write_all(part)?;
                at += part.len();
            }
        }
        out.write_all(&vec![0; at.next_multiple_of(ALIGN) - at])
    }
}

/// A file's sections by tag. Checksums are compared unless `verify` is false (a fuzzer has to get past them).
pub fn read(file: &Buffer, verify: bool) -> Result<BTreeMap<u32, Buffer>> {
    let bytes = file.as_slice();
    let format = |message: &str| Error::Format(message.into());
    if bytes.len() < HEADER || &bytes[..8] != MAGIC {
        return Err(format("this is not a timewalk graph file"));
    }
    let version = u32_at(bytes, 8);
    if version > VERSION || version == 0 {
        return Err(Error::Format(format!("the file has version {version}; this library reads up to {VERSION}")));
    }
    let (count, length) = (u32_at(bytes, 12) as usize, u64_at(bytes, 16));
    if length != bytes.len() as u64 {
        return Err(Error::Format(format!("the file is cut off or grown: {} bytes in place of {length}", bytes.len())));
    }
    let table_end = count.checked_mul(ENTRY).and_then(|size| size.checked_add(HEADER));
    let Some(table) = table_end.and_then(|end| bytes.get(HEADER..end)) else {
        return Err(format("the file's table of sections is damaged"));
    };
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..24]);
    sum.update(table);
    if verify && sum.finalize() != u32_at(bytes, 24) {
        return Err(format("the file's header is damaged"));
    }
    let mut sections = BTreeMap::new();
    let mut after = HEADER + table.len();
    let mut gaps = Vec::from([RESERVED]);
    for entry in table.chunks_exact(ENTRY) {
        let (tag, checksum) = (u32_at(entry, 0), u32_at(entry, 4));
        let begin = usize::try_from(u64_at(entry, 8)).ok();
        let size = usize::try_from(u64_at(entry, 16)).ok();
        let range = begin.zip(size).and_then(|(begin, size)| Some((begin, size, begin.checked_add(size)?)));
        let Some((begin, size, _)) = range.filter(|&(begin, _, end)| end <= bytes.len() && begin % ALIGN == 0) else {
            return Err(Error::Format(format!("section {tag} lies outside the file")));
        };
        if verify && crc32fast::hash(&bytes[begin..begin + size]) != checksum {
            return Err(Error::Format(format!("section {tag} of the file is damaged")));
        }
        gaps.push(after..begin);
        after = begin + size;
        sections.insert(tag, file.slice_with_length(begin, size));
    }
    gaps.push(after..bytes.len());
    // No checksum covers what lies between, so nothing may lie there: then no damage goes unseen.
    if verify && !gaps.into_iter().all(|gap| bytes.get(gap).is_some_and(|gap| gap.iter().all(|&byte| byte == 0))) {
        return Err(format("the file is damaged between its sections"));
    }
    Ok(sections)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|part| part.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|part| part.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// Writes a snapshot to a file in one step: under another name first, synced, then renamed.
pub fn save(snapshot: &Snapshot, path: &Path) -> Result<()> {
    let place = |error: std::io::Error| Error::Io(format!("'{}' cannot be written: {error}", path.display()));
    let Some(name) = path.file_name() else {
        return Err(Error::Io(format!("'{}' names no file", path.display())));
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    let temporary = folder.join(hidden);
    let written = (|| {
        let compacted = snapshot.compacted()?;
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&temporary).map_err(place)?);
        compacted.sections().write(&mut out).map_err(place)?;
        let file = out.into_inner().map_err(|error| place(error.into_error()))?;
        file.sync_all().map_err(place)?;
        fs::rename(&temporary, path).map_err(place)
    })();
    if written.is_err() {
        // The first error is the one to tell; a leftover that cannot be removed either has the same cause.
        let _ = fs::remove_file(&temporary);
        return written;
    }
    // Not every file system lets a folder be synced; the file itself is on disk by now.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Opens a file: rows of edges and vectors are read in place, everything else is copied.
#[allow(unsafe_code)]
pub fn open(path: &Path) -> Result<Snapshot> {
    let place = |error: std::io::Error| Error::Io(format!("'{}' cannot be read: {error}", path.display()));
    let file = File::open(path).map_err(place)?;
    if file.metadata().map_err(place)?.len() == 0 {
        return Err(Error::Format("this is not a timewalk graph file: it is empty".into()));
    }
    // SAFETY: the map is read-only, and a file once written under its name is only ever replaced by rename, which
    // leaves an open map with the old contents. (Another program that writes into the file breaks this, as for any map.)
    let map = unsafe { memmap2::Mmap::map(&file) }.map_err(place)?;
    let map = std::sync::Arc::new(map);
    let Some(start) = std::ptr::NonNull::new(map.as_ptr().cast_mut()) else {
        return Err(Error::Io(format!("'{}' cannot be mapped", path.display())));
    };
    let length = map.len();
    // SAFETY: the range is the map's own, which the buffer keeps alive; nothing writes through the buffer.
    let buffer = unsafe { Buffer::from_custom_allocation(start, length, map) };
    Snapshot::from_sections(&read(&buffer, true)?)
}

/// A snapshot as the bytes of a file.
pub fn to_bytes(snapshot: &Snapshot) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    snapshot.compacted()?.sections().write(&mut bytes).map_err(|error| Error::Io(error.to_string()))?;
    Ok(bytes)
}

/// A snapshot from the bytes of a file; `verify` as in [`read`].
pub fn from_bytes(bytes: &[u8], verify: bool) -> Result<Snapshot> {
    Snapshot::from_sections(&read(&Buffer::from_slice_ref(bytes), verify)?)
}
