/** A Convex application for one test: a deployment, and a Stripe of its own. */
import { makeFunctionReference } from "convex/server";
import { onTestFinished } from "vitest";
import { createPatientDouble } from "../../../../../support/patient-double.js";
import {
  type ActionCtx,
  type Deployment,
  type DeploymentOptions,
  deploy,
} from "../../../../../support/spec/platforms/convex-deployment.js";
import type { ConvexConfig } from "../../../src/convex/index.js";
import type { StripeDouble } from "../../../src/testing/index.js";

export interface App {
  readonly double: StripeDouble;
  readonly deployment: Deployment;
  /** Calls an internal action, as a function of the backend does. */
  call<Result>(path: string, args?: object): Promise<Result>;
  /** Calls the client inside an action of the application's own. */
  within<Result>(work: (ctx: ActionCtx) => Promise<Result>): Promise<Result>;
}

export interface AppOptions extends Partial<Omit<DeploymentOptions, "config">> {
  readonly config?: Partial<ConvexConfig>;
  readonly delivery?: "auto" | "held";
}

export async function openApp(options: AppOptions = {}): Promise<App> {
  const { config, delivery = "held", variant = "B", ...rest } = options;
  const double = await createPatientDouble({ seed: "convex", delivery });
  const deployment = await deploy({
    ...rest,
    variant,
    config: {
      secret_key: double.secretKey,
      webhook_secret: undefined,
      stripe_options: double.stripeConfig,
      ...config,
    },
  });
  onTestFinished(async () => {
    await deployment.close();
    await double.close();
  });
  return {
    double,
    deployment,
    call: <Result>(path: string, args: object = {}) =>
      deployment.backend.action(
        makeFunctionReference<"action", { [name: string]: unknown }, Result>(path),
        args as { [name: string]: unknown },
      ),
    within: (work) => deployment.backend.action(async (ctx) => work(ctx as unknown as ActionCtx)),
  };
}

/** Makes the endpoint at Stripe and pushes its secret. */
export async function install({ call, deployment }: App): Promise<void> {
  const { webhook } = await call<{ webhook?: { secret?: string } }>("billing:sync", {
    data: false,
    webhook: true,
  });
  deployment.push({ webhook_secret: webhook?.secret });
}

/** What a call threw. */
export async function thrown(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => {
      throw new Error("The call was not refused");
    },
    (error: unknown) => error,
  );
}
