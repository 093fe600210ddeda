/** What banks do after a payment: disputes and warnings. */
import type { Theme } from "../../harness/behaviour.js";
import { first, idOf, refusal } from "../../harness/read.js";
import { docs, reference, thread, types } from "../../harness/sources.js";

export const disputes: Theme = {
  name: "Disputes",
  behaviours: [
    {
      name: "a disputed payment asks for an answer",
      source: docs("testing#disputes"),
      expected: { status: "needs_response", disputed: true, told: 1 },
      async see({ double, stripe, pay, events }) {
        const { latest_charge } = await pay({ payment_method: "pm_card_createDispute" });
        await double.clock.advance({ hours: 1 });
        const charge = await stripe.charges.retrieve(idOf(latest_charge));
        const { status } = first(await stripe.disputes.list({ charge: charge.id }));
        const told = (await events("charge.dispute.created")).length;
        return { status, disputed: charge.disputed, told };
      },
    },
    {
      name: "a dispute takes its amount and a fee of 15 dollars",
      source: thread(
        "a public marketplace's notes, measured in test mode on 2026-08-17: net -5700 of 42 dollars",
      ),
      expected: { amount: -4200, fee: 1500, net: -5700 },
      async see({ double, stripe, pay }) {
        await pay({ amount: 4200, payment_method: "pm_card_createDispute" });
        await double.clock.advance({ hours: 1 });
        const { amount, fee, net } = first(
          first(await stripe.disputes.list()).balance_transactions,
        );
        return { amount, fee, net };
      },
    },
    {
      name: "an inquiry moves no money",
      source: thread(
        "a public marketplace's notes, measured in test mode on 2026-08-17: inquiries",
      ),
      expected: { status: "warning_needs_response", moved: 0, refundable: true, withdrawn: 0 },
      async see({ double, stripe, pay, events }) {
        await pay({ payment_method: "pm_card_createDisputeInquiry" });
        await double.clock.advance({ hours: 1 });
        const dispute = first(await stripe.disputes.list());
        return {
          status: dispute.status,
          moved: dispute.balance_transactions.length,
          refundable: dispute.is_charge_refundable,
          withdrawn: (await events("charge.dispute.funds_withdrawn")).length,
        };
      },
    },
    {
      name: "winning evidence brings the amount and the fee back",
      source: docs("testing#evidence"),
      expected: { status: "won", net: [-2000, 2000], told: 1 },
      async see({ double, stripe, pay, events }) {
        await pay({ payment_method: "pm_card_createDispute" });
        await double.clock.advance({ hours: 1 });
        const { id } = first(await stripe.disputes.list());
        await stripe.disputes.update(id, { evidence: { uncategorized_text: "winning_evidence" } });
        await double.clock.advance({ hours: 1 });
        const { status, balance_transactions } = await stripe.disputes.retrieve(id);
        const told = (await events("charge.dispute.funds_reinstated")).length;
        return { status, net: balance_transactions.map(({ net }) => net), told };
      },
    },
    {
      name: "losing evidence brings nothing back",
      source: docs("testing#evidence"),
      expected: { status: "lost", moves: 1, told: 1 },
      async see({ double, stripe, pay, events }) {
        await pay({ payment_method: "pm_card_createDispute" });
        await double.clock.advance({ hours: 1 });
        const { id } = first(await stripe.disputes.list());
        await stripe.disputes.update(id, { evidence: { uncategorized_text: "losing_evidence" } });
        await double.clock.advance({ hours: 1 });
        const { status, balance_transactions } = await stripe.disputes.retrieve(id);
        const told = (await events("charge.dispute.closed")).length;
        return { status, moves: balance_transactions.length, told };
      },
    },
    {
      name: "evidence that is only staged is not sent",
      source: reference("disputes/update#submit"),
      expected: { staged: "needs_response", sent: "under_review" },
      async see({ double, stripe, pay }) {
        await pay({ payment_method: "pm_card_createDispute" });
        await double.clock.advance({ hours: 1 });
        const { id } = first(await stripe.disputes.list());
        const staged = await stripe.disputes.update(id, {
          evidence: { product_description: "A machine" },
          submit: false,
        });
        const sent = await stripe.disputes.update(id, { submit: true });
        return { staged: staged.status, sent: sent.status };
      },
    },
    {
      name: "closing a dispute loses it",
      source: reference("disputes/close"),
      expected: "lost",
      async see({ double, stripe, pay }) {
        await pay({ payment_method: "pm_card_createDispute" });
        await double.clock.advance({ hours: 1 });
        return (await stripe.disputes.close(first(await stripe.disputes.list()).id)).status;
      },
    },
    {
      name: "what was charged back cannot be refunded",
      source: docs("error-codes#charge-disputed"),
      expected: { status: 400, code: "charge_disputed" },
      async see({ double, stripe, pay }) {
        const { id } = await pay({ payment_method: "pm_card_createDispute" });
        await double.clock.advance({ hours: 1 });
        const { status, code } = await refusal(stripe.refunds.create({ payment_intent: id }));
        return { status, code };
      },
    },
    {
      name: "an early fraud warning is settled by a refund",
      source: types("Radar.EarlyFraudWarning.actionable"),
      expected: { before: true, after: false },
      async see({ double, stripe, pay }) {
        const { id } = await pay({ payment_method: "pm_card_createIssuerFraudRecord" });
        await double.clock.advance({ hours: 1 });
        const warning = first(await stripe.radar.earlyFraudWarnings.list({ payment_intent: id }));
        await stripe.refunds.create({ payment_intent: id });
        const after = await stripe.radar.earlyFraudWarnings.retrieve(warning.id);
        return { before: warning.actionable, after: after.actionable };
      },
    },
  ],
};
