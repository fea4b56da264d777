//! What of a snapshot lies in which section of the file, and what must hold of it when it is read.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer, ToByteSlice};

use crate::graph::csr::Csr;
use crate::graph::edges::Edges;
use crate::graph::file::Sections;
use crate::graph::nodes::{Chunked, Kind, NONE, Node};
use crate::graph::order::IdOrder;
use crate::graph::pool::StringPool;
use crate::graph::relations::{Relation, RelationKind, Relations};
use crate::graph::snapshot::{Extra, Snapshot};
use crate::graph::time_index::TimeIndex;
use crate::graph::vectors::Vectors;
use crate::{Error, Result};

const META: u32 = 1;
const RELATIONS: u32 = 2;
const POOLS: [u32; 3] = [10, 20, 30]; // ids, names, tag sets: lengths at the tag, text at the next
const NODES: u32 = 40;
const EXTRAS: u32 = 41;
const ALIASES: u32 = 42;
const ORDER: u32 = 43;
const VECTORS: u32 = 50;
const FORWARD: u32 = 60; // offsets, nodes, weights, relations
const BACKWARD: u32 = 70;
const RECORD: usize = 64;

impl Snapshot {
    /// The same with all edges in compressed rows and all ids ranked.
    pub fn compacted(&self) -> Result<Cow<'_, Self>> {
        if self.edges.is_compact(self.nodes.len()) && self.order.order().len() == self.ids.len() {
            return Ok(Cow::Borrowed(self));
        }
        let mut copy = self.clone();
        copy.compact()?;
        Ok(Cow::Owned(copy))
    }

    /// The sections of a compacted snapshot.
    pub fn sections(&self) -> Sections<'_> {
        let mut out = Sections::default();
        let meta = [self.nodes.len() as u64, self.vectors.dim() as u64, self.vectors.len() as u64];
        out.push(META, meta.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>());
        for relation in self.relations.iter() {
            let mut bytes = (relation.name.len() as u32).to_le_bytes().to_vec();
            bytes.extend(relation.name.as_bytes());
            bytes.extend([relation.inverse, kind_number(relation.kind)]);
            bytes.extend(relation.boost.to_le_bytes());
            out.push(RELATIONS, bytes);
        }
        for (tag, pool) in POOLS.into_iter().zip([&self.ids, &self.names, &self.tag_sets]) {
            let lengths = (0..pool.len() as u32).flat_map(|number| (pool.get(number).len() as u32).to_le_bytes());
            out.push(tag, lengths.collect::<Vec<u8>>());
            out.push(tag + 1, (0..pool.len() as u32).flat_map(|number| pool.get(number).bytes()).collect::<Vec<u8>>());
        }
        out.push(NODES, self.nodes.iter().flat_map(record).collect::<Vec<u8>>());
        out.push(EXTRAS, self.extras.iter().flat_map(|extra| extra.author.to_le_bytes()).collect::<Vec<u8>>());
        let mut aliases: Vec<(u32, u32)> = self.aliases.iter().map(|(&alias, &entity)| (alias, entity)).collect();
        aliases.sort_unstable();
        let pairs = aliases.into_iter().flat_map(|(alias, entity)| [alias, entity]);
        out.push(ALIASES, pairs.flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
        out.push(ORDER, self.order.order().to_byte_slice());
        out.push(VECTORS, Vec::new());
        self.vectors.chunks().for_each(|chunk| out.push(VECTORS, chunk.to_byte_slice()));
        for (tag, csr) in [FORWARD, BACKWARD].into_iter().zip(self.edges.compressed()) {
            for (at, bytes) in csr.parts().into_iter().enumerate() {
                out.push(tag + at as u32, bytes);
            }
        }
        out
    }

    /// A snapshot from sections; everything that the kernels rely on is checked.
    pub fn from_sections(sections: &BTreeMap<u32, Buffer>) -> Result<Self> {
        if cfg!(target_endian = "big") {
            return Err(Error::Format("graph files are little-endian, this machine is not".into()));
        }
        let meta = numbers::<u64>(sections, META)?;
        let [count, dim, rows] = *meta.as_ref() else { return Err(damaged("its counts")) };
        let fits = |number: u64| usize::try_from(number).ok().filter(|&number| number < NONE as usize);
        let (Some(count), Some(dim), Some(rows)) = (fits(count), fits(dim), fits(rows)) else {
            return Err(damaged("its counts"));
        };
        let relations = read_relations(section(sections, RELATIONS)?)?;
        let [ids, names, tag_sets] = POOLS.map(|tag| read_pool(sections, tag));
        let (ids, names, tag_sets) = (ids?, names?, tag_sets?);
        let vectors =
            Vectors::from_rows(dim, rows, numbers(sections, VECTORS)?).ok_or_else(|| damaged("its vectors"))?;

        let records = section(sections, NODES)?.as_slice();
        let authors = numbers::<u32>(sections, EXTRAS)?;
        if records.len() != count.saturating_mul(RECORD) || authors.len() != count || count > ids.len() {
            return Err(damaged("its nodes"));
        }
        let mut snapshot = Self { ids, names, tag_sets, vectors, relations: Arc::new(relations), ..Self::default() };
        let (mut nodes, mut extras) = (Chunked::default(), Chunked::default());
        for (bytes, &author) in records.chunks_exact(RECORD).zip(authors.iter()) {
            let node = read_record(bytes).filter(|node| snapshot.is_sound(node, author));
            let node = node.ok_or_else(|| damaged("a node"))?;
            snapshot.count(&node);
            nodes.push(node);
            extras.push(Extra { author });
        }
        (snapshot.nodes, snapshot.extras) = (nodes, extras);

        let mut aliases = HashMap::new();
        for pair in numbers::<u32>(sections, ALIASES)?.chunks_exact(2) {
            if snapshot.kind(pair[0]) != Kind::Gone || snapshot.kind(pair[1]) != Kind::Entity {
                return Err(damaged("an alias"));
            }
            aliases.insert(pair[0], pair[1]);
        }
        snapshot.aliases = Arc::new(aliases);
        let order = numbers::<u32>(sections, ORDER)?;
        snapshot.order = IdOrder::from_order(&order, &snapshot.ids).ok_or_else(|| damaged("its order of ids"))?;
        let total = snapshot.relations.len();
        let rows = |tag| -> Result<Csr> {
            let parts = (numbers(sections, tag)?, numbers(sections, tag + 1)?, numbers(sections, tag + 2)?);
            Csr::from_parts(parts.0, parts.1, parts.2, numbers(sections, tag + 3)?, count, total)
                .ok_or_else(|| damaged("its edges"))
        };
        let (forward, backward) = (rows(FORWARD)?, rows(BACKWARD)?);
        if forward.len() != backward.len() {
            return Err(damaged("its edges"));
        }
        snapshot.edges = Edges::from_compressed(forward, backward);
        snapshot.times = TimeIndex::default().updated(&snapshot.nodes, 0..count as u32);
        Ok(snapshot)
    }

    fn is_sound(&self, node: &Node, author: u32) -> bool {
        let among = |number: u32, pool: &StringPool| number == NONE || (number as usize) < pool.len();
        node.kind == Kind::Gone
            || ((node.namespace as usize) < self.names.len()
                && [node.fact_type, node.thread, author].into_iter().all(|number| among(number, &self.names))
                && among(node.tags, &self.tag_sets)
                && node.interval().is_none_or(|(start, end)| start <= end))
                && (node.vector == NONE || (node.vector as usize) < self.vectors.len())
    }
}

fn damaged(what: &str) -> Error {
    Error::Format(format!("the file is damaged: {what} cannot be right"))
}

fn section(sections: &BTreeMap<u32, Buffer>, tag: u32) -> Result<&Buffer> {
    sections.get(&tag).ok_or_else(|| Error::Format(format!("section {tag} of the file is missing")))
}

fn numbers<T: ArrowNativeType>(sections: &BTreeMap<u32, Buffer>, tag: u32) -> Result<ScalarBuffer<T>> {
    let buffer = section(sections, tag)?;
    let whole = buffer.len() % size_of::<T>() == 0 && buffer.as_ptr().align_offset(align_of::<T>()) == 0;
    if whole { Ok(ScalarBuffer::from(buffer.clone())) } else { Err(damaged("the length of a section")) }
}

fn read_pool(sections: &BTreeMap<u32, Buffer>, tag: u32) -> Result<StringPool> {
    let text = std::str::from_utf8(section(sections, tag + 1)?.as_slice()).map_err(|_| damaged("its text"))?;
    let (mut pool, mut begin) = (StringPool::default(), 0usize);
    for &length in numbers::<u32>(sections, tag)?.iter() {
        let end = begin.saturating_add(length as usize);
        let piece = text.get(begin..end).ok_or_else(|| damaged("its text"))?;
        let number = pool.len();
        if pool.intern(piece)? as usize != number {
            return Err(damaged("a string that comes twice"));
        }
        begin = end;
    }
    Ok(pool)
}

fn kind_number(kind: RelationKind) -> u8 {
    match kind {
        RelationKind::Causal => 0,
        RelationKind::Enabling => 1,
        RelationKind::Temporal => 2,
        RelationKind::Other => 3,
    }
}

fn read_relations(buffer: &Buffer) -> Result<Relations> {
    let mut rest = buffer.as_slice();
    let mut all = Vec::new();
    while !rest.is_empty() {
        let relation = read_relation(&mut rest).ok_or_else(|| damaged("a relation"))?;
        all.push(relation);
    }
    Relations::from_all(all).ok_or_else(|| damaged("its relations"))
}

fn read_relation(rest: &mut &[u8]) -> Option<Relation> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (name, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let (&[inverse, kind], after) = after.split_first_chunk::<2>()?;
    let (boost, after) = after.split_first_chunk::<8>()?;
    *rest = after;
    let kind = match kind {
        0 => RelationKind::Causal,
        1 => RelationKind::Enabling,
        2 => RelationKind::Temporal,
        3 => RelationKind::Other,
        _ => return None,
    };
    let boost = Some(f64::from_le_bytes(*boost)).filter(|boost| boost.is_finite() && *boost >= 0.0)?;
    Some(Relation { name: std::str::from_utf8(name).ok()?.into(), inverse, kind, boost })
}

fn record(node: &Node) -> [u8; RECORD] {
    let mut bytes = [0; RECORD];
    let times = [node.start, node.end, node.mentioned, node.created, node.invalid];
    let numbers = [node.namespace, node.fact_type, node.tags, node.vector, node.thread];
    for (slot, time) in bytes.chunks_exact_mut(8).zip(times) {
        slot.copy_from_slice(&time.to_le_bytes());
    }
    for (slot, number) in bytes[40..60].chunks_exact_mut(4).zip(numbers) {
        slot.copy_from_slice(&number.to_le_bytes());
    }
    bytes[60] = match node.kind {
        Kind::Memory => 0,
        Kind::Entity => 1,
        Kind::Gone => 2,
    };
    bytes
}

fn read_record(bytes: &[u8]) -> Option<Node> {
    let time = |at: usize| bytes.get(8 * at..8 * at + 8)?.try_into().ok().map(i64::from_le_bytes);
    let number = |at: usize| bytes.get(40 + 4 * at..44 + 4 * at)?.try_into().ok().map(u32::from_le_bytes);
    Some(Node {
        start: time(0)?,
        end: time(1)?,
        mentioned: time(2)?,
        created: time(3)?,
        invalid: time(4)?,
        namespace: number(0)?,
        fact_type: number(1)?,
        tags: number(2)?,
        vector: number(3)?,
        thread: number(4)?,
        kind: match bytes.get(60)? {
            0 => Kind::Memory,
            1 => Kind::Entity,
            2 => Kind::Gone,
            _ => return None,
        },
    })
}
