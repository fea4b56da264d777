//! A growable list of big parts that copies share: a copy counts a reference for every 64 parts, a write copies the one
//! part it changes and the 64 references beside it. What a change costs hardly depends on how much there is.

use std::sync::Arc;

const GROUP: usize = 64;

/// Parts by number.
#[derive(Debug, Clone)]
pub struct Spine<C> {
    groups: Vec<Arc<[Arc<C>]>>,
    len: usize,
}

impl<C> Default for Spine<C> {
    fn default() -> Self {
        Self { groups: Vec::new(), len: 0 }
    }
}

impl<C: Clone> Spine<C> {
    /// So many parts that are all the same one until they are written to.
    pub fn filled(len: usize, part: C) -> Self {
        let part = Arc::new(part);
        let group = |size: usize| -> Arc<[Arc<C>]> { vec![part.clone(); size].into() };
        let mut groups = vec![group(GROUP); len / GROUP];
        if !len.is_multiple_of(GROUP) {
            groups.push(group(len % GROUP));
        }
        Self { groups, len }
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// A part by number.
    #[inline]
    pub fn get(&self, number: usize) -> Option<&C> {
        self.groups.get(number / GROUP)?.get(number % GROUP).map(AsRef::as_ref)
    }

    /// A part to write to; it is copied first if another copy of the list shares it.
    pub fn get_mut(&mut self, number: usize) -> Option<&mut C> {
        let group = Arc::make_mut(self.groups.get_mut(number / GROUP)?);
        group.get_mut(number % GROUP).map(Arc::make_mut)
    }

    /// Puts another part in the place of one, without a look at the old one.
    pub fn set(&mut self, number: usize, part: C) {
        if let Some(group) = self.groups.get_mut(number / GROUP)
            && let Some(slot) = Arc::make_mut(group).get_mut(number % GROUP)
        {
            *slot = Arc::new(part);
        }
    }

    /// Appends a part.
    pub fn push(&mut self, part: C) {
        let part = Arc::new(part);
        if self.len.is_multiple_of(GROUP) {
            self.groups.push(Arc::new([part]));
        } else if let Some(last) = self.groups.last_mut() {
            *last = last.iter().cloned().chain([part]).collect();
        }
        self.len += 1;
    }

    /// All parts in order.
    pub fn iter(&self) -> impl Iterator<Item = &C> {
        self.groups.iter().flat_map(|group| group.iter().map(AsRef::as_ref))
    }

    /// Whether a part is the very same in both lists.
    pub fn shares(&self, other: &Self, number: usize) -> bool {
        let at = |list: &Self| list.groups.get(number / GROUP)?.get(number % GROUP).map(Arc::as_ptr);
        at(self) == at(other)
    }
}
