import { billing } from "@/lib/billing";

/** Called every minute by the host's scheduler: it does what is due. */
export async function GET(request: Request): Promise<Response> {
  if (request.headers.get("authorization") !== `Bearer ${process.env.CRON_SECRET}`) {
    return new Response("Unauthorized", { status: 401 });
  }
  return Response.json(await billing.tick({ budget: 20_000 }));
}
