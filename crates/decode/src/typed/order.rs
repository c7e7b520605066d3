//! Marketplace orders of Seaport: what they offer and whom they pay.

use super::item::Item;
use super::types::Types;
use crate::model::Order;

const ORDER: &str = "OrderComponents(address offerer,address zone,OfferItem[] offer,\
    ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,\
    uint256 salt,bytes32 conduitKey,uint256 counter)";
const CONSIDERATION: &str = "ConsiderationItem(uint8 itemType,address token,uint256 identifierOrCriteria,\
    uint256 startAmount,uint256 endAmount,address recipient)";
const OFFER: &str = "OfferItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,\
    uint256 endAmount)";

/// The orders of a message: one, or the leaves of a `BulkOrder`'s tree, in order. Empty where it is no order of
/// exactly these types.
pub(super) fn of(types: &Types, primary: &str, message: &Item<'_>) -> Vec<Order> {
    let order = format!("{ORDER}{CONSIDERATION}{OFFER}");
    let encoded = types.encode_type(primary);
    let is_bulk = primary == "BulkOrder"
        && encoded.starts_with("BulkOrder(OrderComponents[")
        && encoded
            .split_once(')')
            .is_some_and(|(tree, _)| tree.ends_with(" tree"))
        && types.encode_type("OrderComponents") == order;
    if !is_bulk && encoded != order {
        return Vec::new();
    }
    let mut orders = Vec::new();
    let mut open = vec![message];
    while let Some(item) = open.pop() {
        match item {
            Item::Struct("OrderComponents", members) => orders.extend(order_of(members)),
            Item::Struct(_, members) | Item::Array(members) => open.extend(members.iter().rev()),
            _ => {}
        }
    }
    orders
}

fn order_of(members: &[Item<'_>]) -> Option<Order> {
    let [
        Item::Address(offerer),
        _,
        Item::Array(offer),
        Item::Array(consideration),
        _,
        _,
        Item::Uint(end),
        ..,
    ] = members
    else {
        return None;
    };
    let is_to_offerer = |item: &&Item<'_>| match item {
        Item::Struct(_, members) => members.last() == Some(&Item::Address(*offerer)),
        _ => false,
    };
    Some(Order {
        offerer: *offerer,
        offered: offer.len(),
        received: consideration.iter().filter(is_to_offerer).count(),
        ends: *end,
    })
}
