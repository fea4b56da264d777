//! Any list of edges, in any pieces, with deletions between: a sound graph, equal to one built at once.
#![no_main]

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, RecordBatch, StringArray, UInt8Array};
use libfuzzer_sys::fuzz_target;
use timewalk_core::graph::{MemoryGraph, Merge};

const RELATIONS: [&str; 4] = ["temporal", "causes", "caused_by", "similar"];

fn table(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn memories(ids: impl Iterator<Item = u8>) -> RecordBatch {
    table(vec![("id", Arc::new(UInt8Array::from_iter_values(ids)))])
}

fuzz_target!(|data: &[u8]| {
    let zone = timewalk_core::time::parse_zone("UTC").expect("a zone");
    let graph = MemoryGraph::new();
    graph.add_memories(&memories(0..=255), &zone).expect("memories");
    let mut expected: BTreeMap<(u8, u8, u8), f32> = BTreeMap::new();
    for step in data.chunks(64) {
        let edges: Vec<(u8, u8, u8, f32)> =
            step.chunks_exact(4).map(|e| (e[0], e[1], e[2] % 4, f32::from_bits(u32::from(e[3]) << 23))).collect();
        let names = edges.iter().map(|edge| RELATIONS[edge.2 as usize]);
        let batch = table(vec![
            ("source", Arc::new(UInt8Array::from_iter_values(edges.iter().map(|edge| edge.0)))),
            ("target", Arc::new(UInt8Array::from_iter_values(edges.iter().map(|edge| edge.1)))),
            ("relation", Arc::new(StringArray::from_iter_values(names))),
            ("weight", Arc::new(Float32Array::from_iter_values(edges.iter().map(|edge| edge.3)))),
        ]);
        let good = edges.iter().all(|edge| edge.0 != edge.1 && edge.3.is_finite());
        assert_eq!(graph.add_edges(&batch, Merge::Max).is_ok(), good);
        if good {
            for (source, target, relation, weight) in edges {
                let slot = expected.entry((source, target, relation)).or_insert(weight);
                *slot = slot.max(weight);
            }
        }
        if step.len() == 64 && step[0] % 8 == 0 {
            let gone = step[1];
            graph.delete(&[gone.to_string()]).expect("deleted");
            graph.add_memories(&memories(std::iter::once(gone)), &zone).expect("memories");
            expected.retain(|&(source, target, _), _| source != gone && target != gone);
        }
    }
    let snapshot = graph.snapshot();
    assert_eq!(snapshot.check(), Vec::<String>::new());
    assert_eq!(snapshot.edges.len(), expected.len());
    for (&(source, target, relation), &weight) in &expected {
        let node = snapshot.find(&source.to_string()).expect("a node");
        let number = snapshot.relations.find(RELATIONS[relation as usize]).expect("a relation");
        let mut row = snapshot.edges.outgoing(node).iter();
        assert!(row.any(|edge| snapshot.id(edge.0) == target.to_string() && edge.1 == weight && edge.2 == number));
    }
});
