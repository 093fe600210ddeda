// Histories on Convex: others may come in between any two mutations. Workers are the harness's own,
// at its own time; those that the store schedules do nothing here.
import { describeConvergence } from "../../../../support/convergence/describe.js";
import { deployStore } from "../../../../support/convex/store.js";

describeConvergence(
  "convex",
  async () => ({
    fresh: async () => {
      const deployment = deployStore();
      return {
        connect: ({ pause, real }) =>
          deployment.through(async (call) => {
            await pause();
            return real(call);
          }),
      };
    },
  }),
  { histories: 40 },
);
