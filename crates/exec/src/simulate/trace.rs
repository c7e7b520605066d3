//! The call tree of a simulation.

pub use presight_view::{Frame, FrameKind, Log};

/// Frames recorded in one simulation.
pub const MAX_FRAMES: usize = 10_000;

/// Whether each frame's work stands: it succeeded, and so did every frame around it.
pub(crate) fn standing(frames: &[Frame]) -> Vec<bool> {
    let mut stands = Vec::with_capacity(frames.len());
    for frame in frames {
        // A frame comes after the one it was entered from.
        let parent_stands = frame
            .parent
            .is_none_or(|parent| stands.get(parent) == Some(&true));
        stands.push(frame.success && parent_stands);
    }
    stands
}
