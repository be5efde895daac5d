import * as z from 'zod';

const variables = z.record(z.string(), z.string());

const agentConfigSchema = z.strictObject({
  kind: z.string().min(1).optional().describe('what it is, such as `claude-code` or `command`; by default its name'),
  command: z.string().min(1).optional().describe('shell command that starts it'),
  format: z.string().min(1).optional().describe('how its output is read: claude, codex, …, auto or text'),
  model: z.string().min(1).optional().describe('where neither the scenario nor the command line names one'),
  models: z.array(z.string().min(1)).default([]).describe('the models that it takes; any where the list is empty'),
  baseUrl: z.string().min(1).optional().describe('where its model is reached'),
  apiKey: z.string().optional().describe('its key; better ${VAR} than the key itself'),
  env: variables.default({}).describe('environment variables that it gets; ${VAR} is expanded'),
  args: z.array(z.string()).default([]).describe('further arguments'),
  script: z.string().min(1).optional().describe('for `scripted`: the file with its steps'),
});
export type AgentConfig = z.output<typeof agentConfigSchema>;

/** `agents:` of the project's config, by the names that scenarios and the command line use. */
export const agentsConfigSchema = z.record(
  z.string().regex(/^[A-Za-z0-9][\w.-]*$/, 'a name of letters, digits, `.`, `_` and `-`'),
  agentConfigSchema,
);

const profileSchema = z.strictObject({
  agents: z.array(z.string().min(1)).min(1),
  models: z.array(z.string().min(1)).default([]),
});

/** `profiles:` of the project's config: agents and models that are tried together. */
export const profilesConfigSchema = z.record(z.string().min(1), profileSchema);

/** `target:` of the project's config: the CLI tool of scenarios that say `target: from_config`. */
export const sharedTargetSchema = z.strictObject({
  binary: z.string().min(1).optional(),
  command_pattern: z.string().optional(),
  health_check: z.string().optional(),
  env: variables.default({}),
  inputs: z.array(z.string().min(1)).min(1).optional().describe('what the tool is made of, for `--reuse`'),
});
