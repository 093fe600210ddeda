/**
 * The records of the kind `lapse`: of a subscription that is past due one says whether its grace is
 * over, under the subscription's id, and another one when that is to be looked at. They are two,
 * because a request replaces what a record says, and what reads go by must stay.
 */
const LOOK = "look ";

/** The id of the record that is due when a subscription is to be looked at. */
export const lookId = (subscriptionId: string): string => `${LOOK}${subscriptionId}`;

/** The subscription that such a record is about. */
export const lookedAt = (id: string): string => (id.startsWith(LOOK) ? id.slice(LOOK.length) : id);
