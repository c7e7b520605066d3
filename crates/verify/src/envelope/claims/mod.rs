//! What `metadata` and `description` say, compared with what the calls or the typed data do (§5.5, §5.6).

mod action;
mod decided;
mod exchange;
mod functions;
mod moved;
mod pairing;
mod revocations;
mod standards;

use super::code::{ConsumerCode, Note};
use super::content::DecodedContent;
use super::not_checked::NotChecked;
use crate::verify::Pending;
use ClaimStatus::NotDerivable;
pub use action::ActionClaim;
use alloy_primitives::U256;
pub(crate) use exchange::is_read as is_exchange;
use moved::Moved;
use pairing::{Pair, Pairing};
use presight_view::View;
use presight_wire::ChainId;
use presight_wire::envelope::{Code, Content, MovementKind, TokenMovement};
use serde::{Serialize, Serializer};

/// Comparisons of claimed with decoded movements, at most; beyond, none is made.
pub const MAX_COMPARISONS: usize = 1_000_000;

/// Whether a claimed movement is what the bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimStatus {
    /// The bytes say the same.
    Confirmed,
    /// The bytes say otherwise.
    Contradicted,
    /// The bytes alone do not decide it.
    NotDerivable,
}

impl ClaimStatus {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Contradicted => "contradicted",
            Self::NotDerivable => "not-derivable",
        }
    }
}

impl Serialize for ClaimStatus {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

/// What became of one entry of `tokenMovements`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Pointer to the entry.
    pub path: String,
    /// Whether it is what the bytes say.
    pub status: ClaimStatus,
    /// The members that the bytes contradict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<&'static str>,
    /// What the bytes say, or why they say nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A movement or grant that no entry of `tokenMovements` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Omitted {
    /// Pointer to the call or the message.
    pub path: String,
    /// What it is.
    pub detail: String,
}

/// The comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claims {
    pub(crate) action: ActionClaim,
    pub(crate) claims: Vec<Claim>,
    pub(crate) omitted: Vec<Omitted>,
}

/// Every claim as not derivable.
pub(crate) fn undecided(content: &Content, why: &str) -> Claims {
    let claims = (0..movements(content).len()).map(|index| not_derivable(index, why.to_owned()));
    Claims {
        action: ActionClaim::not_derivable(why),
        claims: claims.collect(),
        omitted: Vec::new(),
    }
}

/// Compares, and notes what does not agree.
///
/// # Errors
/// [`Pending`] while the view wants reads it does not hold.
pub(crate) fn compare(
    content: &Content,
    decoded: &DecodedContent,
    view: Option<&View<'_>>,
    notes: &mut Vec<Note>,
    not_checked: &mut Vec<NotChecked>,
) -> Result<Claims, Pending> {
    let movements = movements(content);
    let elsewhere = other_chain(content, decoded);
    let chain = u64::try_from(content.chain().id()).ok().map(ChainId::evm);
    let here = chain.as_ref().filter(|_| elsewhere.is_none());
    let moved = standards::read(moved::of(decoded), here, view, not_checked)?;
    let moved: Vec<_> = moved.into_iter().filter(Moved::is_any).collect();
    let decided = decided::is_decided(&decoded.decoded);
    let mut action = action::judge(content.description().action, decoded, &moved);
    if let (ClaimStatus::Confirmed, Some(elsewhere)) = (action.status, &elsewhere) {
        action = ActionClaim::not_derivable(elsewhere.clone());
    }
    if action.status == ClaimStatus::Contradicted {
        let message = action.detail.clone().unwrap_or_default();
        let path = "/content/description/action";
        notes.push(Note::new(ConsumerCode::ActionContradicted, path, message));
    }
    if movements.len().saturating_mul(moved.len()) > MAX_COMPARISONS {
        let message = "more movements than MAX_COMPARISONS lets be compared";
        notes.push(Note::new(
            ConsumerCode::NotDecoded,
            "/content/metadata/tokenMovements",
            message,
        ));
        return Ok(Claims {
            action,
            ..undecided(content, message)
        });
    }
    let pairing = Pairing::new(movements, &moved, decoded.signer, decided);
    let pairs = movements.iter().zip(&pairing.pairs).enumerate();
    let claims = pairs.map(|(index, (movement, pair))| {
        let claim = claim(index, movement, pair.as_ref(), decided);
        match &elsewhere {
            Some(elsewhere) if claim.status == ClaimStatus::Confirmed => {
                not_derivable(index, elsewhere.clone())
            }
            _ => claim,
        }
    });
    let claims: Vec<_> = claims.collect();
    notes.extend(claims.iter().filter_map(contradiction));
    notes.extend(
        pairing
            .pairs
            .iter()
            .zip(movements)
            .enumerate()
            .filter_map(unflagged),
    );
    let unclaimed = pairing.unclaimed.iter();
    let omitted: Vec<_> = unclaimed
        .filter(|m| m.has_to_be_said())
        .map(|m| omitted(m))
        .collect();
    notes.extend(omitted.iter().map(|omitted| {
        let message = format!("the metadata does not say: {}", omitted.detail);
        Note::new(ConsumerCode::MovementOmitted, omitted.path.clone(), message)
    }));
    Ok(Claims {
        action,
        claims,
        omitted,
    })
}

/// Why nothing of a message is so on the envelope's chain: its domain names another one.
fn other_chain(content: &Content, decoded: &DecodedContent) -> Option<String> {
    let domain = decoded.decoded.typed_data.as_ref()?.chain_id?;
    (domain != U256::from(content.chain().id()))
        .then(|| format!("the message counts on chain {domain}, which is not the envelope's"))
}

fn movements(content: &Content) -> &[TokenMovement] {
    content
        .metadata()
        .map_or(&[], |metadata| &metadata.token_movements)
}

fn path(index: usize) -> String {
    format!("/content/metadata/tokenMovements/{index}")
}

fn omitted(moved: &Moved) -> Omitted {
    Omitted {
        path: moved.path.clone(),
        detail: moved.to_string(),
    }
}

fn claim(index: usize, movement: &TokenMovement, pair: Option<&Pair<'_>>, decided: bool) -> Claim {
    if let Some(doubt) = pair.and_then(|pair| pair.doubt(movement)) {
        return not_derivable(index, doubt.to_owned());
    }
    let (status, members, detail) = match pair {
        Some(pair) if pair.members.is_empty() => (ClaimStatus::Confirmed, Vec::new(), None),
        Some(pair) => (
            ClaimStatus::Contradicted,
            pair.members.clone(),
            Some(pair.moved.to_string()),
        ),
        // Tokens are made and destroyed by their contracts.
        None if decided && !matches!(movement.kind, MovementKind::Mint | MovementKind::Burn) => {
            let detail = "nothing in the content does this".to_owned();
            (ClaimStatus::Contradicted, Vec::new(), Some(detail))
        }
        None => return not_derivable(index, "the bytes alone do not decide it".to_owned()),
    };
    Claim {
        path: path(index),
        status,
        members,
        detail,
    }
}

fn contradiction(claim: &Claim) -> Option<Note> {
    if claim.status != ClaimStatus::Contradicted {
        return None;
    }
    let detail = claim.detail.as_deref().unwrap_or_default();
    let message = match claim.members.as_slice() {
        [] => detail.to_owned(),
        members => format!("not so in {}; the content makes a {detail}", members.join(", ")),
    };
    Some(Note::new(
        ConsumerCode::MovementContradicted,
        claim.path.clone(),
        message,
    ))
}

/// An unlimited grant whose movement leaves the flag out. The validator sees it at 2^256 - 1 only.
fn unflagged((index, (pair, movement)): (usize, (&Option<Pair<'_>>, &TokenMovement))) -> Option<Note> {
    let unlimited = pair.as_ref().is_some_and(|pair| pair.moved.is_unlimited());
    let seen = movement.amount.to_u256() == Some(U256::MAX);
    (unlimited && movement.is_unlimited.is_none() && !seen).then(|| {
        let message = "the grant is unlimited and is not said to be";
        Note::new(
            Code::UnlimitedNotFlagged,
            format!("{}/isUnlimited", path(index)),
            message,
        )
    })
}

fn not_derivable(index: usize, why: String) -> Claim {
    Claim {
        path: path(index),
        status: ClaimStatus::NotDerivable,
        members: Vec::new(),
        detail: Some(why),
    }
}
