//! Milliseconds of building the memory graph and of its kernels, on one thread, without Python.
//!
//! `cargo bench -p timewalk-core --bench graph [NODES [EDGES]]`; the graph is scale-free, queries start from five nodes.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::types::Float32Type;
use arrow_array::{
    ArrayRef, FixedSizeListArray, Float32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use timewalk_core::activation::proximity::Span;
use timewalk_core::activation::{
    Active, Interrupt, PageRankOptions, ProductOptions, Relevance, SpreadOptions, WalkOptions, best_first, pagerank,
    spread, walk,
};
use timewalk_core::graph::{Filter, MemoryGraph, Merge};

const DIM: usize = 128;
const DAY: i64 = 86_400_000_000;

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, most: usize) -> i64 {
        (self.next() % most as u64) as i64
    }
}

fn table(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn memories(count: usize, random: &mut Random) -> RecordBatch {
    let times = (0..count).map(|_| random.below(400) * DAY).collect::<Vec<_>>();
    let vectors = (0..count).map(|_| Some((0..DIM).map(|_| Some(random.share() as f32 - 0.4)).collect::<Vec<_>>()));
    let vectors = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(vectors, DIM as i32);
    table(vec![
        ("id", Arc::new(Int64Array::from_iter_values(0..count as i64))),
        ("occurred_start", Arc::new(TimestampMicrosecondArray::from(times).with_timezone("UTC"))),
        ("embedding", Arc::new(vectors)),
    ])
}

fn edges(nodes: usize, count: usize, random: &mut Random) -> RecordBatch {
    let mut ends = Vec::with_capacity(count);
    while ends.len() < count {
        let target = (nodes as f64 * random.share().powf(2.5)) as i64;
        let source = random.below(nodes);
        if source != target {
            ends.push((source, target));
        }
    }
    let relation = |at: usize| if at.is_multiple_of(10) { "caused_by" } else { "temporal" };
    table(vec![
        ("source", Arc::new(Int64Array::from_iter_values(ends.iter().map(|end| end.0)))),
        ("target", Arc::new(Int64Array::from_iter_values(ends.iter().map(|end| end.1)))),
        ("relation", Arc::new(StringArray::from_iter_values((0..count).map(relation)))),
        ("weight", Arc::new(Float32Array::from_iter_values((0..count).map(|_| random.share() as f32)))),
    ])
}

/// Prints the median of several runs.
fn report(name: &str, runs: usize, mut work: impl FnMut(usize)) {
    let mut times: Vec<f64> = (0..runs)
        .map(|run| {
            let begin = Instant::now();
            work(run);
            begin.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name:<28} {:>10.4} ms", times[runs / 2]);
}

fn main() {
    let mut sizes = std::env::args().skip(1).filter_map(|argument| argument.parse::<usize>().ok());
    let nodes = sizes.next().unwrap_or(200_000);
    let count = sizes.next().unwrap_or(10 * nodes);
    let mut random = Random(7);
    let (memories, links) = (memories(nodes, &mut random), edges(nodes, count, &mut random));
    let zone = timewalk_core::time::parse_zone("UTC").expect("a zone");

    let graph = MemoryGraph::new();
    report("add memories, vectors", 1, |_| graph.add_memories(&memories, &zone).expect("memories"));
    report("add edges", 3, |_| {
        let graph = MemoryGraph::from_snapshot(graph.snapshot());
        graph.add_edges(&links, Merge::Max).expect("edges");
    });
    graph.add_edges(&links, Merge::Max).expect("edges");
    let few = links.slice(0, 1_000.min(count));
    report("1,000 edges on top", 20, |_| graph.add_edges(&few, Merge::Replace).expect("edges"));

    let (snapshot, filter, never) = (graph.snapshot(), Filter::default(), Interrupt::never());
    let queries: Vec<Vec<Active>> = (0..50)
        .map(|_| (0..5).map(|_| Active { node: random.below(nodes) as u32, activation: 1.0 }).collect())
        .collect();
    report("spread, depth 3", 50, |run| {
        let options = SpreadOptions::default();
        let found = graph.with_scratch(nodes, |scratch| {
            spread(&snapshot, &queries[run], &options, &filter, scratch, never).expect("activation").found
        });
        black_box(found);
    });
    report("pagerank, epsilon 1e-4", 50, |run| {
        let options = PageRankOptions::default();
        let found = graph.with_scratch(nodes, |scratch| {
            pagerank(&snapshot, &queries[run], &options, &filter, scratch, never).expect("ranks").found
        });
        black_box(found);
    });
    report("best first, budget 1,000", 50, |run| {
        let options = ProductOptions::default();
        black_box(best_first(&snapshot, &queries[run], &options, &filter, never).expect("paths"));
    });
    let query: Vec<f32> = (0..DIM).map(|_| random.share() as f32 - 0.4).collect();
    let relevance = Relevance::new(&snapshot, Some(&query), None).expect("a query");
    for (name, days) in [("walk, window of 1 day", 1), ("walk, window of 14 days", 14), ("walk, everything", 400)] {
        let window = Span { start: 100 * DAY * i64::from(days < 100), end: (100 * i64::from(days < 100) + days) * DAY };
        report(name, 50, |_| {
            black_box(walk(&snapshot, window, &relevance, &WalkOptions::default(), &filter, never).expect("a walk"));
        });
    }
}
