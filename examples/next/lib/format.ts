export const money = ({ amount, currency }: { amount: number; currency: string }): string =>
  new Intl.NumberFormat("en", {
    style: "currency",
    currency,
    minimumFractionDigits: amount % 100 === 0 ? 0 : 2,
  }).format(amount / 100);

export const day = (time: number): string =>
  new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" }).format(time);
