//! Memory of large results: in huge pages, and used again.
//!
//! A fresh block of many megabytes costs more to map, page by page, than the weights cost to compute, and with small
//! pages the look-up of addresses costs as much as the writing. So large results lie in mappings for which the system
//! is asked for huge pages, and the mapping of a result that has been dropped is kept, up to [`KEPT`] bytes in all,
//! for the next one.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError, TryLockError};

use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer};
use bytes::Bytes;
use memmap2::MmapMut;

/// Smaller results come from the allocator, which has its own ways of using memory again.
const LARGE: usize = 1 << 20;
/// At most so many bytes are kept.
const KEPT: usize = 256 << 20;

/// Mappings of dropped results.
static STORE: Mutex<Vec<MmapMut>> = Mutex::new(Vec::new());

/// A number type of results.
pub trait Number: ArrowNativeType + Default {}

impl Number for f64 {}
impl Number for f32 {}

/// Results while they are written.
#[derive(Debug)]
pub struct Results<T>(Memory<T>);

#[derive(Debug)]
enum Memory<T> {
    Small(Vec<T>),
    Large(MmapMut, usize),
}

impl<T: Number> Results<T> {
    /// Memory for `rows` results, with any content.
    pub fn new(rows: usize) -> Self {
        let bytes = rows * size_of::<T>();
        match (bytes >= LARGE).then(|| kept(bytes).or_else(|| mapped(bytes))).flatten() {
            Some(map) => Self(Memory::Large(map, rows)),
            None => Self(Memory::Small(vec![T::default(); rows])),
        }
    }

    /// The results as an Arrow buffer that gives its memory back when the last reader is gone.
    pub fn into_buffer(self) -> ScalarBuffer<T> {
        match self.0 {
            Memory::Small(results) => results.into(),
            Memory::Large(map, rows) => {
                let owner = Owner(Some(map), rows * size_of::<T>());
                ScalarBuffer::new(Buffer::from(Bytes::from_owner(owner)), 0, rows)
            }
        }
    }
}

impl<T: Number> Deref for Results<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Memory::Small(results) => results,
            // SAFETY: the mapping holds at least `rows` numbers, starts at a page and is never without content; any
            // bits are a number of `f64` and `f32`, the only types of results.
            #[allow(unsafe_code)]
            Memory::Large(map, rows) => unsafe { std::slice::from_raw_parts(map.as_ptr().cast(), *rows) },
        }
    }
}

impl<T: Number> DerefMut for Results<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Memory::Small(results) => results,
            // SAFETY: as above, and the mapping is borrowed as a whole.
            #[allow(unsafe_code)]
            Memory::Large(map, rows) => unsafe { std::slice::from_raw_parts_mut(map.as_mut_ptr().cast(), *rows) },
        }
    }
}

/// A kept mapping of this size, or a little larger.
fn kept(bytes: usize) -> Option<MmapMut> {
    // A lock that a fork has copied while it was held is never free again: do without.
    let mut store = STORE.try_lock().ok()?;
    let at = store.iter().position(|map| map.len() >= bytes && map.len() / 2 <= bytes)?;
    Some(store.swap_remove(at))
}

fn mapped(bytes: usize) -> Option<MmapMut> {
    let map = MmapMut::map_anon(bytes).ok()?;
    // A wish: without huge pages it is only slower.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Some(map)
}

/// A mapping on its way back to the store, and how much of it is in use.
struct Owner(Option<MmapMut>, usize);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        self.0.as_deref().map_or(&[], |bytes| &bytes[..self.1])
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let mut store = match STORE.try_lock() {
            Ok(store) => store,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            Err(TryLockError::WouldBlock) => return,
        };
        store.extend(self.0.take());
        while store.iter().map(|map| map.len()).sum::<usize>() > KEPT {
            store.remove(0);
        }
    }
}
