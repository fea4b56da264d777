//! The graph without Python: what many threads see, what files refuse, and what holds for any list of edges.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use proptest::prelude::*;
use timewalk_core::activation::proximity::{Span, linear, proximity};
use timewalk_core::activation::{
    Active, Interrupt, PageRankOptions, ProductOptions, Relevance, Scratch, SpreadOptions, WalkOptions, best_first,
    pagerank, run_many, spread, walk,
};
use timewalk_core::graph::{Filter, MemoryGraph, Merge, Snapshot, file};
use timewalk_core::{Error, time};

fn strings(values: impl IntoIterator<Item = String>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn nodes(count: usize) -> RecordBatch {
    let days = (0..count).map(|at| format!("2024-01-{:02}", at % 28 + 1));
    batch(vec![("id", strings((0..count).map(|at| format!("n{at}")))), ("occurred_start", strings(days))])
}

fn edges(list: &[(usize, usize, u8, f64)]) -> RecordBatch {
    let names = ["temporal", "causes", "caused_by", "similar"];
    batch(vec![
        ("source", strings(list.iter().map(|edge| format!("n{}", edge.0)))),
        ("target", strings(list.iter().map(|edge| format!("n{}", edge.1)))),
        ("relation", strings(list.iter().map(|edge| names[edge.2 as usize % 4].to_string()))),
        ("weight", Arc::new(Float64Array::from_iter_values(list.iter().map(|edge| edge.3)))),
    ])
}

fn graph(count: usize, list: &[(usize, usize, u8, f64)]) -> MemoryGraph {
    let graph = MemoryGraph::new();
    graph.add_memories(&nodes(count), &time::parse_zone("UTC").expect("a zone")).expect("memories");
    graph.add_edges(&edges(list), Merge::Max).expect("edges");
    graph
}

fn everything(snapshot: &Snapshot) -> String {
    let seeds: Vec<Active> =
        ["n0", "n1"].iter().filter_map(|id| snapshot.find(id)).map(|node| Active { node, activation: 1.0 }).collect();
    let (filter, never) = (Filter::default(), Interrupt::never());
    let with_scratch = || {
        let mut scratch = Scratch::default();
        scratch.resize(snapshot.nodes.len());
        scratch
    };
    let window = Span { start: 1_704_412_800_000_000, end: 1_705_622_400_000_000 };
    let relevance = Relevance::new(snapshot, None, None).expect("no query");
    let name = |active: &Active| (snapshot.id(active.node).to_string(), active.activation.to_bits());
    let spread = spread(snapshot, &seeds, &SpreadOptions::default(), &filter, &mut with_scratch(), never);
    let ranks = pagerank(snapshot, &seeds, &PageRankOptions::default(), &filter, &mut with_scratch(), never);
    let walked = walk(snapshot, window, &relevance, &WalkOptions::default(), &filter, never).expect("a walk");
    let product = best_first(snapshot, &seeds, &ProductOptions::default(), &filter, never).expect("paths");
    format!(
        "{:?} {:?} {:?} {:?}",
        spread.expect("activation").found.iter().map(name).collect::<Vec<_>>(),
        ranks.expect("ranks").found.iter().map(name).collect::<Vec<_>>(),
        walked
            .reached
            .iter()
            .map(|row| (snapshot.id(row.node), row.activation.to_bits(), row.step.map(|step| snapshot.id(step.parent))))
            .collect::<Vec<_>>(),
        product.found.iter().map(|row| name(&row.active)).collect::<Vec<_>>(),
    )
}

fn edge_lists() -> impl Strategy<Value = (usize, Vec<(usize, usize, u8, f64)>)> {
    (2..30usize).prop_flat_map(|count| {
        let edge = (0..count, 0..count, 0..4u8, 0.0..2.0f64).prop_filter("no loop", |edge| edge.0 != edge.1);
        (Just(count), prop::collection::vec(edge, 0..120))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_edges_in_any_order_and_pieces_give_the_same_sound_graph((count, list) in edge_lists(), cut in 0..120usize) {
        let whole = graph(count, &list);
        prop_assert_eq!(whole.snapshot().check(), Vec::<String>::new());
        let mut turned = list.clone();
        turned.reverse();
        let cut = cut.min(turned.len());
        let pieces = graph(count, &turned[..cut]);
        pieces.add_edges(&edges(&turned[cut..]), Merge::Max).expect("edges");
        prop_assert_eq!(pieces.snapshot().check(), Vec::<String>::new());
        prop_assert_eq!(everything(&whole.snapshot()), everything(&pieces.snapshot()));
        pieces.write(Snapshot::compact).expect("compaction");
        prop_assert_eq!(pieces.snapshot().check(), Vec::<String>::new());
        prop_assert_eq!(everything(&whole.snapshot()), everything(&pieces.snapshot()));
        let bytes = file::to_bytes(&pieces.snapshot()).expect("bytes");
        let read = file::from_bytes(&bytes, true).expect("a graph");
        prop_assert_eq!(everything(&whole.snapshot()), everything(&read));
    }

    #[test]
    fn bytes_that_are_no_graph_are_refused_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(matches!(file::from_bytes(&bytes, false), Err(Error::Format(_))));
    }

    #[test]
    fn changed_bytes_give_an_error_or_a_graph_that_answers(at in 0..4000usize, value in any::<u8>()) {
        let mut bytes = file::to_bytes(&graph(6, &[(0, 1, 1, 0.5), (1, 2, 0, 1.0), (5, 0, 2, 0.7)]).snapshot()).expect("bytes");
        let at = at % bytes.len();
        bytes[at] = value;
        if let Ok(snapshot) = file::from_bytes(&bytes, false) {
            snapshot.check();
            everything(&snapshot);
        }
    }

    #[test]
    fn proximity_is_a_share_at_any_times(a in any::<i64>(), b in any::<i64>(), c in any::<i64>(), d in any::<i64>()) {
        let (window, event) = (Span { start: a.min(b), end: a.max(b) }, (c.min(d), c.max(d)));
        for value in [proximity(event, window), linear(event, window)] {
            prop_assert!((0.0..=1.0).contains(&value));
        }
    }
}

#[test]
fn batches_give_the_same_at_any_number_of_threads() {
    let items: Vec<u64> = (0..1000).collect();
    let square = |item: &u64, _: Interrupt<'_>| Ok(item * item);
    let one = run_many(&items, Some(1), Interrupt::never(), square).expect("squares");
    for threads in [Some(2), Some(7), None] {
        assert_eq!(run_many(&items, threads, Interrupt::never(), square).expect("squares"), one);
    }
}

#[test]
fn an_interrupt_stops_a_batch_and_a_single_kernel() {
    let list: Vec<(usize, usize, u8, f64)> =
        (0..60).flat_map(|a| (0..60).filter(move |&b| a != b).map(move |b| (a, b, 3, 1.0))).collect();
    let graph = graph(60, &list);
    let snapshot = graph.snapshot();
    let asked = AtomicBool::new(false);
    let poll = || asked.swap(true, Ordering::Relaxed);
    let seeds = [Active { node: 0, activation: 1.0 }];
    // So little is sent that the sums go on growing for as many rounds as there may be.
    let endless = SpreadOptions { depth: u32::MAX, decay: 1e-6, threshold: 0.0, ..SpreadOptions::default() };
    let run = |interrupt: Interrupt<'_>| {
        graph.with_scratch(60, |scratch| spread(&snapshot, &seeds, &endless, &Filter::default(), scratch, interrupt))
    };
    assert_eq!(run(Interrupt::new(&poll)), Err(Error::Interrupted));
    asked.store(false, Ordering::Relaxed);
    let many = run_many(&[(); 8], Some(2), Interrupt::new(&poll), |(), interrupt| run(interrupt));
    assert_eq!(many, Err(Error::Interrupted));
    // The working memory came back clean.
    let once = SpreadOptions { depth: 0, ..SpreadOptions::default() };
    let found = graph.with_scratch(60, |scratch| {
        spread(&snapshot, &seeds, &once, &Filter::default(), scratch, Interrupt::never()).expect("activation").found
    });
    assert_eq!(found, seeds);
}

#[test]
fn readers_keep_their_state_while_writers_go_on() {
    let graph = graph(50, &[(0, 1, 1, 0.5)]);
    let before = graph.snapshot();
    let answer = everything(&before);
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let graph = &graph;
            scope.spawn(move || {
                for at in 2..48 {
                    graph.add_edges(&edges(&[(writer, at, 1, 0.5)]), Merge::Max).expect("edges");
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert!(graph.snapshot().check().is_empty());
                }
            });
        }
    });
    assert_eq!(everything(&before), answer);
    assert_eq!(graph.snapshot().edges.len(), 1 + 2 * 46);
}

#[test]
fn a_compaction_loses_nothing_that_was_written_meanwhile() {
    let graph = Arc::new(graph(60, &[(0, 1, 1, 0.5), (2, 3, 3, 0.5)]));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                graph.compact().expect("compacted");
            }
        });
        for at in 4..58 {
            graph.add_edges(&edges(&[(at, at + 1, 1, 0.5), (at, 0, 0, 0.5)]), Merge::Max).expect("edges");
            if at % 3 == 0 {
                let gone = edges(&[(at, 0, 0, 0.5)]);
                assert_eq!(graph.remove_edges(&gone), Ok(1));
            }
            assert_eq!(graph.snapshot().check(), Vec::<String>::new());
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(graph.snapshot().edges.len(), 2 + 2 * 54 - 18);
    graph.compact().expect("compacted");
    assert_eq!(graph.snapshot().edges.patched(), 0);
    assert_eq!(graph.snapshot().check(), Vec::<String>::new());
}

#[test]
fn a_changed_byte_gives_an_error_or_a_graph_of_the_same_size() {
    let whole = file::to_bytes(&graph(3, &[(0, 1, 0, 0.5), (1, 2, 1, 0.25)]).snapshot()).expect("bytes");
    let (mut read, mut refused) = (0, 0);
    for at in 0..whole.len() {
        for value in [0, 1, 0x7f, 0xcb, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            // Checksums are not looked at: what they would catch must do no harm either.
            match file::from_bytes(&bytes, false) {
                Ok(snapshot) => {
                    let memories = snapshot.memories().expect("a table");
                    assert!(memories.get_array_memory_size() < 10_000_000, "byte {at} as {value}");
                    read += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(read > 0 && refused > 0);
}
