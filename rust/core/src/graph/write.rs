//! Tables of memories, entities and edges into a snapshot. Each call works on a private copy: if it fails,
//! nothing has happened.

use std::collections::HashSet;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use jiff::tz::TimeZone;

use crate::graph::csr::Columns;
use crate::graph::edges::Merge;
use crate::graph::lookup;
use crate::graph::nodes::{Kind, NO_TIME, NONE, Node};
use crate::graph::snapshot::{Extra, Namespaces, Snapshot};
use crate::graph::tables::{self, Ids, Lists};
use crate::{Error, Result, time};

/// The namespace of rows that name none.
pub const DEFAULT_NAMESPACE: &str = "default";

impl Snapshot {
    /// Adds memories, or changes known ones in the columns that the table has.
    pub fn put_memories(&mut self, table: &RecordBatch, zone: &TimeZone) -> Result<()> {
        let ids = Ids::read(tables::required(table, "id")?.as_ref(), "id")?;
        let text = |name| tables::strings(table, name);
        let (namespace, fact_type) = (text("namespace")?, text("fact_type")?);
        let (thread, author) = (text("thread")?, text("author")?);
        let tags = match table.column_by_name("tags") {
            Some(array) => Some(Lists::read(array.as_ref(), "tags")?.strings("tags")?),
            None => None,
        };
        let embedding = match table.column_by_name("embedding") {
            Some(array) => Some(Lists::read(array.as_ref(), "embedding")?.vectors("embedding")?),
            None => None,
        };
        let moment = |name: &str| -> Result<Option<Int64Array>> {
            table.column_by_name(name).map(|array| time::micros(array.as_ref(), name, zone)).transpose()
        };
        let (start, end) = (moment("occurred_start")?, moment("occurred_end")?);
        let (mentioned, created) = (moment("mentioned_at")?, moment("created_at")?);

        let numbers = self.take_ids(&ids, Kind::Memory)?;
        let default = self.names.intern(DEFAULT_NAMESPACE)?;
        for (row, &number) in numbers.iter().enumerate() {
            let namespace = self.namespace_of(namespace.as_ref(), row)?;
            let fact_type = self.interned(fact_type.as_ref(), row, "fact_type")?;
            let thread = self.interned(thread.as_ref(), row, "thread")?;
            let author = self.interned(author.as_ref(), row, "author")?;
            let tags = tags.as_ref().map(|tags| self.tag_set(&tags[row], row)).transpose()?;
            let mut node = self.nodes.get(number).copied().unwrap_or_default();
            let vector = embedding.as_ref().map(|column| match column.get(row) {
                Some(vector) => {
                    let stored = self.vectors.store(node.vector, vector);
                    stored.map_err(|error| Error::cell(error.to_string(), "embedding", row))
                }
                None => {
                    self.vectors.release(node.vector);
                    Ok(NONE)
                }
            });
            self.admit(&mut node, number, Kind::Memory, namespace, default, row)?;
            set(&mut node.fact_type, fact_type);
            set(&mut node.thread, thread);
            set(&mut node.tags, tags);
            set(&mut node.vector, vector.transpose()?);
            set(&mut node.start, at(start.as_ref(), row));
            set(&mut node.end, at(end.as_ref(), row));
            set(&mut node.mentioned, at(mentioned.as_ref(), row));
            set(&mut node.created, at(created.as_ref(), row));
            if node.start != NO_TIME && node.end != NO_TIME && node.end < node.start {
                return Err(Error::cell("a memory cannot end before it starts", "occurred_end", row));
            }
            self.store(number, node);
            if let (Some(author), Some(extra)) = (author, self.extras.get_mut(number)) {
                extra.author = author;
            }
        }
        self.settle(&numbers);
        Ok(())
    }

    /// Adds entities, or changes known ones in the columns that the table has: id, namespace, type.
    pub fn put_entities(&mut self, table: &RecordBatch) -> Result<()> {
        let ids = Ids::read(tables::required(table, "id")?.as_ref(), "id")?;
        let (namespace, of) = (tables::strings(table, "namespace")?, tables::strings(table, "type")?);
        let numbers = self.take_ids(&ids, Kind::Entity)?;
        let default = self.names.intern(DEFAULT_NAMESPACE)?;
        for (row, &number) in numbers.iter().enumerate() {
            let namespace = self.namespace_of(namespace.as_ref(), row)?;
            let of = self.interned(of.as_ref(), row, "type")?;
            let mut node = self.nodes.get(number).copied().unwrap_or_default();
            self.admit(&mut node, number, Kind::Entity, namespace, default, row)?;
            set(&mut node.fact_type, of);
            self.store(number, node);
        }
        self.settle(&[]); // entities have no dates
        Ok(())
    }

    /// Adds edges: source, target, relation, and weight (1.0 where absent or null).
    pub fn put_edges(&mut self, table: &RecordBatch, merge: Merge) -> Result<()> {
        let source = Ids::read(tables::required(table, "source")?.as_ref(), "source")?;
        let target = Ids::read(tables::required(table, "target")?.as_ref(), "target")?;
        let relation = tables::required(table, "relation")?;
        let relations = self.relations_of(relation.as_ref())?;
        let weights = tables::weights(table, "weight")?.unwrap_or_else(|| vec![1.0; source.len()]);
        let [sources, targets] = lookup::ends(self, &source, &target)?;
        let edges = Columns { sources, targets, weights, relations };
        for (row, (&source, &target)) in edges.sources.iter().zip(&edges.targets).enumerate() {
            if source == target {
                let message = format!("'{}' cannot be linked to itself", self.id(source));
                return Err(Error::cell(message, "target", row));
            }
            if self.namespaces != Namespaces::Many {
                continue;
            }
            let space = |node| self.nodes.get(node).map_or(0, |node| node.namespace);
            let (from, to) = (space(source), space(target));
            if from != to {
                let message = format!(
                    "an edge cannot leave its namespace: '{}' is in '{}', '{}' in '{}'",
                    self.id(source),
                    self.names.get(from),
                    self.id(target),
                    self.names.get(to)
                );
                return Err(Error::cell(message, "target", row));
            }
        }
        self.insert(edges, merge)
    }

    /// Takes edges away: source, target, and relation (absent: of every relation). Edges that are not there
    /// are none; returns how many went.
    pub fn remove_edges(&mut self, table: &RecordBatch) -> Result<usize> {
        let source = Ids::read(tables::required(table, "source")?.as_ref(), "source")?;
        let target = Ids::read(tables::required(table, "target")?.as_ref(), "target")?;
        let relation = table.column_by_name("relation");
        let relations = relation.map(|column| self.relations_of(column.as_ref())).transpose()?;
        let [sources, targets] = lookup::ends(self, &source, &target)?;
        let mut gone = HashSet::new();
        for (row, (&source, &target)) in sources.iter().zip(&targets).enumerate() {
            match &relations {
                Some(relations) => _ = gone.insert((source, target, relations[row])),
                None => gone.extend(
                    self.edges
                        .outgoing(source)
                        .iter()
                        .filter(|edge| edge.0 == target)
                        .map(|(_, _, relation)| (source, target, relation)),
                ),
            }
        }
        Ok(self.edges.remove(&gone))
    }

    pub(super) fn insert(&mut self, edges: Columns, merge: Merge) -> Result<()> {
        let bulk = edges.len() > 8_192 && edges.len() > self.edges.len() / 16;
        if bulk && (merge == Merge::Max || self.edges.is_empty()) {
            self.order = self.order.rebuilt(&self.ids);
            self.edges = self.edges.rebuilt(self.order.order(), edges)?;
            return Ok(());
        }
        let (order, ids) = (&self.order, &self.ids);
        self.edges.patch(edges.iter().collect(), merge, |a, b| order.compare(ids, a, b));
        Ok(())
    }

    /// Folds changed rows into the compressed ones.
    pub fn compact(&mut self) -> Result<()> {
        self.order = self.order.rebuilt(&self.ids);
        self.edges = self.edges.rebuilt(self.order.order(), Columns::default())?;
        Ok(())
    }

    /// Numbers for ids, new ones for new ids; an id twice in one table, or of the other kind, is an error.
    fn take_ids(&mut self, ids: &Ids, kind: Kind) -> Result<Vec<u32>> {
        if ids.len() > self.ids.len() {
            self.ids.reserve(ids.len());
        }
        let mut buffer = String::new();
        let mut numbers = Vec::with_capacity(ids.len());
        for row in 0..ids.len() {
            let id = ids.get(row, &mut buffer);
            let number = self.ids.intern(id).map_err(|error| Error::cell(error.to_string(), "id", row))?;
            let number = self.resolved(number);
            let found = self.kind(number);
            if found != Kind::Gone && found != kind {
                let message =
                    format!("'{id}' already names {}", if kind == Kind::Memory { "an entity" } else { "a memory" });
                return Err(Error::cell(message, "id", row));
            }
            numbers.push(number);
        }
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let row = numbers.iter().rposition(|number| *number == pair[0]).unwrap_or(0);
            return Err(Error::cell(format!("the id '{}' comes twice in one table", self.id(pair[0])), "id", row));
        }
        Ok(numbers)
    }

    fn namespace_of(&mut self, column: Option<&StringArray>, row: usize) -> Result<Option<u32>> {
        let Some(column) = column else { return Ok(None) };
        let name = if column.is_valid(row) { column.value(row) } else { "" };
        let name = if name.is_empty() { DEFAULT_NAMESPACE } else { name };
        self.names.intern(name).map(Some).map_err(|error| Error::cell(error.to_string(), "namespace", row))
    }

    /// The number of a name at a row: nothing if the column is absent, [`NONE`] for a null.
    fn interned(&mut self, column: Option<&StringArray>, row: usize, name: &str) -> Result<Option<u32>> {
        match column {
            None => Ok(None),
            Some(column) if column.is_null(row) => Ok(Some(NONE)),
            Some(column) => {
                let number = self.names.intern(column.value(row));
                number.map(Some).map_err(|error| Error::cell(error.to_string(), name, row))
            }
        }
    }

    fn tag_set(&mut self, tags: &[String], row: usize) -> Result<u32> {
        let place = |error: Error| Error::cell(error.to_string(), "tags", row);
        let numbers: Result<Vec<u32>> = tags.iter().map(|tag| self.names.intern(tag)).collect();
        let mut numbers = numbers.map_err(place)?;
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.is_empty() {
            return Ok(NONE);
        }
        let text: Vec<String> = numbers.iter().map(u32::to_string).collect();
        self.tag_sets.intern(&text.join(",")).map_err(place)
    }

    /// Gives a new node its namespace; a known one keeps its own, and may change it only while it has no edges.
    fn admit(
        &self,
        node: &mut Node,
        number: u32,
        kind: Kind,
        namespace: Option<u32>,
        default: u32,
        row: usize,
    ) -> Result<()> {
        if node.kind == Kind::Gone {
            *node = Node { kind, namespace: namespace.unwrap_or(default), ..Node::default() };
        } else if let Some(namespace) = namespace
            && namespace != node.namespace
        {
            if !(self.edges.outgoing(number).is_empty() && self.edges.incoming(number).is_empty()) {
                let message = format!(
                    "'{}' has edges in namespace '{}' and cannot move to another",
                    self.id(number),
                    self.names.get(node.namespace)
                );
                return Err(Error::cell(message, "namespace", row));
            }
            node.namespace = namespace;
        }
        Ok(())
    }

    fn store(&mut self, number: u32, node: Node) {
        let before = self.kind(number);
        if before == Kind::Gone {
            self.count(&node);
        } else {
            self.note_namespace(&node);
        }
        while self.nodes.len() < number as usize {
            self.nodes.push(Node::default());
            self.extras.push(Extra::default());
        }
        if self.nodes.len() == number as usize {
            self.nodes.push(node);
            self.extras.push(Extra::default());
        } else if let Some(slot) = self.nodes.get_mut(number) {
            *slot = node;
        }
    }

    /// Takes a new node into the counts.
    pub(super) fn count(&mut self, node: &Node) {
        self.alive += usize::from(node.kind != Kind::Gone);
        self.invalidated += usize::from(node.invalid != i64::MAX);
        if node.kind != Kind::Gone {
            self.note_namespace(node);
        }
    }

    fn note_namespace(&mut self, node: &Node) {
        self.namespaces = match self.namespaces {
            Namespaces::None => Namespaces::One(node.namespace),
            Namespaces::One(only) if only == node.namespace => Namespaces::One(only),
            _ => Namespaces::Many,
        };
    }

    /// Brings the indexes up to date after nodes were written.
    fn settle(&mut self, changed: &[u32]) {
        if self.order.is_stale(&self.ids) {
            self.order = self.order.rebuilt(&self.ids);
        }
        self.times = self.times.updated(&self.nodes, changed.iter().copied());
    }

    /// Relations by number. A dictionary is looked up by its values, so that a million rows are a few look-ups.
    fn relations_of(&self, column: &dyn Array) -> Result<Vec<u8>> {
        let number_of = |name: Option<&str>, row: usize| {
            let name = name.unwrap_or("");
            self.relations.find(name).ok_or_else(|| {
                let message = format!(
                    "unknown relation '{name}'; known are {}, and register_relation adds more",
                    self.relations.names()
                );
                Error::unknown_cell(message, "relation", row)
            })
        };
        if let Some(dictionary) = column.as_any_dictionary_opt().filter(|dictionary| !dictionary.values().is_empty()) {
            let names = crate::columns::utf8(dictionary.values().as_ref(), "relation")?;
            let text = |key: usize| (key < names.len() && names.is_valid(key)).then(|| names.value(key));
            let known: Vec<Option<u8>> =
                (0..names.len()).map(|key| text(key).and_then(|name| self.relations.find(name))).collect();
            let keys = arrow_cast::cast(dictionary.keys(), &DataType::Int32)
                .map_err(|error| Error::column_type(error.to_string(), "relation"))?;
            let number = |(row, &key): (usize, &i32)| match known.get(key as usize).copied().flatten() {
                Some(number) if keys.is_valid(row) => Ok(number),
                _ => number_of(text(key as usize).filter(|_| keys.is_valid(row)), row),
            };
            return keys.as_primitive::<Int32Type>().values().iter().enumerate().map(number).collect();
        }
        let names = crate::columns::utf8(column, "relation")?;
        let mut last: (&str, u8) = ("", 0); // tables mostly hold long runs of one relation
        let mut numbers = Vec::with_capacity(names.len());
        for row in 0..names.len() {
            let name = if names.is_valid(row) { names.value(row) } else { "" };
            if name != last.0 || name.is_empty() {
                last = (name, number_of(Some(name), row)?);
            }
            numbers.push(last.1);
        }
        Ok(numbers)
    }
}

fn set<T>(slot: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *slot = value;
    }
}

/// The time at a row: nothing if the column is absent, [`NO_TIME`] for a null.
fn at(column: Option<&Int64Array>, row: usize) -> Option<i64> {
    column.map(|column| if column.is_valid(row) { column.value(row) } else { NO_TIME })
}
