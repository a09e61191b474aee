//! Working memory of a frame, and the skin that it leaves there.

use glam::{Quat, Vec3A, Vec4};

use super::PosedFields;
use super::project::Goal;
use crate::bake::SkinBake;
use crate::pieces::fill;
use crate::skinning::SkinningError;
use sinew_math::Executor;

/// How a vertex fared in a frame; for debug views.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum VertexState {
    /// Plain skinning: its joint has no field in this pose, or a joint stretches.
    #[default]
    Plain,
    /// Plain skinning is exact: nothing near has moved.
    Still,
    /// On its value.
    Fitted,
    /// Still on its way at the last projection.
    Moving,
    /// Held by contact with another part.
    Contact,
    /// Left where it was: outside of its field or where that is flat.
    NotDisplaced,
}

impl VertexState {
    pub(crate) fn is_active(self) -> bool {
        !matches!(self, Self::Plain | Self::Still)
    }
}

/// Memory for frames of one skin, and the result of the last one. No state is kept from frame to frame.
#[derive(Clone, Debug)]
pub struct SkinScratch {
    /// Key of the bake that this is for.
    skin: u64,
    pub(crate) fields: PosedFields,
    /// Plain positions, by skin vertex, output space.
    pub(crate) start: Vec<Vec3A>,
    pub(crate) turns: Vec<Quat>,
    pub(crate) front: Vec<Vec3A>,
    pub(crate) back: Vec<Vec3A>,
    pub(crate) slide: Vec<Vec4>,
    pub(crate) slide_back: Vec<Vec4>,
    pub(crate) states: Vec<VertexState>,
    pub(crate) goals: Vec<Goal>,
    pub(crate) beta: Vec<f32>,
    pub(crate) beta_back: Vec<f32>,
    /// From the plain normal to the solved one.
    pub(crate) bends: Vec<Quat>,
    pub(crate) handedness: f32,
}

impl SkinScratch {
    /// Memory for a skin; the skin is at rest in it.
    #[must_use]
    pub fn new(bake: &SkinBake) -> Self {
        let count = bake.skin_vertex_count();
        Self {
            skin: bake.key(),
            fields: PosedFields::new(bake),
            start: bake.positions.clone(),
            turns: vec![Quat::IDENTITY; count],
            front: bake.positions.clone(),
            back: bake.positions.clone(),
            slide: vec![Vec4::ZERO; count],
            slide_back: vec![Vec4::ZERO; count],
            states: vec![VertexState::Plain; count],
            goals: vec![Goal::default(); count],
            beta: vec![0.0; count],
            beta_back: vec![0.0; count],
            bends: vec![Quat::IDENTITY; count],
            handedness: 1.0,
        }
    }

    /// Whether this memory was made for this skin.
    #[must_use]
    pub fn fits(&self, bake: &SkinBake) -> bool {
        self.skin == bake.key()
    }

    /// The fields of the last frame, for queries.
    #[must_use]
    pub fn fields(&self) -> &PosedFields {
        &self.fields
    }

    /// How each skin vertex fared.
    #[must_use]
    pub fn states(&self) -> &[VertexState] {
        &self.states
    }

    /// The position of each skin vertex, output space.
    #[must_use]
    pub fn positions(&self) -> &[Vec3A] {
        &self.front
    }

    /// Smallest and largest corner of the skin, output space.
    #[must_use]
    pub fn bounds(&self) -> Option<[[f32; 3]; 2]> {
        let first = *self.front.first()?;
        let (low, high) =
            self.front.iter().fold((first, first), |(low, high), &p| (low.min(p), high.max(p)));
        Some([low.to_array(), high.to_array()])
    }

    /// Writes the positions of the render vertices, output space.
    ///
    /// # Errors
    /// When `out` has not one entry a render vertex, or this memory is of another skin.
    pub fn write_positions(
        &self,
        bake: &SkinBake,
        out: &mut [[f32; 3]],
        executor: &impl Executor,
    ) -> Result<(), SkinningError> {
        self.check(bake, "out", out.len())?;
        fill(executor, out, |first, out| {
            for (out, &skin) in out.iter_mut().zip(&bake.skin_of[first..]) {
                *out = self.front[skin as usize].to_array();
            }
        });
        Ok(())
    }

    /// Writes the normals of the render vertices, output space, from their normals at rest, model space.
    ///
    /// Each is turned as its skin vertex is, so that hard edges stay hard.
    ///
    /// # Errors
    /// When a slice has not one entry a render vertex, or this memory is of another skin.
    pub fn write_normals(
        &self,
        bake: &SkinBake,
        rest: &[[f32; 3]],
        out: &mut [[f32; 3]],
        executor: &impl Executor,
    ) -> Result<(), SkinningError> {
        self.check(bake, "rest", rest.len())?;
        self.check(bake, "out", out.len())?;
        fill(executor, out, |first, out| {
            for (vertex, out) in (first..).zip(out) {
                let skin = bake.skin_of[vertex] as usize;
                let normal = Vec3A::from_array(rest[vertex]) * self.handedness;
                *out = (self.bends[skin] * (self.turns[skin] * normal)).to_array();
            }
        });
        Ok(())
    }

    /// Writes the tangents of the render vertices, output space, from those at rest, model space.
    ///
    /// `w`, the sign of the bitangent, is kept, and turned round in a mirrored pose.
    ///
    /// # Errors
    /// When a slice has not one entry a render vertex, or this memory is of another skin.
    pub fn write_tangents(
        &self,
        bake: &SkinBake,
        rest: &[[f32; 4]],
        out: &mut [[f32; 4]],
        executor: &impl Executor,
    ) -> Result<(), SkinningError> {
        self.check(bake, "rest", rest.len())?;
        self.check(bake, "out", out.len())?;
        fill(executor, out, |first, out| {
            for (vertex, out) in (first..).zip(out) {
                let skin = bake.skin_of[vertex] as usize;
                let [x, y, z, w] = rest[vertex];
                let tangent = Vec3A::new(x, y, z) * self.handedness;
                let [x, y, z] = (self.bends[skin] * (self.turns[skin] * tangent)).to_array();
                *out = [x, y, z, w * self.handedness];
            }
        });
        Ok(())
    }

    fn check(
        &self,
        bake: &SkinBake,
        what: &'static str,
        found: usize,
    ) -> Result<(), SkinningError> {
        let expected = bake.render_vertex_count();
        if !self.fits(bake) {
            return Err(SkinningError::WrongSkin { what: "scratch" });
        }
        if found != expected {
            return Err(SkinningError::WrongLength { what, found, expected });
        }
        Ok(())
    }
}
