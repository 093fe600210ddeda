/** What there is beside the subject: other applications on its account, and other accounts. */
import Stripe from "stripe";
import { createPatientDouble } from "../../../support/patient-double.js";
import type { Template } from "./database.js";
import { openGate } from "./gate.js";
import { redirectStripe } from "./redirect.js";
import { serve } from "./serve.js";
import type { Instance, Subject, Surroundings } from "./subject.js";

/** Another account: where it is, and its merchant's hand there. */
export interface Elsewhere {
  readonly around: Pick<Surroundings, "stripe" | "secretKey" | "account">;
  readonly stripe: Stripe;
}

export interface Neighbourhood {
  /** Another application on the same account: the same software with a database and an endpoint of its own. */
  neighbour(): Promise<Instance>;
  elsewhere(): Promise<Elsewhere>;
  close(): Promise<void>;
}

export function createNeighbourhood({
  subject,
  around,
  template,
  seed,
}: {
  readonly subject: Subject;
  readonly around: Surroundings;
  readonly template: Template | undefined;
  readonly seed: string;
}): Neighbourhood {
  /** What is to be closed, the first one last. */
  const opened: (() => Promise<void>)[] = [];
  return {
    neighbour: async () => {
      const database = await template?.copy();
      if (database !== undefined) opened.unshift(database.drop);
      let instance: Instance | undefined;
      const front = await serve(async (request) => {
        return instance?.fetch(request) ?? new Response(null, { status: 503 });
      });
      opened.unshift(front.close);
      const beside = {
        ...around,
        url: front.url,
        database: database?.url ?? "",
        ...(around.app === undefined ? {} : { app: "second" }),
      };
      instance = await subject.start(beside, await subject.install(beside));
      opened.unshift(instance.close);
      return instance;
    },
    elsewhere: async () => {
      const double = await createPatientDouble({ seed: `${seed}, elsewhere`, delivery: "held" });
      const gate = await openGate(double.port);
      opened.unshift(gate.close, double.close);
      redirectStripe(double.secretKey, gate.port);
      return {
        around: {
          stripe: { host: "127.0.0.1", port: gate.port, protocol: "http" },
          secretKey: double.secretKey,
          account: double.account,
        },
        stripe: new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 }),
      };
    },
    close: async () => {
      for (const close of opened) await close();
    },
  };
}
