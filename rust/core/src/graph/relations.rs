//! Types of edges: what a walk may follow, in which direction, and how strongly.

use crate::{Error, Result};

/// What a relation means to the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationKind {
    /// One end brought the other about; boost 2.0, walked both ways.
    Causal,
    /// One end made the other possible or kept it from happening; boost 1.5, walked both ways.
    Enabling,
    /// Near in time or next in a thread; boost 1.0, walked as stored.
    Temporal,
    /// Anything else; the temporal walk does not follow it.
    Other,
}

impl RelationKind {
    /// From its name: "causal", "enabling", "temporal" or "other".
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "causal" => Ok(Self::Causal),
            "enabling" => Ok(Self::Enabling),
            "temporal" => Ok(Self::Temporal),
            "other" => Ok(Self::Other),
            _ => Err(Error::value(format!(
                "unknown kind of relation '{name}'; use 'causal', 'enabling', 'temporal' or 'other'"
            ))),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Causal => "causal",
            Self::Enabling => "enabling",
            Self::Temporal => "temporal",
            Self::Other => "other",
        }
    }

    /// Boost unless the relation has its own.
    pub fn boost(self) -> f64 {
        match self {
            Self::Causal => 2.0,
            Self::Enabling => 1.5,
            Self::Temporal | Self::Other => 1.0,
        }
    }

    /// Whether causes and consequences hang on it, so that the walk follows it both ways.
    pub fn is_causal(self) -> bool {
        matches!(self, Self::Causal | Self::Enabling)
    }
}

/// One relation.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// Name.
    pub name: String,
    /// Number of the relation that says the same from the other end; itself if symmetric.
    pub inverse: u8,
    /// What it means to the walk.
    pub kind: RelationKind,
    /// Factor of its edges in the walk.
    pub boost: f64,
}

/// All relations of a graph, by number.
#[derive(Debug, Clone, PartialEq)]
pub struct Relations {
    all: Vec<Relation>,
}

impl Default for Relations {
    fn default() -> Self {
        use RelationKind::{Causal, Enabling, Other, Temporal};
        let mut all = Vec::new();
        for (name, inverse, kind) in [
            ("temporal", 0, Temporal),
            ("causes", 2, Causal),
            ("caused_by", 1, Causal),
            ("enables", 4, Enabling),
            ("enabled_by", 3, Enabling),
            ("prevents", 6, Enabling),
            ("prevented_by", 5, Enabling),
            ("follows", 8, Temporal),
            ("followed_by", 7, Temporal),
            ("similar", 9, Other),
            ("mentions", 11, Other),
            ("mentioned_by", 10, Other),
            ("co_occurs", 12, Other),
        ] {
            all.push(Relation { name: name.into(), inverse, kind, boost: kind.boost() });
        }
        Self { all }
    }
}

impl Relations {
    /// From a list; `None` unless it has the built-in ones in their places and every inverse leads back.
    pub fn from_all(all: Vec<Relation>) -> Option<Self> {
        let builtin = Self::default();
        let begins = all.len() >= builtin.len()
            && all.len() <= usize::from(u8::MAX)
            && builtin.iter().zip(&all).all(|(a, b)| a.name == b.name && a.inverse == b.inverse);
        let leads_back = |(number, relation): (usize, &Relation)| {
            all.get(relation.inverse as usize).is_some_and(|inverse| usize::from(inverse.inverse) == number)
        };
        (begins && all.iter().enumerate().all(leads_back)).then_some(Self { all })
    }

    /// A relation by number; the first for a number never given out.
    pub fn get(&self, number: u8) -> &Relation {
        self.all.get(number as usize).unwrap_or(&self.all[0])
    }

    /// The number of a name.
    pub fn find(&self, name: &str) -> Option<u8> {
        self.all.iter().position(|relation| relation.name == name).map(|number| number as u8)
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Relation> {
        self.all.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Never: the built-in ones are always there.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Names, for messages.
    pub fn names(&self) -> String {
        self.all.iter().map(|relation| relation.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Adds a relation, or gives a known one another kind and boost.
    ///
    /// Without `inverse`, a causal or enabling relation gets the inverse "inverse:NAME" and any other is its own
    /// inverse. A new inverse takes the same kind and boost until it is registered itself.
    pub fn register(
        &mut self,
        name: &str,
        inverse: Option<&str>,
        kind: RelationKind,
        boost: Option<f64>,
    ) -> Result<()> {
        let boost = boost.unwrap_or(kind.boost());
        if !boost.is_finite() || boost < 0.0 {
            return Err(Error::value(format!("the boost of a relation is a number of 0 or more, not {boost}")));
        }
        if name.trim().is_empty() || inverse.is_some_and(|inverse| inverse.trim().is_empty()) {
            return Err(Error::value("a relation needs a name"));
        }
        if let Some(known) = self.find(name) {
            let current = self.get(self.get(known).inverse).name.clone();
            if inverse.is_some_and(|inverse| inverse != current) {
                return Err(Error::value(format!("the inverse of '{name}' is '{current}' and cannot be changed")));
            }
            let entry = &mut self.all[known as usize];
            (entry.kind, entry.boost) = (kind, boost);
            return Ok(());
        }
        let hidden = format!("inverse:{name}");
        let inverse = inverse.unwrap_or(if kind.is_causal() { &hidden } else { name });
        if inverse != name && self.find(inverse).is_some() {
            return Err(Error::value(format!("'{inverse}' already is the inverse of another relation")));
        }
        let number = self.all.len();
        if number + 1 + usize::from(inverse != name) > usize::from(u8::MAX) {
            return Err(Error::value("a graph takes at most 255 relations"));
        }
        let other = number + usize::from(inverse != name);
        self.all.push(Relation { name: name.into(), inverse: other as u8, kind, boost });
        if inverse != name {
            self.all.push(Relation { name: inverse.into(), inverse: number as u8, kind, boost });
        }
        Ok(())
    }
}
