//! Which poses a body prefers, and how they are made for its shape.

use std::sync::{Arc, Weak};

use bevy_ecs::prelude::*;
use bevy_reflect::prelude::*;
#[cfg(feature = "serialize")]
use bevy_reflect::{ReflectDeserialize, ReflectSerialize};
use sinew_elastic::{Deformer, ElasticShape, ExampleBasis, ExampleError};

use crate::body::DeformableBody;
use crate::events::{BodyError, BodyFailed, Reported, fail};
use crate::examples::{ExampleControl, ExampleWeights};
use crate::pose::PoseRecord;

/// The poses that a body prefers to deform towards. An edit wakes the body.
///
/// Poses by formula need no shape: they are made in `Prepare` of the tick in which the body has one, and
/// again when it gets another, or when the set is edited. Bodies of one shape with equal sets share them. For a
/// body that is made from a mesh they are made off the main thread, with the body. Poses by particle come as an
/// [`ExampleBasis`], which must have been made for the shape of the body or an equal one. What cannot be
/// used is reported once, with the name of the example, and the body goes on without examples.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use bevy_math::Vec3;
/// use bevy_sinew_bodies::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((
///         DeformableBody::default(), // its shape comes later
///         ExampleSet::new()
///             .with("twisted", Deformer::twist(Vec3::Y, 1.5))
///             .with("bent", Deformer::squash(Vec3::Y, 0.9).then(Deformer::bend(Vec3::Y, Vec3::X, 1.0))),
///     ));
/// }
/// # bevy_ecs::system::assert_is_system::<(), (), _>(setup);
/// ```
#[derive(Component, Clone, Debug, Default, Reflect)]
#[reflect(Component, Default, Debug, Clone)]
#[require(ExampleControl, ExampleWeights)]
pub struct ExampleSet {
    names: Vec<String>,
    /// One for each name; none in a set that was given as a basis.
    formulas: Vec<Formula>,
    #[reflect(ignore)]
    basis: Option<Arc<ExampleBasis>>,
    /// Fingerprint of the shape that the basis was made for, or could not be made for.
    #[reflect(ignore)]
    made_for: Option<u64>,
}

/// A deformer as a value that reflection does not look into.
#[derive(Clone, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(opaque)]
#[reflect(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
struct Formula(Deformer);

impl ExampleSet {
    /// A set without examples, to add some to. Poses by particle: `ExampleSet::from(basis)`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more example, made by moving the rest shape.
    ///
    /// Poses that were given as a basis are left out: a set has one kind or the other.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, deformer: Deformer) -> Self {
        if self.formulas.is_empty() {
            self.names.clear();
        }
        self.names.push(name.into());
        self.formulas.push(Formula(deformer));
        (self.basis, self.made_for) = (None, None);
        self
    }

    /// Names of the examples.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The poses by formula, in order: names, and how the rest shape is moved. Empty for a set that was given as
    /// a basis.
    pub fn formulas(&self) -> impl Iterator<Item = (&str, &Deformer)> {
        self.names.iter().map(String::as_str).zip(self.formulas.iter().map(|Formula(f)| f))
    }

    /// Makes the poses by formula for a shape; for [`ExampleBases::insert`].
    ///
    /// # Errors
    ///
    /// What [`ExampleBasis::new`] says of the poses, with the name of the example.
    pub fn make(&self, shape: &ElasticShape) -> Result<ExampleBasis, ExampleError> {
        let poses: Vec<_> =
            self.formulas().map(|(name, deformer)| deformer.pose(name, shape)).collect();
        ExampleBasis::new(shape, &poses)
    }

    /// The strains of the poses; `None` for a set without examples, and before they were made.
    #[must_use]
    pub fn basis(&self) -> Option<&Arc<ExampleBasis>> {
        self.basis.as_ref()
    }

    /// Whether poses must be made for a shape: it is another one, or a name was edited.
    fn is_outdated(&self, shape: &ElasticShape) -> bool {
        let same_shape = self.made_for == Some(shape.fingerprint());
        let same_names = self.basis.as_ref().is_none_or(|basis| basis.names() == self.names);
        !(same_shape && same_names)
    }

    /// Whether the poses of a set by particle are gone, as in one that was loaded.
    fn is_lost(&self) -> bool {
        self.basis.is_none() && self.formulas.is_empty() && !self.names.is_empty()
    }
}

impl From<Arc<ExampleBasis>> for ExampleSet {
    /// The examples of this basis, which many bodies may share.
    fn from(basis: Arc<ExampleBasis>) -> Self {
        Self { names: basis.names().to_vec(), basis: Some(basis), ..Self::default() }
    }
}

/// Poses by formula that were made, so that equal sets of one shape are made once.
///
/// `Prepare` fills it by itself. Poses that were made elsewhere, as off the main thread, are put in before the
/// body gets its shape; the next `Prepare` then finds them. It keeps no poses longer than that which no body
/// uses.
#[derive(Resource, Debug, Default)]
pub struct ExampleBases {
    made: Vec<MadeBasis>,
}

#[derive(Debug)]
struct MadeBasis {
    formulas: Vec<Formula>,
    basis: Weak<ExampleBasis>,
    /// Held until the next `Prepare`.
    held: Option<Arc<ExampleBasis>>,
}

impl ExampleBases {
    /// The poses of an equal set for this shape or an equal one.
    #[must_use]
    pub fn get(&self, set: &ExampleSet, shape: &ElasticShape) -> Option<Arc<ExampleBasis>> {
        self.made.iter().find_map(|known| {
            let basis = known.basis.upgrade()?;
            let same = known.formulas == set.formulas && basis.names() == set.names;
            (same && basis.fits(shape)).then_some(basis)
        })
    }

    /// Adds the poses that were made of a set.
    pub fn insert(&mut self, set: &ExampleSet, basis: Arc<ExampleBasis>) {
        let formulas = set.formulas.clone();
        self.made.push(MadeBasis { formulas, basis: Arc::downgrade(&basis), held: Some(basis) });
    }

    /// The poses of a set, made if they are not there.
    fn get_or_make(
        &mut self,
        set: &ExampleSet,
        shape: &ElasticShape,
    ) -> Result<Arc<ExampleBasis>, ExampleError> {
        if let Some(known) = self.get(set, shape) {
            return Ok(known);
        }
        let basis = Arc::new(set.make(shape)?);
        self.insert(set, basis.clone());
        Ok(basis)
    }

    /// Lets go of poses that no body uses.
    fn release(&mut self) {
        self.made.retain_mut(|known| {
            known.held = None;
            known.basis.strong_count() > 0
        });
    }
}

/// Makes the poses of bodies whose shape, or whose set, is new.
pub(crate) fn make_examples(
    mut bodies: Query<
        (Entity, &DeformableBody, &mut ExampleSet, &mut PoseRecord),
        Or<(Changed<ExampleSet>, Changed<DeformableBody>)>,
    >,
    mut failures: MessageWriter<BodyFailed>,
    mut bases: ResMut<ExampleBases>,
) {
    for (entity, body, mut set, mut record) in &mut bodies {
        let record = record.bypass_change_detection();
        if record.reported.is_new(Reported::LOST_POSES, set.is_lost()) {
            fail(&mut failures, entity, "ExampleSet", BodyError::LostPoses);
        }
        let Some(shape) = &body.shape else { continue };
        if !set.formulas.is_empty() && set.is_outdated(shape) {
            let set = &mut *set;
            // An edit by reflection may have left them apart.
            set.names.truncate(set.formulas.len());
            set.made_for = Some(shape.fingerprint());
            let (basis, error) = match bases.get_or_make(set, shape) {
                Ok(basis) => (Some(basis), None),
                Err(error) => (None, Some(error)),
            };
            set.basis = basis;
            if record.reported.is_new(Reported::POSES, error.is_some())
                && let Some(error) = error
            {
                fail(&mut failures, entity, "ExampleSet", BodyError::Examples { error });
            }
        }
        let foreign = set.basis.as_ref().is_some_and(|basis| !basis.fits(shape));
        if record.reported.is_new(Reported::EXAMPLES, foreign) {
            fail(&mut failures, entity, "ExampleSet", BodyError::ForeignExamples);
        }
    }
    bases.release();
}
