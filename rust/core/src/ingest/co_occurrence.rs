//! Which memory mentions which entity, and which entities are mentioned together.

use std::collections::{BTreeSet, HashMap};

use super::diff::{Diff, Links};

/// How pairs of entities are weighed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairOptions {
    /// Lowest weight.
    pub floor: f64,
    /// Strongest links kept of each entity.
    pub limit: usize,
    /// A memory that mentions more is a list and counts for nothing.
    pub most_entities: usize,
}

/// What an update has changed.
#[derive(Debug, Default)]
pub struct MentionChange {
    /// Mentions: (position of the memory, number of the entity) with the confidence.
    pub mentions: Links<(u32, u32)>,
    /// Pairs of entities, in both directions as far as both keep the link.
    pub pairs: Links<(u32, u32)>,
    /// Entities that no memory mentions any more.
    pub gone: Vec<u32>,
}

/// The mentions and the co-occurrence of entities, kept in step with the memories.
#[derive(Debug)]
pub struct Mentions {
    options: PairOptions,
    numbers: HashMap<Box<str>, u32>,
    entities: Vec<Entity>,
    /// Entities of each memory with the confidence, by position, sorted.
    members: Vec<Vec<(u32, f64)>>,
}

#[derive(Debug, Default)]
struct Entity {
    id: Box<str>,
    /// Memories that mention it, and those of them that count.
    mentioned: u32,
    counted: u32,
    together: HashMap<u32, u32>,
    links: Vec<(u32, f64)>,
}

impl Mentions {
    /// Nothing yet.
    pub fn new(options: PairOptions) -> Self {
        Self { options, numbers: HashMap::new(), entities: Vec::new(), members: Vec::new() }
    }

    /// The id of an entity.
    pub fn id(&self, number: u32) -> &str {
        self.entities.get(number as usize).map_or("", |entity| &entity.id)
    }

    /// Gives memories other mentions than they had, none for one that goes: entity and confidence.
    pub fn update<'a>(&mut self, memories: impl Iterator<Item = (u32, Vec<(&'a str, f64)>)>) -> MentionChange {
        let mut mentions = Diff::default();
        let mut touched: BTreeSet<u32> = BTreeSet::new();
        for (position, named) in memories {
            let mut found: Vec<(u32, f64)> = named.iter().map(|&(id, sure)| (self.number(id), sure)).collect();
            found.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
            found.dedup_by_key(|mention| mention.0);
            if self.members.len() <= position as usize {
                self.members.resize(position as usize + 1, Vec::new());
            }
            let before = std::mem::take(&mut self.members[position as usize]);
            for &(entity, sure) in &before {
                mentions.gone((position, entity), sure);
            }
            for &(entity, sure) in &found {
                mentions.came((position, entity), sure);
            }
            self.count(&before, -1, &mut touched);
            self.count(&found, 1, &mut touched);
            self.members[position as usize] = found;
        }
        let pairs = self.relink(&touched);
        let gone = touched.into_iter().filter(|&number| self.entities[number as usize].mentioned == 0).collect();
        MentionChange { mentions: mentions.finish(), pairs, gone }
    }

    fn number(&mut self, id: &str) -> u32 {
        if let Some(&number) = self.numbers.get(id) {
            return number;
        }
        let number = self.entities.len() as u32;
        self.numbers.insert(id.into(), number);
        self.entities.push(Entity { id: id.into(), ..Entity::default() });
        number
    }

    fn count(&mut self, members: &[(u32, f64)], sign: i32, touched: &mut BTreeSet<u32>) {
        let counts = members.len() <= self.options.most_entities;
        for &(number, _) in members {
            touched.insert(number);
            let entity = &mut self.entities[number as usize];
            entity.mentioned = entity.mentioned.saturating_add_signed(sign);
            if !counts {
                continue;
            }
            entity.counted = entity.counted.saturating_add_signed(sign);
            for &(other, _) in members.iter().filter(|(other, _)| *other != number) {
                let both = entity.together.entry(other).or_default();
                *both = both.saturating_add_signed(sign);
                if *both == 0 {
                    entity.together.remove(&other);
                }
            }
        }
    }

    /// Chooses the links anew of all entities that a touched one may have moved.
    fn relink(&mut self, touched: &BTreeSet<u32>) -> Links<(u32, u32)> {
        let mut moved: BTreeSet<u32> = touched.clone();
        for &number in touched {
            let entity = &self.entities[number as usize];
            for (&other, &both) in &entity.together {
                let near = &self.entities[other as usize];
                let linked = || near.links.iter().any(|(target, _)| *target == number);
                if !touched.contains(&other) && (self.weight(both, entity, near) >= self.options.floor || linked()) {
                    moved.insert(other);
                }
            }
        }
        let mut links = Links::default();
        for number in moved {
            let fresh = self.strongest(number);
            let old = std::mem::replace(&mut self.entities[number as usize].links, fresh);
            let fresh = &self.entities[number as usize].links;
            let gone = old.iter().filter(|(target, _)| !fresh.iter().any(|(other, _)| other == target));
            links.removed.extend(gone.map(|&(target, _)| (number, target)));
            links
                .set
                .extend(fresh.iter().filter(|link| !old.contains(link)).map(|&(to, weight)| ((number, to), weight)));
        }
        links
    }

    /// The heaviest links of an entity, ties by id.
    fn strongest(&self, number: u32) -> Vec<(u32, f64)> {
        let entity = &self.entities[number as usize];
        let mut links: Vec<(u32, f64)> = entity
            .together
            .iter()
            .map(|(&other, &both)| (other, self.weight(both, entity, &self.entities[other as usize])))
            .filter(|(_, weight)| *weight >= self.options.floor)
            .map(|(other, weight)| (other, weight.min(1.0)))
            .collect();
        links.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| self.id(a.0).cmp(self.id(b.0))));
        links.truncate(self.options.limit);
        links
    }

    /// Cosine of two entities as sets of memories.
    fn weight(&self, both: u32, a: &Entity, b: &Entity) -> f64 {
        f64::from(both) / (f64::from(a.counted) * f64::from(b.counted)).sqrt()
    }
}
