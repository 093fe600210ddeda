import { describe, expect, it } from "vitest";
import { judgeField } from "../../../src/core/customers/details.js";
import { digestsOf, fieldsOf, paramsOf, writtenOf } from "../../../src/core/customers/written.js";
import type { BillingConfig } from "../../../src/core/runtime/config.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import { createMemoryStore } from "../../../src/testing/index.js";

describe("what becomes of a field that a caller gives", () => {
  const cases: [Parameters<typeof judgeField>, ReturnType<typeof judgeField>, string][] = [
    [["a", "a", undefined], "same", "Stripe has it"],
    [["a", "a", false], "same", "Stripe has it, whoever wrote it"],
    [[undefined, undefined, undefined], "same", "it is to be gone, and is"],
    [["a", undefined, undefined], "write", "it is missing"],
    [["a", "b", undefined], "keep", "it is not known who wrote it"],
    [["a", "b", true], "write", "it was written here"],
    [["a", "b", false], "keep", "a person changed it"],
    [["a", undefined, false], "keep", "a person removed it"],
    [["a", undefined, true], "write", "it was removed here"],
    [[undefined, "b", true], "write", "it was written here, and is to be gone"],
    [[undefined, "b", undefined], "keep", "it is not known who wrote it, and it is to be gone"],
  ];
  it.each(cases)("%o: %s, because %s", (args, act) => {
    expect(judgeField(...args)).toBe(act);
  });
});

describe("what is remembered of what was written", () => {
  const runtimeOf = (secret_key: string) => {
    const config: BillingConfig = { secret_key, webhook_secret: undefined };
    const platform = { store: createMemoryStore(), baseUrl: () => "", wake: () => {} };
    return createRuntime(config, platform);
  };
  const runtime = runtimeOf("sk_test_one");
  const given = { email: "ada@example.com", metadata: { team: "engines" } };

  it("is neither the values nor the names of the fields", async () => {
    const text = JSON.stringify(await writtenOf(runtime, "cus_1", fieldsOf(given)));
    expect(text).not.toMatch(/ada|example|email|team|engines|cus_1/);
    expect(Object.keys(JSON.parse(text))).toHaveLength(2);
  });

  it("tells the same value again, and no other, of the same field of the same customer", async () => {
    const one = await digestsOf(runtime, "cus_1", "email", "a");
    expect(await digestsOf(runtimeOf("sk_test_one"), "cus_1", "email", "a")).toEqual(one);
    expect((await digestsOf(runtime, "cus_1", "email", "b")).field).toBe(one.field);
    const others = [
      await digestsOf(runtime, "cus_1", "email", "b"),
      await digestsOf(runtime, "cus_1", "metadata.email", "a"),
      await digestsOf(runtime, "cus_2", "email", "a"),
      await digestsOf(runtimeOf("sk_test_two"), "cus_1", "email", "a"),
    ];
    for (const { value } of others) expect(value).not.toBe(one.value);
  });

  it("is by field, and fields make parameters again", () => {
    const metadata = { team: "engines", email: "not the email", gone: "" };
    const fields = fieldsOf({ email: "ada@example.com", metadata });
    expect(paramsOf(fields)).toEqual({ email: "ada@example.com", metadata });
    expect(paramsOf(fieldsOf({ email: null, metadata: {} }))).toEqual({});
    expect(fieldsOf({ email: "" }).size).toBe(0);
  });
});
