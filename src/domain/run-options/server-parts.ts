/** Server features that a test of a suite uses. */
export const suiteTestKinds = ['tool', 'resource', 'prompt', 'sampling', 'elicitation', 'oauth2'] as const;

/** Subjects of a scenario about an MCP server: one kind of suite, or a workflow. */
export const serverParts = [...suiteTestKinds, 'workflow'] as const;
