//! A snapshot as Arrow tables.

use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Float32Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow_schema::{Field, Schema};

use crate::graph::nodes::{Kind, NO_TIME, Node};
use crate::graph::relations::Relation;
use crate::graph::snapshot::Snapshot;
use crate::{Error, Result};

impl Snapshot {
    /// All nodes of a kind, by number in order of insertion.
    pub fn members(&self, kind: Kind) -> Vec<u32> {
        let of_kind = |(number, node): (usize, &Node)| (node.kind == kind).then_some(number as u32);
        self.nodes.iter().enumerate().filter_map(of_kind).collect()
    }

    /// Memories in order of insertion, with all columns; vectors come back at length 1.
    pub fn memories(&self) -> Result<RecordBatch> {
        let members = self.members(Kind::Memory);
        let nodes: Vec<&Node> = members.iter().filter_map(|&number| self.nodes.get(number)).collect();
        let text = |number: &dyn Fn(&Node) -> u32| -> ArrayRef {
            Arc::new(nodes.iter().map(|node| self.name(number(node))).collect::<StringArray>())
        };
        let time = |of: &dyn Fn(&Node) -> i64| -> ArrayRef {
            let values = nodes.iter().map(|node| Some(of(node)).filter(|&time| time != NO_TIME && time != i64::MAX));
            Arc::new(values.collect::<TimestampMicrosecondArray>().with_timezone("UTC"))
        };
        let mut tags = ListBuilder::new(StringBuilder::new());
        for node in &nodes {
            for tag in self.tags(node) {
                tags.values().append_value(self.names.get(tag));
            }
            tags.append(true);
        }
        let authors = members.iter().map(|&number| self.extras.get(number).and_then(|extra| self.name(extra.author)));
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", self.id_column(members.iter().copied())),
            ("namespace", text(&|node| node.namespace)),
            ("fact_type", text(&|node| node.fact_type)),
            ("thread", text(&|node| node.thread)),
            ("author", Arc::new(authors.collect::<StringArray>())),
            ("tags", Arc::new(tags.finish())),
            ("occurred_start", time(&|node| node.start)),
            ("occurred_end", time(&|node| node.end)),
            ("mentioned_at", time(&|node| node.mentioned)),
            ("created_at", time(&|node| node.created)),
            ("invalid_at", time(&|node| node.invalid)),
            ("embedding", self.embeddings(&nodes)),
        ];
        table(columns)
    }

    /// Entities in order of insertion: id, namespace, type, aliases (ids that were merged into it, sorted).
    pub fn entities(&self) -> Result<RecordBatch> {
        let members = self.members(Kind::Entity);
        let text = |number: &dyn Fn(&Node) -> u32| -> ArrayRef {
            let names = members.iter().map(|&member| self.nodes.get(member).and_then(|node| self.name(number(node))));
            Arc::new(names.collect::<StringArray>())
        };
        let mut known: Vec<(u32, &str)> =
            self.aliases.iter().map(|(&alias, &entity)| (entity, self.id(alias))).collect();
        known.sort_unstable();
        let mut aliases = ListBuilder::new(StringBuilder::new());
        for &member in &members {
            let from = known.partition_point(|&(entity, _)| entity < member);
            known[from..].iter().take_while(|&&(entity, _)| entity == member).for_each(|&(_, alias)| {
                aliases.values().append_value(alias);
            });
            aliases.append(true);
        }
        table(vec![
            ("id", self.id_column(members.iter().copied())),
            ("namespace", text(&|node| node.namespace)),
            ("type", text(&|node| node.fact_type)),
            ("aliases", Arc::new(aliases.finish())),
        ])
    }

    /// Edges in order of source (as inserted), target id, relation: source, target, relation, weight.
    pub fn edge_table(&self) -> Result<RecordBatch> {
        let (mut sources, mut targets) = (StringBuilder::new(), StringBuilder::new());
        let (mut relations, mut weights) = (StringBuilder::new(), Vec::with_capacity(self.edges.len()));
        for source in 0..self.nodes.len() as u32 {
            for (target, weight, relation) in self.edges.outgoing(source).iter() {
                sources.append_value(self.id(source));
                targets.append_value(self.id(target));
                relations.append_value(&self.relations.get(relation).name);
                weights.push(f64::from(weight));
            }
        }
        table(vec![
            ("source", Arc::new(sources.finish())),
            ("target", Arc::new(targets.finish())),
            ("relation", Arc::new(relations.finish())),
            ("weight", Arc::new(Float64Array::from(weights))),
        ])
    }

    /// Relations by number: name, inverse, kind, boost.
    pub fn relation_table(&self) -> Result<RecordBatch> {
        let all = || self.relations.iter();
        let text = |of: &dyn Fn(&Relation) -> String| -> ArrayRef {
            Arc::new(all().map(|relation| Some(of(relation))).collect::<StringArray>())
        };
        table(vec![
            ("name", text(&|relation| relation.name.clone())),
            ("inverse", text(&|relation| self.relations.get(relation.inverse).name.clone())),
            ("kind", text(&|relation| relation.kind.name().into())),
            ("boost", Arc::new(all().map(|relation| relation.boost).collect::<Float64Array>())),
        ])
    }

    /// Ids of nodes as a column.
    pub fn id_column(&self, nodes: impl Iterator<Item = u32>) -> ArrayRef {
        let nodes: Vec<u32> = nodes.collect(); // from_iter_values has to know how many there are
        Arc::new(StringArray::from_iter_values(nodes.iter().map(|&node| self.id(node))))
    }

    fn embeddings(&self, nodes: &[&Node]) -> ArrayRef {
        let dim = self.vectors.dim();
        let mut out = FixedSizeListBuilder::new(Float32Builder::new(), dim as i32);
        for node in nodes {
            match self.vectors.row(node.vector) {
                Some(row) => out.values().append_slice(row),
                None => out.values().append_nulls(dim),
            }
            out.append(self.vectors.row(node.vector).is_some());
        }
        Arc::new(out.finish())
    }
}

/// A table from named columns. All columns may hold nulls, so that the schema does not depend on the data.
pub fn table(columns: Vec<(&str, ArrayRef)>) -> Result<RecordBatch> {
    let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(schema), arrays).map_err(|error| Error::value(error.to_string()))
}
