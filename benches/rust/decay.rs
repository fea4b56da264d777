//! Nanoseconds a value of the decay kernels, in the first-level cache and over large columns, on one thread.
//!
//! `cargo bench -p timewalk-core --bench decay`

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{ListArray, TimestampMicrosecondArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, TimeUnit};
use timewalk_core::decay::simd::math::{Exponent, exp2, ln, pow, rsqrt};
use timewalk_core::decay::simd::{Kernel, Level, run};
use timewalk_core::decay::{Accesses, Param, Settings, actr, half_life};

#[derive(Clone, Copy)]
enum Function {
    Exp2,
    Ln,
    Pow,
    Rsqrt,
}

struct Map<'a>(Function, &'a [f64], &'a mut [f64]);

impl Kernel for Map<'_> {
    type Out = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self(function, from, to) = self;
        let pairs = from.iter().zip(to);
        match function {
            Function::Exp2 => pairs.for_each(|(x, y)| *y = exp2::<FMA>(*x * 1e-16)),
            Function::Ln => pairs.for_each(|(x, y)| *y = ln::<FMA>(*x)),
            Function::Pow => pairs.for_each(|(x, y)| *y = pow::<FMA>(*x, Exponent::new(-0.4))),
            Function::Rsqrt => pairs.for_each(|(x, y)| *y = rsqrt::<FMA>(*x)),
        }
    }
}

/// Best time of several, in nanoseconds a value.
fn best(values: usize, repeats: usize, mut task: impl FnMut()) -> f64 {
    let times = (0..repeats).map(|_| {
        let start = Instant::now();
        task();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min) * 1e9 / values as f64
}

fn main() {
    let now = 1_700_000_000_000_000_i64;
    let mut state = 1_u64;
    let times: Vec<i64> = (0..1_000_000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            now - (state >> 14) as i64 % 100_000_000_000_000
        })
        .collect();
    let ages: Vec<f64> = times[..2048].iter().map(|time| (now - time + 1) as f64).collect();
    let column = TimestampMicrosecondArray::from(times).with_timezone("UTC");
    let item = Field::new("item", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), true);
    let list = |rows: usize| {
        let values = Arc::new(column.slice(0, rows * 10));
        ListArray::new(Arc::new(item.clone()), OffsetBuffer::from_lengths(vec![10; rows]), values, None)
    };
    for level in Level::available() {
        println!("{}", level.name());
        let mut out = vec![0.0; ages.len()];
        for (name, function) in
            [("exp2", Function::Exp2), ("ln", Function::Ln), ("pow", Function::Pow), ("rsqrt", Function::Rsqrt)]
        {
            let ns = best(ages.len(), 2000, || run(level, Map(function, black_box(&ages), black_box(&mut out))));
            println!("  {name:<28}{ns:>8.2}");
        }
        let Ok(base) = Settings::at(now) else { return };
        let settings = Settings { level, threads: Some(1), ..base };
        for (rows, repeats) in [(20_000, 300), (1_000_000, 20)] {
            for float32 in [false, true] {
                let settings = Settings { float32, ..settings.clone() };
                let part = column.slice(0, rows);
                let ns = best(rows, repeats, || {
                    let _ = black_box(half_life(&part, "t", Param::scalar("half_life", 2_592_000.0), &settings));
                });
                println!("  half_life {rows:>8} f32={float32:<6}{ns:>8.2}");
            }
        }
        for decay in [0.4, 0.5] {
            for (rows, repeats) in [(5_000, 300), (100_000, 20)] {
                let lists = list(rows);
                let accesses = Accesses { recent: (&lists, "r"), historical_count: None, created_at: None };
                let ns = best(rows * 10, repeats, || {
                    let _ = black_box(actr(accesses, Param::scalar("decay", decay), 1.0, &settings));
                });
                println!("  actr {rows:>8} d={decay:<9}{ns:>8.2}");
            }
        }
    }
}
