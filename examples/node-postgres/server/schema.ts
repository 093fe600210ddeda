/** All tables of the database: the library's, and this app's own. drizzle-kit looks after both. */
import { sql } from "drizzle-orm";
import {
  bigint,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

export * from "backend-billing/drizzle";

export const users = pgTable("users", {
  id: uuid().primaryKey().defaultRandom(),
  name: text().notNull(),
  email: text().notNull().unique(),
  password: text().notNull(),
});

export const sessions = pgTable("sessions", {
  token: text().primaryKey(),
  userId: uuid("user_id")
    .notNull()
    .references(() => users.id),
});

export const organisations = pgTable("organisations", {
  id: uuid().primaryKey().defaultRandom(),
  name: text().notNull(),
  ownerId: uuid("owner_id")
    .notNull()
    .references(() => users.id),
});

/** Who was invited to write along; together with the owner they are the seats. */
export const members = pgTable(
  "members",
  {
    id: uuid().primaryKey().defaultRandom(),
    entityId: uuid("entity_id").notNull(),
    email: text().notNull(),
  },
  (t) => [uniqueIndex("members_once").on(t.entityId, t.email)],
);

/** What was sent. The page makes the ids, so they are told apart for each who sends. */
export const letters = pgTable(
  "letters",
  {
    id: text().notNull(),
    entityId: uuid("entity_id").notNull(),
    readers: bigint({ mode: "number" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.entityId, t.id] })],
);

/** What is to be mailed. The key is that of the event which it tells of. */
export const mails = pgTable("mails", {
  key: text().primaryKey(),
  entityId: uuid("entity_id").notNull(),
  subject: text().notNull(),
  sentAt: timestamp("sent_at"),
});

/** What was, or is about to be, paid for once. */
export const orders = pgTable(
  "orders",
  {
    id: uuid().primaryKey().defaultRandom(),
    /** The user or the organisation that buys. */
    entityId: uuid("entity_id").notNull(),
    pack: text().notNull(),
    name: text().notNull(),
    paidAt: timestamp("paid_at"),
  },
  // Two tabs that buy the same thing at once share an order, and so a checkout page.
  (t) => [uniqueIndex("orders_one_unpaid").on(t.entityId, t.pack).where(sql`paid_at is null`)],
);
