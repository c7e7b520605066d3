//! The whole run-time check.

use super::claims::{self, ActionClaim, Claim, Claims, Omitted};
use super::code::{ConsumerCode, Note};
use super::content::{self, DecodedContent};
use super::context::CheckContext;
use super::expiry::{Expiries, OnChainExpiry};
use super::labels::{self, Label};
use super::not_checked::NotChecked;
use super::simulated::{self, Simulated};
use super::{delegatecall, descriptor, oddity, opaque, set_code, sign_in, tokens, window};
use crate::verify::Pending;
use presight_decode::Flag;
use presight_view::View;
use presight_wire::envelope::{Content, Envelope, NotAnEnvelope, OFFLINE, Severity, Status, Verification};
use presight_wire::{ChainId, Refusal};
use serde_json::Value;

/// Why there is no [`Checked`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unchecked {
    /// The text was not judged.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The view does not hold every read yet: fetch its wants and check again.
    #[error(transparent)]
    Pending(#[from] Pending),
}

/// The outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// Why the envelope has to be rejected: what the validator found, or what only a consumer sees.
    pub errors: Vec<Note>,
    /// What its consumer should know; empty when there are errors, as the validator has it.
    pub warnings: Vec<Note>,
    /// Whether the validator found more than it lists ([`presight_wire::envelope::Validation::cut`]).
    pub cut: bool,
    /// What more was found of a valid envelope.
    pub facts: Option<Facts>,
}

/// What is known of a valid envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Whether the producer signed it. It decides nothing about the envelope's validity.
    pub producer: Verification,
    /// Whole seconds from now to `notAfter`, rounded down; negative when it has passed, absent without either.
    pub seconds_left: Option<i64>,
    /// What ends on chain, in the order of the content.
    pub on_chain_expiries: Vec<OnChainExpiry>,
    /// Whether `description.action` is what the bytes do.
    pub action: ActionClaim,
    /// For each entry of `tokenMovements`, whether the bytes say it.
    pub movements: Vec<Claim>,
    /// What the bytes say and no entry does.
    pub omitted: Vec<Omitted>,
    /// How the counterparties are to be shown.
    pub labels: Vec<Label>,
    /// Oddities of the bytes, with pointers into the envelope.
    pub oddities: Vec<Flag>,
    /// What the calls do when they are simulated, where the policy on delegatecalls asks for it and all succeed: the
    /// document of `presight simulate`.
    pub simulation: Option<Value>,
    /// What was not checked.
    pub not_checked: Vec<NotChecked>,
}

impl Facts {
    /// Whether the producer's signature is not of this envelope.
    pub fn is_tampered(&self) -> bool {
        self.producer.status == Status::Invalid
    }
}

impl Checked {
    /// Whether the envelope may be used.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }
}

/// Checks a text at the moment of use.
///
/// # Errors
/// [`Unchecked`].
pub fn check(bytes: &[u8], context: &CheckContext, view: Option<&View<'_>>) -> Result<Checked, Unchecked> {
    match Envelope::parse(bytes) {
        Ok(envelope) => Ok(check_envelope(&envelope, context, view)?),
        Err(NotAnEnvelope::Refused(refusal)) => Err(refusal.into()),
        Err(NotAnEnvelope::Invalid(validation)) => Ok(Checked {
            errors: validation.errors.iter().map(Note::from).collect(),
            cut: validation.cut,
            ..Checked::default()
        }),
    }
}

/// Checks a valid envelope at the moment of use. What the producer says is compared with the raw content; nothing is
/// decided by it (§5.5).
///
/// # Errors
/// [`Pending`] while the view wants reads it does not hold.
pub fn check_envelope(
    envelope: &Envelope,
    context: &CheckContext,
    view: Option<&View<'_>>,
) -> Result<Checked, Pending> {
    let content = &envelope.fields().content;
    let mut notes: Vec<Note> = envelope.warnings().iter().map(Note::from).collect();
    let mut not_checked = Vec::new();
    times(content, context, &mut notes, &mut not_checked);
    match content {
        Content::Calls(calls) => {
            descriptor::judge(calls, context.descriptor.as_ref(), &mut notes, &mut not_checked);
        }
        Content::Signature(signature) => sign_in::judge(signature, &mut notes),
    }
    set_code::judge(content, &mut notes);
    let decoded = decode(envelope, &mut notes, &mut not_checked);
    let simulated = simulated::simulate(content, decoded.as_ref(), &context.delegatecall, view)?;
    delegatecall::judge(
        content,
        decoded.as_ref(),
        &context.delegatecall,
        simulated.as_ref(),
        &mut notes,
        &mut not_checked,
    );
    let oddities = decoded.as_ref().map(DecodedContent::oddities).unwrap_or_default();
    oddity::judge(&oddities, &mut notes, &mut not_checked);
    if let Some(decoded) = &decoded {
        opaque::judge(decoded, &mut notes, &mut not_checked);
    }
    let Compared { expiries, claims } = compare(
        content,
        decoded.as_ref(),
        context,
        view,
        &mut notes,
        &mut not_checked,
    )?;
    not_checked.extend(expiries.unknown);
    let mut labels = labels::resolve(content, context.contact_book.as_ref(), &mut notes);
    if context.contact_book.is_none() {
        not_checked.push(NotChecked::new(
            "/content/metadata/counterparties",
            "no address book is given",
        ));
    }
    labels::resemblances(
        content,
        decoded.as_ref(),
        context.contact_book.as_ref(),
        &mut labels,
        &mut notes,
    );
    on_chain(content, view, &mut notes, &mut not_checked)?;

    let facts = Facts {
        producer: envelope.verify(OFFLINE),
        seconds_left: seconds_left(content, context),
        on_chain_expiries: expiries.found,
        action: claims.action,
        movements: claims.claims,
        omitted: claims.omitted,
        labels,
        oddities,
        simulation: match simulated {
            Some(Simulated::Succeeded(document)) => Some(document),
            Some(Simulated::Not(_)) | None => None,
        },
        not_checked,
    };
    let (errors, warnings): (Vec<_>, Vec<_>) = notes
        .into_iter()
        .partition(|note| note.code.severity() == Severity::Error);
    Ok(Checked {
        warnings: if errors.is_empty() { warnings } else { Vec::new() },
        errors,
        cut: envelope.is_cut(),
        facts: Some(facts),
    })
}

fn times(
    content: &Content,
    context: &CheckContext,
    notes: &mut Vec<Note>,
    not_checked: &mut Vec<NotChecked>,
) {
    match (content.validity(), context.now) {
        (None, _) => {}
        (Some(validity), Some(now)) => window::judge(validity, now, context, notes),
        (Some(_), None) => not_checked.push(NotChecked::new("/content/validity", "no time is given")),
    }
}

fn seconds_left(content: &Content, context: &CheckContext) -> Option<i64> {
    Some(context.now?.seconds_to(content.validity()?.not_after))
}

fn decode(
    envelope: &Envelope,
    notes: &mut Vec<Note>,
    not_checked: &mut Vec<NotChecked>,
) -> Option<DecodedContent> {
    match content::decode(envelope) {
        Ok(decoded) => Some(decoded),
        Err(Refusal { pointer, message, .. }) => {
            let place = match envelope.fields().content {
                Content::Calls(_) => "/content/calls",
                Content::Signature(_) => "/content/message",
            };
            let reason = "not decoded: it may hold movements, grants, delegatecalls and expiries";
            not_checked.push(NotChecked::new(place, reason));
            notes.push(Note::new(ConsumerCode::NotDecoded, pointer, message));
            None
        }
    }
}

struct Compared {
    expiries: Expiries,
    claims: Claims,
}

/// The envelope's words against its bytes.
fn compare(
    content: &Content,
    decoded: Option<&DecodedContent>,
    context: &CheckContext,
    view: Option<&View<'_>>,
    notes: &mut Vec<Note>,
    not_checked: &mut Vec<NotChecked>,
) -> Result<Compared, Pending> {
    let Some(decoded) = decoded else {
        return Ok(Compared {
            expiries: Expiries::default(),
            claims: claims::undecided(content, "the content was not decoded"),
        });
    };
    let expiries = Expiries::of(content, decoded);
    if let Some(validity) = content.validity() {
        expiries.judge(validity.not_after, context.expiry_buffer, notes);
    }
    let claims = claims::compare(content, decoded, view, notes, not_checked)?;
    Ok(Compared { expiries, claims })
}

/// The envelope's words against the chain.
fn on_chain(
    content: &Content,
    view: Option<&View<'_>>,
    notes: &mut Vec<Note>,
    not_checked: &mut Vec<NotChecked>,
) -> Result<(), Pending> {
    let movements = content
        .metadata()
        .map_or(&[][..], |metadata| &metadata.token_movements);
    if movements.is_empty() {
        return Ok(());
    }
    let chain = u64::try_from(content.chain().id()).map(ChainId::evm);
    match (view, chain) {
        (Some(view), Ok(chain)) => tokens::compare(movements, &chain, view, notes, not_checked),
        (None, _) => {
            not_checked.push(NotChecked::new(
                "/content/metadata/tokenMovements",
                "no chain state is given",
            ));
            Ok(())
        }
        (Some(_), Err(_)) => {
            not_checked.push(NotChecked::new("/content/chain", "a chain id beyond 64 bits"));
            Ok(())
        }
    }
}
