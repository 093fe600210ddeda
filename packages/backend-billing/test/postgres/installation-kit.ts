/** What the tests of an installation share: each has an empty database and a Stripe of its own. */
import type pg from "pg";
import { afterEach, beforeEach } from "vitest";
import { createPatientDouble } from "../../../../support/patient-double.js";
import { databaseOfEachTest, type OwnDatabase } from "../../../../support/postgres/database.js";
import {
  type BillingExports,
  createBilling,
  type PostgresConfig,
} from "../../src/postgres/index.js";
import type { StripeDouble } from "../../src/testing/index.js";

export interface Installation extends OwnDatabase {
  readonly double: StripeDouble;
  /** An application on a pool of this database. */
  open(db: pg.Pool, settings?: Partial<PostgresConfig>): BillingExports;
}

/** To be called once in a test file. */
export function installationOfEachTest(): Installation {
  const own = databaseOfEachTest();
  let double: StripeDouble;
  beforeEach(async () => {
    double = await createPatientDouble();
  });
  afterEach(() => double.close());
  return {
    get url() {
      return own.url;
    },
    get pool() {
      return own.pool;
    },
    get double() {
      return double;
    },
    open: (db, settings = {}) =>
      createBilling({
        secret_key: double.secretKey,
        webhook_secret: "whsec_1",
        db,
        base_url: "http://localhost:3000",
        stripe_options: double.stripeConfig,
        ...settings,
      }),
  };
}
