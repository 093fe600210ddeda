/**
 * What the recipes use of libraries and runtimes that are not installed here; test/docs/examples.test.ts
 * compiles the recipes against this. In 2026-11 they compiled against the real types of better-auth
 * 1.7.6, @convex-dev/auth 0.0.95 and @clerk/backend 3.20.1; Bun and Deno are as documented. This
 * file cannot tell when they change.
 */
declare module "better-auth" {
  interface User {
    id: string;
    email: string;
  }
  interface Options {
    database: object;
    databaseHooks?: { user?: { create?: { after?(user: User): Promise<void> } } };
    plugins?: object[];
  }
  export function betterAuth(options: Options): { handler(request: Request): Promise<Response> };
}

declare module "better-auth/plugins" {
  interface Created {
    organization: { id: string; name: string };
    member: { id: string };
    user: { id: string; email: string };
  }
  export function organization(options?: {
    organizationHooks?: { afterCreateOrganization?(data: Created): Promise<void> };
  }): object;
}

declare module "@convex-dev/auth/providers/Password" {
  export function Password(config?: object): object;
}

declare module "@convex-dev/auth/server" {
  import type { GenericDataModel, GenericMutationCtx } from "convex/server";
  import type { GenericId } from "convex/values";

  interface Args {
    userId: GenericId<"users">;
    existingUserId: GenericId<"users"> | null;
    profile: Record<string, unknown> & { email?: string; phone?: string };
  }
  export function convexAuth(config: {
    providers: unknown[];
    callbacks?: {
      afterUserCreatedOrUpdated?(
        ctx: GenericMutationCtx<GenericDataModel>,
        args: Args,
      ): Promise<void>;
    };
  }): { auth: object; signIn: object; signOut: object; store: object; isAuthenticated: object };
}

declare module "@clerk/backend/webhooks" {
  interface Email {
    id: string;
    email_address: string;
  }
  type Event =
    | {
        type: "user.created";
        data: { id: string; email_addresses: Email[]; primary_email_address_id: string | null };
      }
    | { type: "organization.created"; data: { id: string } };
  export function verifyWebhook(
    request: Request,
    options?: { signingSecret?: string },
  ): Promise<Event>;
}

declare const Bun: {
  serve(options: {
    port?: number;
    routes: Record<string, (request: Request) => Response | Promise<Response>>;
  }): object;
};

declare const Deno: {
  serve(
    options: { port?: number },
    handler: (request: Request) => Response | Promise<Response>,
  ): object;
};
