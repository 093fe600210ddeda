import { expect, it } from "vitest";
import { client, type Rig, rig } from "./kit.js";

const COUNT = 20_000;
const FROM = Date.parse("2024-01-01T00:00:00Z") / 1000;
const TO = Date.parse("2026-01-01T00:00:00Z") / 1000;

async function populated(): Promise<Rig> {
  const { double } = await rig();
  double.populate({ object: "customer", count: COUNT, from: FROM * 1000, to: TO * 1000 });
  return { double, stripe: client(double) };
}

it("eight readers of half-open ranges see each of 20,000 customers once", async () => {
  const { double, stripe } = await populated();
  const edge = (part: number) => FROM + Math.floor(((TO - FROM) * part) / 8);
  const parts = await Promise.all(
    Array.from({ length: 8 }, async (_, reader) => {
      const created = { gte: edge(reader), ...(reader === 7 ? {} : { lt: edge(reader + 1) }) };
      const ids: string[] = [];
      for await (const customer of stripe.customers.list({ limit: 100, created })) {
        expect(customer.created).toBeGreaterThanOrEqual(edge(reader));
        ids.push(customer.id);
      }
      return ids;
    }),
  );
  const all = parts.flat();
  expect(all).toHaveLength(COUNT);
  expect(new Set(all).size).toBe(COUNT);
  expect(Math.min(...parts.map(({ length }) => length))).toBeGreaterThan(COUNT / 10);
  const pages = double.requests.count("GET /v1/customers");
  expect(pages).toBeLessThanOrEqual(COUNT / 100 + 8);
});

it("one reader sees them all, newest first, in as many requests as there are pages", async () => {
  const { double, stripe } = await populated();
  const ids = new Set<string>();
  let last = Infinity;
  for await (const { id, created } of stripe.customers.list({ limit: 100 })) {
    expect(created).toBeLessThanOrEqual(last);
    last = created;
    ids.add(id);
  }
  expect(ids.size).toBe(COUNT);
  expect(double.requests.count()).toBe(COUNT / 100);
});
