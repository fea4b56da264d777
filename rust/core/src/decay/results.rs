//! Memory of large results, used again.
//!
//! A fresh block of many megabytes costs more to map, page by page, than the weights cost to compute. The memory of a
//! large result that has been dropped is kept, up to [`KEPT`] bytes in all, for the next one.

use std::sync::{Mutex, PoisonError};

use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer, ToByteSlice};
use bytes::Bytes;

/// Smaller results come from the allocator, which has its own ways of using memory again.
const LARGE: usize = 1 << 20;
/// At most so many bytes are kept.
const KEPT: usize = 256 << 20;

/// A number type of results and the memory kept for it.
pub trait Kept: ArrowNativeType + Default {
    /// Memory of dropped results.
    fn store() -> &'static Mutex<Vec<Vec<Self>>>;
}

impl Kept for f64 {
    fn store() -> &'static Mutex<Vec<Vec<Self>>> {
        static STORE: Mutex<Vec<Vec<f64>>> = Mutex::new(Vec::new());
        &STORE
    }
}

impl Kept for f32 {
    fn store() -> &'static Mutex<Vec<Vec<Self>>> {
        static STORE: Mutex<Vec<Vec<f32>>> = Mutex::new(Vec::new());
        &STORE
    }
}

/// Memory for `rows` results, with any content.
pub fn take<T: Kept>(rows: usize) -> Vec<T> {
    if rows * size_of::<T>() >= LARGE {
        // A lock that a fork has copied while it was held is never free again: do without.
        if let Ok(mut store) = T::store().try_lock()
            && let Some(at) = store.iter().position(|kept| kept.capacity() >= rows && kept.capacity() / 2 <= rows)
        {
            let mut kept = store.swap_remove(at);
            kept.resize(rows, T::default());
            return kept;
        }
    }
    vec![T::default(); rows]
}

/// The results as an Arrow buffer that gives its memory back when the last reader is gone.
pub fn give<T: Kept>(results: Vec<T>) -> ScalarBuffer<T> {
    if results.len() * size_of::<T>() < LARGE {
        return results.into();
    }
    let rows = results.len();
    ScalarBuffer::new(Buffer::from(Bytes::from_owner(Owner(results))), 0, rows)
}

struct Owner<T: Kept>(Vec<T>);

impl<T: Kept> AsRef<[u8]> for Owner<T> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_slice().to_byte_slice()
    }
}

impl<T: Kept> Drop for Owner<T> {
    fn drop(&mut self) {
        let results = std::mem::take(&mut self.0);
        let size = |kept: &Vec<T>| kept.capacity() * size_of::<T>();
        let mut store = match T::store().try_lock() {
            Ok(store) => store,
            Err(std::sync::TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            Err(std::sync::TryLockError::WouldBlock) => return,
        };
        store.push(results);
        while store.iter().map(size).sum::<usize>() > KEPT {
            store.remove(0);
        }
    }
}
