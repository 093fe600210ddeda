/** The templates are written for `createBilling`; these are the calls that `createStripe` has instead. */

const CHECKOUT =
  /billing\.checkout\((ctx, )?\{\n {4}entityId,\n {4}lookupKey,\n {4}successUrl: page,\n {4}cancelUrl: page,\n {2}\}\);/;

export function inVariantA(template: string): string {
  return template
    .replace(CHECKOUT, (_, ctx?: string) => subscribe(ctx === undefined ? "{}" : "ctx"))
    .replace("billing.portal({ entityId", "stripe.portal({}, { entityId")
    .replace(/\{ billing, (store|site) \}/, (_, other: string) =>
      other === "store" ? "{ store, stripe }" : "{ site, stripe }",
    )
    .replace(/\bbilling\.(?=\w+\()/g, "stripe.");
}

const subscribe = (context: string): string => {
  const lines = ["entityId", "lookupKey", 'mode: "subscription"', "success_url: page"];
  const params = [...lines, "cancel_url: page"];
  return context === "ctx"
    ? ["stripe.subscribe(ctx, {", ...params.map((each) => `    ${each},`), "  });"].join("\n")
    : [
        "stripe.subscribe(",
        "    {},",
        "    {",
        ...params.map((each) => `      ${each},`),
        "    },",
        "  );",
      ].join("\n");
};
