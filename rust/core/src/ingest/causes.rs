//! Causal links that texts state: cues, and the memory that a clause speaks of.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use arrow_array::{Array, Int64Array, ListArray, StringArray, cast::AsArray};

use super::antecedents::{Bag, Board, Index, Key, Side};
use super::cues::{Direction, claims};
use super::parallel::map_ranges;
use crate::{Error, Result};

/// Columns of the memories, in the order of their arrival.
#[derive(Debug, Clone, Copy)]
pub struct Memories<'a> {
    /// Texts; a null says nothing.
    pub texts: &'a StringArray,
    /// Namespaces; null counts as one of its own.
    pub namespaces: &'a StringArray,
    /// When it began, in microseconds.
    pub starts: &'a Int64Array,
    /// When it ended, in microseconds; the start where null.
    pub ends: &'a Int64Array,
    /// Entities of each (keys), strings; may be null.
    pub entities: &'a ListArray,
}

/// How texts are resolved to memories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CauseOptions {
    /// Links of a memory that repairs something, at most.
    pub repairs: usize,
    /// Lowest likeness of two memories that such a link ties.
    pub repair_floor: f64,
    /// Lowest score of a link that a clause makes; each clause makes at most one.
    pub clause_floor: f64,
    /// Time after which the score of what a clause speaks of is 1/√2, in microseconds.
    pub memory_span: f64,
    /// How much the share of entities counts beside the share of words.
    pub entity_weight: f64,
}

const DAY: f64 = 86_400e6;

/// Odds, on the scale of those of candidates, that a memory has no cause among them.
const NO_CAUSE: f64 = 1e-4;

/// Weights of a sure repair and of a sure base. With the boosts of their relations, steps along both are worth the
/// same: a little less than two steps that were stated, where a question follows leads most readily.
const REPAIRED: f64 = 0.16;
const BUILT_ON: f64 = REPAIRED * 2.0 / 1.5;

/// Stands for the cue of a text that states nothing, but shares rare entities with an earlier one.
pub const SHARED: &str = "shared";

/// One link from text.
#[derive(Debug, Clone, PartialEq)]
pub struct CausalLink {
    /// Row (in [`Causes`] position) of the memory that says so.
    pub source: usize,
    /// Row (position) of the memory that it speaks of.
    pub target: usize,
    /// What the target is to the source: "caused_by", "causes", or "enabled_by" where only likeness says so.
    pub relation: &'static str,
    /// Square root of a clause's score; for whole memories the eighth root of its probability times 0.16
    /// ("caused_by") or 0.21 ("enabled_by"); in (0, 1].
    pub weight: f64,
    /// The cue that said so.
    pub cue: &'static str,
}

/// Links that the texts of `memories` state, ordered by source, target and direction; of two with the same ends the
/// heavier stays.
///
/// For each claim (see [`claims`]) the memories of the same namespace that could be meant by time are scored: the
/// share of the claim's information (BM25 with rarity in the namespace) that they have, times 1/√(1 + age/span). A
/// cause begins no later than its effect ends; where one has no date, the order of arrival decides.
///
/// Which earlier memory a whole one repairs or builds on is a guess: the odds of each are w²·l/∛(1 + age/day), w being
/// the share of words and l the likeness w·(1 + entity_weight·e)/(1 + entity_weight) with the share e of entities. Its
/// probability are its odds through those of all that are kept and of there being none.
pub fn causal_links(memories: &Memories<'_>, options: &CauseOptions) -> Result<Vec<CausalLink>> {
    let positions: Vec<u32> = (0..memories.texts.len() as u32).collect();
    let orders: Vec<i64> = (0..memories.texts.len() as i64).collect();
    Ok(Causes::new(*options).update(&[], &positions, &orders, memories)?.set)
}

/// What an update has changed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CausalChange {
    /// Source, target and relation of links that are no more.
    pub removed: Vec<(usize, usize, &'static str)>,
    /// Links that are new or have another weight.
    pub set: Vec<CausalLink>,
}

/// The causal links of a store, kept in step with its memories: an update costs what it changes. However it came to
/// hold its memories, the links are those of [`causal_links`].
#[derive(Debug)]
pub struct Causes {
    options: CauseOptions,
    numbers: HashMap<Option<Box<str>>, usize>,
    spaces: Vec<Space>,
    places: Vec<Place>,
}

#[derive(Debug, Default)]
struct Space {
    index: Index,
    /// Positions in the order of arrival.
    arrived: BTreeMap<i64, u32>,
}

/// One memory.
#[derive(Debug, Default)]
struct Place {
    space: Option<usize>,
    order: i64,
    start: i64,
    end: i64,
    /// The end that was given, for a memory that is placed anew.
    own_end: Option<i64>,
    dated: bool,
    bag: Bag,
    claims: Vec<Stated>,
    links: Vec<CausalLink>,
}

#[derive(Debug)]
struct Stated {
    direction: Direction,
    cue: &'static str,
    /// The clause; the whole memory for repairs.
    bag: Option<Bag>,
}

impl Place {
    fn key(&self) -> Key {
        (self.start, self.order)
    }
}

impl Causes {
    /// Nothing yet.
    pub fn new(options: CauseOptions) -> Self {
        Self { options, numbers: HashMap::new(), spaces: Vec::new(), places: Vec::new() }
    }

    /// Takes memories out, by position, then others in: at `positions`, with their place in the order of arrival.
    /// Links in the result go by position.
    pub fn update(
        &mut self,
        removed: &[u32],
        positions: &[u32],
        orders: &[i64],
        memories: &Memories<'_>,
    ) -> Result<CausalChange> {
        let rows = positions.len();
        let lengths = [
            ("order", orders.len()),
            ("text", memories.texts.len()),
            ("namespace", memories.namespaces.len()),
            ("occurred_start", memories.starts.len()),
            ("occurred_end", memories.ends.len()),
            ("entities", memories.entities.len()),
        ];
        if let Some((name, length)) = lengths.iter().find(|(_, length)| *length != rows) {
            return Err(Error::column_type(format!("{rows} rows are expected, not {length}"), name));
        }
        let mut change = CausalChange::default();
        let mut rounds: BTreeMap<usize, Round> = BTreeMap::new();
        for &position in removed {
            if let Some(space) = self.places.get(position as usize).and_then(|place| place.space) {
                self.round(&mut rounds, space).removed.push(position);
            }
        }
        let stated = map_ranges(rows, |range| {
            range
                .map(|row| if memories.texts.is_valid(row) { claims(memories.texts.value(row)) } else { Vec::new() })
                .collect::<Vec<_>>()
        });
        let mut fresh: Vec<(u32, Place)> = Vec::with_capacity(rows);
        for (row, stated) in stated.concat().into_iter().enumerate() {
            let name = memories.namespaces.is_valid(row).then(|| memories.namespaces.value(row).into());
            let next = self.spaces.len();
            let space = *self.numbers.entry(name).or_insert(next);
            if space == next {
                self.spaces.push(Space::default());
            }
            let text = if memories.texts.is_valid(row) { memories.texts.value(row) } else { "" };
            let entities = memories.entities.is_valid(row).then(|| memories.entities.value(row));
            let entities = entities.as_ref().and_then(|list| list.as_string_opt::<i32>());
            let index = &mut self.spaces[space].index;
            let at = |column: &Int64Array| column.is_valid(row).then(|| column.value(row));
            let start = at(memories.starts).or(at(memories.ends));
            let entities = entities.into_iter().flat_map(|list| list.iter().flatten());
            let bag = index.bag(text, entities);
            let claims = stated.into_iter().map(|claim| {
                let clause = matches!(claim.direction, Direction::CausedBy | Direction::Causes).then_some(claim.clause);
                let clause = clause.and_then(|clause| text.get(clause));
                let bag = clause.map(|clause| index.bag(clause, std::iter::empty()));
                Stated { direction: claim.direction, cue: claim.cue, bag }
            });
            let mut claims: Vec<Stated> = claims.collect();
            // Without dates the order of arrival would have to say what was first, and a likeness says too little.
            if start.is_some() && claims.iter().all(|claim| claim.bag.is_some()) {
                claims.push(Stated { direction: Direction::MayBuild, cue: SHARED, bag: None });
            }
            let place = Place {
                space: Some(space),
                order: orders[row],
                start: start.unwrap_or(i64::MIN),
                own_end: at(memories.ends),
                dated: start.is_some(),
                bag,
                claims,
                ..Place::default()
            };
            self.round(&mut rounds, space).added.push(positions[row]);
            fresh.push((positions[row], place));
        }
        let most = positions.iter().max().map_or(0, |&most| most as usize + 1);
        if most > self.places.len() {
            self.places.resize_with(most, Place::default);
        }
        let mut fresh: HashMap<u32, Place> = fresh.into_iter().collect();
        for (space, round) in rounds {
            self.apply(space, round, &mut fresh, &mut change);
        }
        change.removed.sort_unstable();
        change.set.sort_by_key(|link| (link.source, link.target, link.relation));
        Ok(change)
    }

    fn round<'a>(&self, rounds: &'a mut BTreeMap<usize, Round>, space: usize) -> &'a mut Round {
        rounds.entry(space).or_insert_with(|| Round { scale: self.spaces[space].index.scale(), ..Round::default() })
    }

    fn apply(&mut self, space: usize, mut round: Round, fresh: &mut HashMap<u32, Place>, change: &mut CausalChange) {
        // With so many at once, finding out which links they leave alone would cost more than making all anew.
        let size = self.spaces[space].arrived.len();
        round.all = (round.removed.len() + round.added.len()) * 4 > size;
        let mut orders: BTreeSet<i64> = BTreeSet::new();
        for &position in &round.removed {
            let order = self.places[position as usize].order;
            orders.insert(order);
            self.spaces[space].arrived.remove(&order);
        }
        for &position in &round.added {
            if let Some(place) = fresh.get(&position) {
                orders.insert(place.order);
                self.spaces[space].arrived.insert(place.order, position);
            }
        }
        let moved = self.placed(space, &orders, fresh);
        let out: Vec<u32> = round.removed.iter().copied().chain(moved.iter().map(|&(position, _)| position)).collect();
        self.leave(space, &out, &mut round);
        for &position in &round.removed {
            let place = std::mem::take(&mut self.places[position as usize]);
            let index = &mut self.spaces[space].index;
            for bag in asked(&place) {
                index.ask(position, bag, false);
            }
            let ends = place.links.iter().map(|link| (link.source, link.target, link.relation));
            round.before.insert(position, ends.collect());
        }
        for &(position, start) in &moved {
            let place = &mut self.places[position as usize];
            place.start = start;
            place.end = place.own_end.unwrap_or(start).max(start);
        }
        for &position in &round.added {
            let Some(place) = fresh.remove(&position) else { continue };
            for bag in asked(&place) {
                self.spaces[space].index.ask(position, bag, true);
            }
            self.places[position as usize] = place;
        }
        let mut into: Vec<u32> =
            round.added.iter().copied().chain(moved.iter().map(|&(position, _)| position)).collect();
        // In the order of time each goes to the end of its lists.
        into.sort_by_key(|&position| self.places[position as usize].key());
        self.enter(space, &into, &mut round);
        round.stale.extend(into);
        self.make(space, round, change);
    }

    /// Gives fresh memories their place in time, and tells which others move: one without date stands where it arrived.
    fn placed(&self, space: usize, orders: &BTreeSet<i64>, fresh: &mut HashMap<u32, Place>) -> Vec<(u32, i64)> {
        let arrived = &self.spaces[space].arrived;
        let start_of = |fresh: &HashMap<u32, Place>, position: u32| {
            fresh.get(&position).map_or_else(|| self.places[position as usize].start, |place| place.start)
        };
        let mut moved = Vec::new();
        let mut done = i64::MIN;
        for &order in orders {
            if order < done {
                continue;
            }
            let mut last = arrived.range(..order).next_back().map_or(i64::MIN, |(_, &before)| start_of(fresh, before));
            for (&at, &position) in arrived.range(order..) {
                if let Some(place) = fresh.get_mut(&position) {
                    last = if place.dated { place.start } else { last };
                    place.start = last;
                    place.end = place.own_end.unwrap_or(last).max(last);
                } else {
                    let place = &self.places[position as usize];
                    if place.dated || place.start == last {
                        break;
                    }
                    moved.push((position, last));
                }
                done = at.saturating_add(1);
            }
        }
        moved
    }

    fn leave(&mut self, space: usize, positions: &[u32], round: &mut Round) {
        self.note(space, positions, round);
        let index = &mut self.spaces[space].index;
        for &position in positions {
            index.remove(position, &self.places[position as usize].bag, |other| self.places[other as usize].key());
        }
    }

    fn enter(&mut self, space: usize, positions: &[u32], round: &mut Round) {
        if !round.all {
            let index = &self.spaces[space].index;
            for &(word, _) in positions.iter().flat_map(|&position| &self.places[position as usize].bag.words) {
                round.standings.entry(word).or_insert_with(|| index.standing(word));
            }
        }
        let index = &mut self.spaces[space].index;
        for &position in positions {
            index.insert(position, &self.places[position as usize].bag, |other| self.places[other as usize].key());
        }
        self.note(space, positions, round);
    }

    /// Notes which memories read the lists where these are.
    fn note(&self, space: usize, positions: &[u32], round: &mut Round) {
        if round.all {
            return;
        }
        let index = &self.spaces[space].index;
        let mut keys: BTreeMap<u32, Vec<Key>> = BTreeMap::new();
        for &position in positions {
            let place = &self.places[position as usize];
            for &(word, _) in &place.bag.words {
                round.standings.entry(word).or_insert_with(|| index.standing(word));
                keys.entry(word).or_default().push(place.key());
            }
        }
        let key = |position: u32| self.places[position as usize].key();
        for (word, mut keys) in keys {
            keys.sort_unstable();
            for &asker in index.askers(word) {
                let place = &self.places[asker as usize];
                let reads = |claim: &Stated| index.reads(word, side(place, claim), &keys, key);
                if !round.stale.contains(&asker) && place.claims.iter().any(reads) {
                    round.stale.insert(asker);
                }
            }
        }
    }

    /// Makes the links of all stale memories anew.
    fn make(&mut self, space: usize, mut round: Round, change: &mut CausalChange) {
        let Space { index, arrived } = &self.spaces[space];
        if round.all || index.scale() != round.scale {
            round.stale = arrived.values().copied().collect();
        } else {
            let changed = round.standings.iter().filter(|&(&word, &standing)| index.standing(word) != standing);
            round.stale.extend(changed.flat_map(|(&word, _)| index.askers(word)));
        }
        let has_claims = |position: &u32| !self.places[*position as usize].claims.is_empty();
        let stale: Vec<u32> = round.stale.iter().copied().filter(has_claims).collect();
        let made = map_ranges(stale.len(), |range| {
            let mut board = Board::default();
            stale[range].iter().map(|&position| self.links(index, position, &mut board)).collect::<Vec<_>>()
        });
        for (position, links) in stale.into_iter().zip(made.concat()) {
            let old = std::mem::take(&mut self.places[position as usize].links);
            let ends = old.iter().map(|link| (link.source, link.target, link.relation));
            let before = round.before.entry(position).or_default();
            before.extend(ends);
            let same = |link: &&CausalLink| old.contains(link);
            change.set.extend(links.iter().filter(|link| !same(link)).cloned());
            self.places[position as usize].links = links;
        }
        for (position, before) in round.before {
            let links = &self.places[position as usize].links;
            let gone = |ends: &&(usize, usize, &'static str)| {
                !links.iter().any(|link| (link.source, link.target, link.relation) == **ends)
            };
            change.removed.extend(before.iter().filter(gone));
        }
    }

    /// The links of one memory, ordered by target and direction; of two with the same ends the heavier.
    fn links(&self, index: &Index, position: u32, board: &mut Board) -> Vec<CausalLink> {
        let mut links = Vec::new();
        for claim in &self.places[position as usize].claims {
            self.resolve(index, position, claim, board, &mut links);
        }
        links.sort_by(|a: &CausalLink, b| {
            (a.target, a.relation).cmp(&(b.target, b.relation)).then(b.weight.total_cmp(&a.weight))
        });
        links.dedup_by(|next, kept| (next.target, next.relation) == (kept.target, kept.relation));
        links
    }

    fn resolve(&self, index: &Index, position: u32, claim: &Stated, board: &mut Board, links: &mut Vec<CausalLink>) {
        let own = &self.places[position as usize];
        let back = claim.direction != Direction::Causes;
        let Self { options, places, .. } = self;
        let key = |position: u32| places[position as usize].key();
        let allowed = |other: u32| other != position && in_order(own, &places[other as usize], back);
        let age = |other: u32| (own.start as f64 - places[other as usize].start as f64).abs();
        let mut best = Best::new(if claim.bag.is_some() { 1 } else { options.repairs });
        if let Some(bag) = &claim.bag {
            index.shares(bag, side(own, claim), false, key, board, |other, words, _| {
                if best.admits(words) && allowed(other) {
                    let score = words / (1.0 + age(other) / options.memory_span).sqrt();
                    if score >= options.clause_floor {
                        best.offer(score, places[other as usize].order, other);
                    }
                }
            });
        } else {
            let tied = matches!(claim.direction, Direction::MayRepair | Direction::MayBuild);
            index.shares(&own.bag, side(own, claim), tied, key, board, |other, words, entities| {
                let likeness = words * (1.0 + options.entity_weight * entities) / (1.0 + options.entity_weight);
                let odds = likeness * words * words;
                let known = places[other as usize].dated || claim.direction != Direction::MayBuild;
                if likeness >= options.repair_floor && best.admits(odds) && known && allowed(other) {
                    let odds = odds / (1.0 + age(other) / DAY).cbrt();
                    best.offer(odds, places[other as usize].order, other);
                }
            });
        }
        let all = NO_CAUSE + best.kept.iter().map(|(odds, ..)| odds).sum::<f64>();
        links.extend(best.kept.into_iter().map(|(score, _, target)| {
            let (relation, weight) = match claim.direction {
                Direction::Causes => ("causes", score.sqrt()),
                Direction::CausedBy => ("caused_by", score.sqrt()),
                Direction::Repairs | Direction::MayRepair => ("caused_by", REPAIRED * eighth_root(score / all)),
                Direction::MayBuild => ("enabled_by", BUILT_ON * eighth_root(score / all)),
            };
            CausalLink { source: position as usize, target: target as usize, relation, weight, cue: claim.cue }
        }));
    }
}

fn eighth_root(number: f64) -> f64 {
    number.sqrt().sqrt().sqrt()
}

/// The few best of thousands, in order: score, order of arrival, position.
struct Best {
    most: usize,
    kept: Vec<(f64, i64, u32)>,
}

impl Best {
    fn new(most: usize) -> Self {
        Self { most, kept: Vec::with_capacity(most + 1) }
    }

    /// Whether something that scores no more than this may still be kept.
    fn admits(&self, most: f64) -> bool {
        most > 0.0 && (self.kept.len() < self.most || self.kept.last().is_some_and(|last| last.0 <= most))
    }

    /// Takes it in if it is among the best; of equal scores what arrived first counts.
    fn offer(&mut self, score: f64, order: i64, position: u32) {
        let ahead = |kept: &(f64, i64, u32)| kept.0 > score || (kept.0 == score && kept.1 < order);
        let place = self.kept.partition_point(ahead);
        if score > 0.0 && place < self.most {
            self.kept.truncate(self.most - 1);
            self.kept.insert(place, (score, order, position));
        }
    }
}

/// An update of one namespace under way.
#[derive(Default)]
struct Round {
    removed: Vec<u32>,
    added: Vec<u32>,
    /// Whether all links are made anew.
    all: bool,
    /// What the weights hung on before.
    scale: usize,
    standings: HashMap<u32, (usize, bool)>,
    /// Memories whose links have to be made anew.
    stale: BTreeSet<u32>,
    /// Links that there were.
    before: BTreeMap<u32, Vec<(usize, usize, &'static str)>>,
}

/// The bags that a memory asks for.
fn asked(place: &Place) -> impl Iterator<Item = &Bag> {
    place.claims.iter().map(|claim| claim.bag.as_ref().unwrap_or(&place.bag))
}

/// What time allows: causes begin no later than this ends, effects no earlier than this begins.
fn side(own: &Place, claim: &Stated) -> Side {
    if claim.direction == Direction::Causes { Side::From(own.start) } else { Side::UpTo(own.end) }
}

fn in_order(own: &Place, other: &Place, back: bool) -> bool {
    (own.dated && other.dated) || (other.order < own.order) == back
}
