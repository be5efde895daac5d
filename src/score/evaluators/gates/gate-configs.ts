import * as z from 'zod';

/** Any gate may say what it is for. */
const described = () => ({ description: z.string().optional().describe('what the gate is for, in words') });

/** A gate that looks at the work without a command of its own. */
export const noConfig = () => z.strictObject(described());

/** A gate that runs a shell command in the work directory. */
export const commandConfig = () =>
  z.strictObject({
    command: z.string().describe('shell command that runs in the work directory'),
    timeout_secs: z.number().positive().max(86_400).default(30).describe('longest time that the command may take'),
    ...described(),
  });

/** A gate that looks at a file of the work directory. */
export const fileConfig = () =>
  z.strictObject({
    path: z.string().describe('relative to the work directory, and inside of it'),
    ...described(),
  });

const substring = () => z.string().describe('text that must occur, exactly as it is written');

const pattern = () => z.string().describe('regular expression (RE2 syntax) that must match somewhere');

/** A command whose output must contain a text. */
export const outputContainsConfig = () => commandConfig().extend({ substring: substring() });

/** A command whose output must match a regular expression. */
export const outputMatchesConfig = () => commandConfig().extend({ pattern: pattern() });

/** A command whose JSON must hold a value. */
export const jsonPathConfig = () =>
  commandConfig().extend({
    path: z.string().describe('JSONPath (RFC 9535) into what the command prints'),
    assertion: z.string().describe('exists, equals, contains, matches, len or a comparison with a number'),
  });

/** A file that must contain a text. */
export const fileContainsConfig = () => fileConfig().extend({ substring: substring() });

/** A file that must match a regular expression. */
export const fileMatchesConfig = () => fileConfig().extend({ pattern: pattern() });
