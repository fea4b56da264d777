//! Any bytes as a snapshot file, checksums not looked at: an error, or a graph that every kernel runs on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use timewalk_core::activation::proximity::Span;
use timewalk_core::activation::{
    Active, Interrupt, PageRankOptions, ProductOptions, Relevance, Scratch, SpreadOptions, WalkOptions, best_first,
    pagerank, spread, walk,
};
use timewalk_core::graph::{Filter, MemoryGraph, Merge, Snapshot, file};

/// A small sound graph, whose bytes the input changes in places: (place, value) in groups of five bytes.
fn changed(data: &[u8]) -> Vec<u8> {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    let column = |values: &[&str]| -> ArrayRef { Arc::new(StringArray::from(values.to_vec())) };
    let table = |columns: Vec<(&str, ArrayRef)>| RecordBatch::try_from_iter(columns).expect("columns of one length");
    let graph = MemoryGraph::new();
    let days = column(&["2024-01-01", "2024-01-02", "2024-01-03"]);
    let memories = table(vec![("id", column(&["a", "b", "c"])), ("occurred_start", days)]);
    graph.add_memories(&memories, &timewalk_core::time::parse_zone("UTC").expect("a zone")).expect("memories");
    let edges = table(vec![
        ("source", column(&["a", "b", "a"])),
        ("target", column(&["b", "c", "c"])),
        ("relation", column(&["causes", "temporal", "similar"])),
    ]);
    graph.add_edges(&edges, Merge::Max).expect("edges");
    let mut bytes = file::to_bytes(&graph.snapshot()).expect("bytes");
    for change in data.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
        bytes[at] = change[2];
    }
    bytes
}

fn use_it(snapshot: &Snapshot) {
    snapshot.check();
    let seeds: Vec<Active> =
        (0..snapshot.nodes.len().min(3) as u32).map(|node| Active { node, activation: 1.0 }).collect();
    let (filter, never) = (Filter::default(), Interrupt::never());
    let mut scratch = Scratch::default();
    scratch.resize(snapshot.nodes.len());
    let _ = spread(snapshot, &seeds, &SpreadOptions::default(), &filter, &mut scratch, never);
    scratch.clear();
    let _ = pagerank(snapshot, &seeds, &PageRankOptions::default(), &filter, &mut scratch, never);
    let _ = best_first(snapshot, &seeds, &ProductOptions::default(), &filter, never);
    let relevance = Relevance::new(snapshot, None, None).expect("no query");
    let _ =
        walk(snapshot, Span { start: i64::MIN, end: i64::MAX }, &relevance, &WalkOptions::default(), &filter, never);
    let _ = (snapshot.memories(), snapshot.entities(), snapshot.edge_table(), snapshot.relation_table());
}

fuzz_target!(|data: &[u8]| {
    for bytes in [data, changed(data).as_slice()] {
        if let Ok(snapshot) = file::from_bytes(bytes, false) {
            use_it(&snapshot);
        }
    }
});
