//! Attributes in compressed formats, read as shaders read them.

use bevy_math::{Vec3, Vec4};
use bevy_mesh::{Mesh, MeshAccessError, VertexAttributeValues};

/// The values of an attribute as a shader sees them, with one for a fourth component that is missing.
/// `None` for formats of fewer than three components, and for integers: what those mean, only the
/// material knows.
pub(crate) fn as_shaders_see(values: &VertexAttributeValues) -> Option<Vec<Vec4>> {
    fn each<T: Copy>(values: &[[T; 4]], scalar: impl Fn(T) -> f32) -> Vec<Vec4> {
        values.iter().map(|v| Vec4::from_array(v.map(&scalar))).collect()
    }
    Some(match values {
        VertexAttributeValues::Float32x3(v) => {
            v.iter().map(|&v| Vec3::from(v).extend(1.0)).collect()
        }
        VertexAttributeValues::Float32x4(v) => v.iter().map(|&v| v.into()).collect(),
        VertexAttributeValues::Float16x4(v) => each(v, |s| s.to_f32()),
        VertexAttributeValues::Snorm8x4(v) => each(v, |s| (f32::from(s) / 127.0).max(-1.0)),
        VertexAttributeValues::Snorm16x4(v) => each(v, |s| (f32::from(s) / 32_767.0).max(-1.0)),
        VertexAttributeValues::Unorm8x4(v) => each(v, |s| f32::from(s) / 255.0),
        VertexAttributeValues::Unorm16x4(v) => each(v, |s| f32::from(s) / 65_535.0),
        VertexAttributeValues::Unorm10_10_10_2(v) => v
            .iter()
            .map(|&bits| {
                let part = |shift: u32| ((bits >> shift) & 1023) as f32 / 1023.0;
                Vec4::new(part(0), part(10), part(20), (bits >> 30) as f32 / 3.0)
            })
            .collect(),
        VertexAttributeValues::Float64x3(v) => {
            v.iter().map(|v| Vec3::from_array(v.map(|s| s as f32)).extend(1.0)).collect()
        }
        VertexAttributeValues::Float64x4(v) => each(v, |s| s as f32),
        _ => return None,
    })
}

/// Gives the attributes that a body rewrites the formats that Bevy names for them; values are kept.
pub(crate) fn unpack(mesh: &mut Mesh) -> Result<(), MeshAccessError> {
    for attribute in [Mesh::ATTRIBUTE_POSITION, Mesh::ATTRIBUTE_NORMAL] {
        let Some(values) = mesh.try_attribute_option(attribute)? else { continue };
        if matches!(values, VertexAttributeValues::Float32x3(_)) {
            continue;
        }
        if let Some(values) = as_shaders_see(values) {
            let values: Vec<[f32; 3]> = values.iter().map(|v| v.truncate().to_array()).collect();
            mesh.try_insert_attribute(attribute, values)?;
        }
    }
    let Some(values) = mesh.try_attribute_option(Mesh::ATTRIBUTE_TANGENT)? else { return Ok(()) };
    if !matches!(values, VertexAttributeValues::Float32x4(_))
        && let Some(values) = as_shaders_see(values)
    {
        let values: Vec<[f32; 4]> = values.iter().map(|v| v.to_array()).collect();
        mesh.try_insert_attribute(Mesh::ATTRIBUTE_TANGENT, values)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_each_range_are_what_the_specification_says() {
        let cases = [
            (VertexAttributeValues::Snorm8x4(vec![[127, -127, -128, 0]]), [1.0, -1.0, -1.0, 0.0]),
            (
                VertexAttributeValues::Snorm16x4(vec![[32_767, -32_767, i16::MIN, 0]]),
                [1.0, -1.0, -1.0, 0.0],
            ),
            (VertexAttributeValues::Unorm8x4(vec![[255, 0, 51, 0]]), [1.0, 0.0, 0.2, 0.0]),
            (VertexAttributeValues::Unorm16x4(vec![[65_535, 0, 13_107, 0]]), [1.0, 0.0, 0.2, 0.0]),
            (
                VertexAttributeValues::Unorm10_10_10_2(vec![1023 | (341 << 20) | (3 << 30)]),
                [1.0, 0.0, 341.0 / 1023.0, 1.0],
            ),
            (VertexAttributeValues::Float32x3(vec![[2.0, -3.0, 4.0]]), [2.0, -3.0, 4.0, 1.0]),
            (VertexAttributeValues::Float64x3(vec![[2.0, -3.0, 4.0]]), [2.0, -3.0, 4.0, 1.0]),
        ];
        for (values, expected) in cases {
            let found = as_shaders_see(&values).unwrap();
            assert!(
                found[0].abs_diff_eq(Vec4::from_array(expected), 1e-6),
                "{values:?}: {found:?}"
            );
        }
        let pairs = VertexAttributeValues::Snorm16x2(vec![[0, 0]]);
        assert!(as_shaders_see(&pairs).is_none(), "a pair may be an octahedral normal, or not");
    }
}
