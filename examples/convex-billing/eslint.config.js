import convex from "@convex-dev/eslint-plugin";
import typescript from "typescript-eslint";

export default [
  { ignores: ["convex/_generated"] },
  {
    files: ["convex/**/*.ts"],
    languageOptions: { parser: typescript.parser, parserOptions: { projectService: true } },
  },
  ...convex.configs.recommended,
];
