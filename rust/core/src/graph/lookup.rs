//! Ids of edges to nodes, in bulk.

use crate::graph::nodes::Kind;
use crate::graph::snapshot::Snapshot;
use crate::graph::tables::Ids;
use crate::{Error, Result};

const NOBODY: u32 = u32::MAX;

/// The nodes of both ends. An unknown id is an error that names its row and column.
pub fn ends(snapshot: &Snapshot, source: &Ids, target: &Ids) -> Result<[Vec<u32>; 2]> {
    let worth_it = 8 * (source.len() + target.len()) > snapshot.ids.len();
    let dense = if worth_it && source.is_integer() && target.is_integer() { Dense::new(snapshot) } else { None };
    Ok([column(snapshot, source, "source", dense.as_ref())?, column(snapshot, target, "target", dense.as_ref())?])
}

fn column(snapshot: &Snapshot, ids: &Ids, name: &str, dense: Option<&Dense>) -> Result<Vec<u32>> {
    let unknown = |row: usize| {
        let mut buffer = String::new();
        let id = ids.get(row, &mut buffer);
        Error::unknown_cell(format!("no memory or entity has the id '{id}'"), name, row)
    };
    let nodes: Vec<u32> = match (ids, dense) {
        (Ids::Signed(numbers), Some(dense)) => numbers.values().iter().map(|&number| dense.get(number)).collect(),
        (Ids::Unsigned(numbers), Some(dense)) => {
            numbers.values().iter().map(|&number| i64::try_from(number).map_or(NOBODY, |n| dense.get(n))).collect()
        }
        _ => {
            let all_alive = snapshot.alive == snapshot.ids.len();
            let find = |id: &str| if all_alive { snapshot.ids.find(id) } else { snapshot.find(id) };
            let mut buffer = String::new();
            (0..ids.len()).map(|row| find(ids.get(row, &mut buffer)).unwrap_or(NOBODY)).collect()
        }
    };
    match nodes.iter().position(|&node| node == NOBODY) {
        Some(row) => Err(unknown(row)),
        None => Ok(nodes),
    }
}

/// Nodes by the integer that their id spells, where those integers lie close together.
struct Dense {
    first: i64,
    nodes: Vec<u32>,
}

impl Dense {
    fn new(snapshot: &Snapshot) -> Option<Self> {
        let count = snapshot.ids.len();
        let spelled = |node: u32| spelled(snapshot.ids.get(node)).map(|number| (number, node));
        let numbers: Vec<(i64, u32)> = (0..count as u32).filter_map(spelled).collect();
        let first = numbers.iter().map(|&(number, _)| number).min()?;
        let last = numbers.iter().map(|&(number, _)| number).max()?;
        let span = usize::try_from(last.checked_sub(first)?).ok()?;
        if span > 4 * count + 1024 {
            return None;
        }
        let mut nodes = vec![NOBODY; span + 1];
        for (number, node) in numbers {
            let entity = snapshot.resolved(node);
            if snapshot.kind(entity) != Kind::Gone {
                nodes[(number - first) as usize] = entity;
            }
        }
        Some(Self { first, nodes })
    }

    fn get(&self, number: i64) -> u32 {
        let at = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.nodes.get(at)).copied().unwrap_or(NOBODY)
    }
}

/// The integer whose decimal form the id is: "7" and "-7", not "07", "+7" or "-0".
fn spelled(id: &str) -> Option<i64> {
    let digits = id.strip_prefix('-').unwrap_or(id);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (!digits.starts_with('0') || id == "0");
    if plain { id.parse().ok() } else { None }
}
